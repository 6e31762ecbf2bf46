import type { EntryRow } from '../store/entry.ts'

/**
 * The version of an entry as served: its latest revision's id and, where moderation changed what is shown without a revision,
 * a mark for that, so that no cached copy outlives it.
 */
export const etagOf = (entry: Pick<EntryRow, 'revision_id' | 'blocked' | 'actor_hidden'>): string =>
  `${entry.revision_id}${entry.blocked ? '.locked' : ''}${entry.actor_hidden ? '.unnamed' : ''}`
