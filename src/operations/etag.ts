import { hash } from 'node:crypto'
import type { Entry } from '../contract/resources.ts'

/**
 * The version of an entry as served: its latest revision's id, a digest of what evidence says of it, where moderation changed what is shown
 * without a revision a mark for that, and its signals, which another version of this program may see otherwise, so that no cached copy outlives it. It is made of nothing but what is shown, because a mirror
 * knows no more.
 */
export function etagOf({
  currentRevisionId,
  standing: { state, tally },
  status,
  actor,
  signals,
}: Pick<Entry, 'currentRevisionId' | 'standing' | 'status' | 'actor' | 'signals'>): string {
  const counts = Object.values(tally)
  const judged = counts.some(count => count > 0)
  const unnamed = Object.values(actor.declared).every(name => name === null)
  return [
    currentRevisionId,
    ...(judged ? [hash('sha256', `${state} ${counts}`, 'base64url').slice(0, 11)] : []),
    ...(status === 'LOCKED' ? ['locked'] : []),
    ...(unnamed ? ['unnamed'] : []),
    ...signals.map(signal => signal.toLowerCase()),
  ].join('.')
}
