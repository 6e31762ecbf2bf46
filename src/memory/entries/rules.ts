import { hash } from 'node:crypto'
import { createRequire } from 'node:module'
import { Problem } from '../../contract/problem.ts'
import type { Revision } from '../../contract/resources.ts'
import type { Status } from '../../contract/vocabulary.ts'
import { foldCase } from '../../find/rules/words.ts'
import { isUuid } from '../values.ts'

/** The moderation of an entry: its own flags, and whether its creator or the origin that created it is quarantined. */
export type EntryFlags = {
  hidden: number
  quarantined: number
  blocked: number
  author_quarantined: number
  origin_quarantined: number
}

/** The status of an entry. If several apply, QUARANTINED precedes HIDDEN, and HIDDEN precedes LOCKED. */
export function statusOf(entry: EntryFlags): Status {
  if (entry.quarantined || entry.author_quarantined || entry.origin_quarantined) return 'QUARANTINED'
  if (entry.hidden) return 'HIDDEN'
  return entry.blocked ? 'LOCKED' : 'ACTIVE'
}

/** Whether the public may read an entry with this status. */
export const isPublic = (status: Status): boolean => status === 'ACTIVE' || status === 'LOCKED'

type Addressed = Erasable & { slug: string; withdrawn: number; blocked: number; revision_id: string }

/** The flag and the title of an entry by which its erasure is seen. */
type Erasable = { hidden: number; title: string }

/** Whether the current text of an entry was erased. A mirror also empties texts that can return, but hides only erased entries. */
export const isErased = ({ hidden, title }: Erasable): boolean => hidden === 1 && title === ''

/** Throws ERASED if the text of a revision of a public entry was erased. */
export function assertNotErased({ title }: { title: string }): void {
  if (title === '') throw new Problem('ERASED')
}

/** Returns the entry of an address if the public may read it; else throws ENTRY_NOT_FOUND, ENTRY_WITHDRAWN or ERASED. */
export function assertReadable<E extends Addressed>(entry: E | undefined): E {
  if (entry === undefined) throw new Problem('ENTRY_NOT_FOUND')
  if (entry.withdrawn) throw new Problem(isErased(entry) ? 'ERASED' : 'ENTRY_WITHDRAWN')
  return entry
}

/** Returns the entry of an address if callers may write to it; else throws ENTRY_NOT_FOUND, ENTRY_WITHDRAWN or ENTRY_LOCKED. */
export function assertWritable<E extends Addressed>(entry: E | undefined): E {
  const readable = assertReadable(entry)
  if (readable.blocked) throw new Problem('ENTRY_LOCKED')
  return readable
}

/** Optimistic concurrency: throws STALE_REVISION unless the named revision is the latest. */
export function assertLatest(entry: Addressed, previousRevisionId: string): void {
  if (entry.revision_id !== previousRevisionId.toLowerCase()) {
    throw new Problem('STALE_REVISION', { latest: { slug: entry.slug, revisionId: entry.revision_id } })
  }
}

type Member = string | number | boolean | null | undefined | readonly Member[] | { readonly [name: string]: Member }

/** The RFC 8785 form of a value without lone surrogates. JavaScript writes strings and numbers as RFC 8785 does (section 3.2.2). */
export function canonicalForm(value: Member): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null)
  const parts: string[] = []
  if (Array.isArray(value)) {
    for (const item of value as readonly Member[]) parts.push(canonicalForm(item))
    return `[${parts.join(',')}]`
  }
  const members = value as Readonly<Record<string, Member>>
  for (const name of Object.keys(members).sort())
    if (members[name] !== undefined) parts.push(`${JSON.stringify(name)}:${canonicalForm(members[name])}`)
  return `{${parts.join(',')}}`
}

/**
 * The link of the chain: SHA-256, lower-case hex, of the RFC 8785 form of the revision as it is served,
 * without `evidenceHash` and with `previousEvidenceHash` (null for the first revision).
 */
export function evidenceHash(revision: Omit<Revision, 'evidenceHash'>, previousEvidenceHash: string | null): string {
  return hash('sha256', canonicalForm({ ...revision, previousEvidenceHash }), 'hex')
}

export const FIRST_REVISION = { changeType: 'CREATE', rationale: 'Initial revision' } as const

const require = createRequire(import.meta.url)
const SLUG_MAX = 80

/** An ASCII title without the signs that the package spells out or removes inside words. */
const PLAIN = /^[\w .,:;()/<>=!?+*#"[\]-]{0,400}$/
const SEPARATORS = /[^a-z0-9]+/g

/**
 * A title as lower-case ASCII letters and digits, with a hyphen between words. The first such title loads the package, because its table
 * takes longer to compile than all modules of this folder.
 */
const transliterated = (title: string): string =>
  (require('@sindresorhus/slugify') as typeof import('@sindresorhus/slugify'))
    .default(title.slice(0, 400), { decamelize: false })
    .replace(/[^a-z0-9-]/g, '')
    .replace(/-{2,}/g, '-')

/**
 * The slug of a title: ASCII, at most 80 characters, cut at a word boundary. Returns '' if nothing readable is left. Never has the format
 * of an id.
 */
export function slugOf(title: string): string {
  const words = PLAIN.test(title) ? title.toLowerCase().replace(SEPARATORS, '-') : transliterated(title)
  let slug = words.replace(/^-|-$/g, '')
  if (slug.length > SLUG_MAX) {
    const edge = slug.lastIndexOf('-', SLUG_MAX)
    slug = slug.slice(0, edge > 0 ? edge : SLUG_MAX)
  }
  return isUuid(slug) ? `entry-${slug}` : slug
}

/** The maximum hexadecimal digits of an entry's id that are appended to a taken slug, and the digits that each try adds. */
const DIGITS = 32
const MORE_DIGITS = 4

/** The slugs to try for a title, in order: the plain one first, then with more and more digits of the entry's id, up to all of them. */
export function slugCandidates(title: string, entryId: string): string[] {
  const plain = slugOf(title)
  const digits = entryId.replaceAll('-', '')
  const candidates: string[] = []
  for (let length = MORE_DIGITS; length <= DIGITS; length += MORE_DIGITS) {
    const tail = digits.slice(-length)
    if (plain === '') candidates.push(`entry-${tail}`)
    else candidates.push(length === MORE_DIGITS ? plain : `${plain}-${tail}`)
  }
  return candidates
}

/** The key of a tag, equal for all its spellings: NFKC, case folded, trimmed, runs of spaces collapsed. */
export function tagKey(tag: string): string {
  return foldCase(tag.normalize('NFKC')).normalize('NFKC').replace(/ +/g, ' ').trim()
}

/** The tags as stored: the first spelling of each, in the order sent. Tags of spaces alone are left out. */
export function distinctTags(tags: readonly string[]): string[] {
  const seen = new Set<string>([''])
  return tags.filter(tag => {
    const key = tagKey(tag)
    if (seen.has(key)) return false
    seen.add(key)
    return true
  })
}
