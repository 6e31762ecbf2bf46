import { Problem } from '../contract/problem.ts'
import type { Status } from '../contract/vocabulary.ts'

/** The moderation of an entry: its own flags, and whether its creator or the origin that created it is quarantined. */
export type EntryStanding = {
  hidden: number
  quarantined: number
  blocked: number
  author_quarantined: number
  origin_quarantined: number
}

/** The status of an entry. If several apply, QUARANTINED precedes HIDDEN, and HIDDEN precedes LOCKED. */
export function statusOf(entry: EntryStanding): Status {
  if (entry.quarantined || entry.author_quarantined || entry.origin_quarantined) return 'QUARANTINED'
  if (entry.hidden) return 'HIDDEN'
  return entry.blocked ? 'LOCKED' : 'ACTIVE'
}

/** Whether the public may read an entry with this status. */
export const isPublic = (status: Status): boolean => status === 'ACTIVE' || status === 'LOCKED'

type Addressed = { slug: string; withdrawn: number; blocked: number; revision_id: string }

/** Returns the entry of an address if the public may read it; else throws ENTRY_NOT_FOUND or ENTRY_WITHDRAWN. */
export function assertReadable<E extends Addressed>(entry: E | undefined): E {
  if (entry === undefined) throw new Problem('ENTRY_NOT_FOUND')
  if (entry.withdrawn) throw new Problem('ENTRY_WITHDRAWN')
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
