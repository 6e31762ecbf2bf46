import { clientError, isClientError } from './problem.ts'
import type { Entry, Revision } from './resources.ts'
import type { CallOptions } from './settings.ts'
import type { Iterators, Methods } from './table.ts'

/** The result of recomputing an evidenceHash. `holds` is true if the content is unchanged since it was hashed at the commit. */
export type HashCheck = { holds: boolean; revisionId: string; evidenceHash: string; recomputed: string }

/**
 * The result of recomputing all hashes of a history. `broken` has the revisions whose hash is wrong, and `unchecked` the ids of revisions whose
 * hash covers that of an erased one: only the public log proves them.
 */
export type HistoryCheck = { holds: boolean; revisions: number; broken: HashCheck[]; unchecked?: string[] }

/** Serialises a JSON value by RFC 8785. Omits members that are undefined. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  // RFC 8785 requires the order of UTF-16 code units. The operator `<` compares by them.
  members.sort(([one], [other]) => (one < other ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(',')}}`
}

/**
 * Computes the evidenceHash of a revision. `previousEvidenceHash` is that of the previous revision, or null for the first revision. Throws
 * INVALID_ARGUMENT without WebCrypto.
 */
export async function evidenceHashOf(revision: Revision, previousEvidenceHash: string | null): Promise<string> {
  const { evidenceHash: _, ...served } = revision
  // Browsers provide WebCrypto only on https and on localhost.
  if (globalThis.crypto?.subtle === undefined) {
    throw clientError('INVALID_ARGUMENT', 'There is no WebCrypto here; in a browser, open the page over https.')
  }
  const bytes = new TextEncoder().encode(canonicalJson({ ...served, previousEvidenceHash }))
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return [...digest].map(byte => byte.toString(16).padStart(2, '0')).join('')
}

/**
 * Recomputes the evidenceHash of a revision, or of the current revision of an entry. Also compares title, summary and content of the entry
 * with those of its current revision. Reads the previous revision, because each hash covers the previous hash.
 */
export async function verifyHash(
  methods: Methods,
  subject: Entry | Revision,
  options?: CallOptions,
): Promise<HashCheck> {
  const revision =
    'evidenceHash' in subject ? subject : await methods.readRevision(subject.id, subject.currentRevisionId, options)
  const { id, entryId, previousRevisionId, evidenceHash } = revision
  const previous = previousRevisionId === null ? null : await methods.readRevision(entryId, previousRevisionId, options)
  const check = await checkOf(revision, previous)
  const same = (['title', 'summary', 'content'] as const).every(member => subject[member] === revision[member])
  return { ...check, holds: check.holds && same, revisionId: id, evidenceHash }
}

/** Recomputes every evidenceHash of an entry, newest first, and checks that the hashes form a chain from its first revision. */
export async function verifyHistory(
  methods: Methods,
  iterators: Iterators,
  slug: string,
  options?: CallOptions,
): Promise<HistoryCheck> {
  const broken: HashCheck[] = []
  const unchecked: string[] = []
  let revisions = 0
  let later: Revision | undefined
  const look = async (revision: Revision, previous: Revision | null): Promise<void> => {
    const { id, previousRevisionId } = revision
    const isListed = previousRevisionId === (previous?.id ?? null)
    if (!isListed && previousRevisionId !== null && (await isErased(methods, slug, previousRevisionId, options))) {
      unchecked.push(id)
      return
    }
    const check = await checkOf(revision, previous)
    if (!check.holds) broken.push(check)
  }
  for await (const revision of iterators.listRevisions(slug, {}, options)) {
    revisions += 1
    if (later !== undefined) await look(later, revision)
    later = revision
  }
  if (later !== undefined) await look(later, null)
  const found = { holds: broken.length === 0 && revisions > 0, revisions, broken }
  return unchecked.length === 0 ? found : { ...found, unchecked }
}

/** Whether the service says that a revision was erased. */
const isErased = (methods: Methods, slug: string, revisionId: string, options?: CallOptions): Promise<boolean> =>
  methods.readRevision(slug, revisionId, options).then(
    () => false,
    error => {
      if (isClientError(error) && (error.code === 'ERASED' || error.code === 'REVISION_NOT_FOUND'))
        return error.code === 'ERASED'
      throw error
    },
  )

/** Each hash covers the previous hash, so this check detects a missing or replaced revision. */
async function checkOf(revision: Revision, previous: Revision | null): Promise<HashCheck> {
  const recomputed = await evidenceHashOf(revision, previous?.evidenceHash ?? null)
  const { id, evidenceHash } = revision
  return { holds: recomputed === evidenceHash, revisionId: id, evidenceHash, recomputed }
}
