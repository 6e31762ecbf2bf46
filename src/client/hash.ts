import { clientError } from './problem.ts'
import type { Entry, Revision } from './resources.ts'
import type { CallOptions } from './settings.ts'
import type { Iterators, Methods } from './table.ts'

/** What came of recomputing: `holds` where what is there is what was hashed when it was committed. */
export type HashCheck = { holds: boolean; revisionId: string; evidenceHash: string; recomputed: string }

/** What came of recomputing a whole history: how many revisions were looked at, and those that do not hold. */
export type HistoryCheck = { holds: boolean; revisions: number; broken: HashCheck[] }

/** The RFC 8785 form of a JSON value. Members that are undefined are left out. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  // By UTF-16 code units, as the RFC wants it and as `<` compares.
  members.sort(([one], [other]) => (one < other ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(',')}}`
}

/** The evidenceHash that a revision must carry: `previousEvidenceHash` is that of the revision before, null for the first. */
export async function evidenceHashOf(revision: Revision, previousEvidenceHash: string | null): Promise<string> {
  const { evidenceHash: _, ...served } = revision
  // Browsers have it on https and on their own machine only.
  if (globalThis.crypto?.subtle === undefined) {
    throw clientError('INVALID_ARGUMENT', 'There is no WebCrypto here; in a browser, open the page over https.')
  }
  const bytes = new TextEncoder().encode(canonicalJson({ ...served, previousEvidenceHash }))
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return [...digest].map(byte => byte.toString(16).padStart(2, '0')).join('')
}

/**
 * Recomputes the evidenceHash of a revision as the caller holds it, or of the current revision of an entry, whose title,
 * summary and content must then be the revision's. Reads the revision before, whose hash it is chained to.
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

/** Recomputes every evidenceHash of an entry, newest first, and holds that the chain reaches its first revision. */
export async function verifyHistory(iterators: Iterators, slug: string, options?: CallOptions): Promise<HistoryCheck> {
  const broken: HashCheck[] = []
  let revisions = 0
  let later: Revision | undefined
  const look = async (revision: Revision, previous: Revision | null): Promise<void> => {
    const check = await checkOf(revision, previous)
    if (!check.holds) broken.push(check)
  }
  for await (const revision of iterators.listRevisions(slug, {}, options)) {
    revisions += 1
    if (later !== undefined) await look(later, revision)
    later = revision
  }
  if (later !== undefined) await look(later, null)
  return { holds: broken.length === 0 && revisions > 0, revisions, broken }
}

/** The hash of the revision before is in the hash, so that a missing or another one shows. */
async function checkOf(revision: Revision, previous: Revision | null): Promise<HashCheck> {
  const recomputed = await evidenceHashOf(revision, previous?.evidenceHash ?? null)
  const { id, evidenceHash } = revision
  return { holds: recomputed === evidenceHash, revisionId: id, evidenceHash, recomputed }
}
