import type { Entry } from '../contract/resources.ts'

/**
 * The version of an entry as served: its latest revision's id and, where moderation changed what is shown without a revision,
 * a mark for that, so that no cached copy outlives it. It is made of nothing but what is shown, because a mirror knows no more.
 */
export function etagOf({
  currentRevisionId,
  status,
  actor,
}: Pick<Entry, 'currentRevisionId' | 'status' | 'actor'>): string {
  const unnamed = Object.values(actor.declared).every(name => name === null)
  return `${currentRevisionId}${status === 'LOCKED' ? '.locked' : ''}${unnamed ? '.unnamed' : ''}`
}
