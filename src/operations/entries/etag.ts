import { hash } from 'node:crypto'
import type { Entry } from '../../contract/resources.ts'

/**
 * The version of an entry as served: the id of its latest revision, a digest of its standing, a mark for each change by moderation, and its
 * signals, which another version of this program may compute differently. All of these are public, so a mirror computes the same version.
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
