import { createRequire } from 'node:module'
import { isUuid } from './uuid.ts'

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
  const slug = cutAtWord(words.replace(/^-|-$/g, ''))
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

function cutAtWord(slug: string): string {
  if (slug.length <= SLUG_MAX) return slug
  const edge = slug.lastIndexOf('-', SLUG_MAX)
  return edge > 0 ? slug.slice(0, edge) : slug.slice(0, SLUG_MAX)
}
