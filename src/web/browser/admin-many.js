import { call } from './api.js'

/** @typedef {import('../../contract/resources.ts').ModerationResult} ModerationResult */
/** @typedef {import('../../contract/resources.ts').Flags} Flags */
/** @typedef {import('../../contract/inputs.ts').ModerationInput} ModerationInput */
/**
 * The results of the performed actions, and the refusal that ended the run before its end.
 * @typedef {{ results: ModerationResult[], refused?: import('./api.js').Refused }} Run
 */

const SECOND = 1_000

/**
 * Performs actions one after another. When the limit refuses one, it waits as long as the answer says and goes on. Any other refusal ends
 * the run.
 * @param {readonly ModerationInput[]} actions
 * @param {() => string | undefined} bearer the run ends when it is undefined
 * @param {(done: number, wait: number) => void} progress is called before each action, and each second of a wait
 * @param {number} second
 * @returns {Promise<Run>}
 */
export async function perform(actions, bearer, progress, second = SECOND) {
  /** @type {ModerationResult[]} */
  const results = []
  while (results.length < actions.length && bearer() !== undefined) {
    progress(results.length, 0)
    /** @type {import('./api.js').Answer<ModerationResult>} */
    const answer = await call('POST', '/api/admin/moderate', { body: actions[results.length], bearer: bearer() })
    if (answer.ok) results.push(answer.body)
    else if (answer.code !== 'RATE_LIMITED') return { results, refused: answer }
    else
      for (let wait = Math.max(1, answer.retryAfter); wait > 0 && bearer() !== undefined; wait -= 1) {
        progress(results.length, wait)
        await new Promise(resolve => setTimeout(resolve, second))
      }
  }
  return { results }
}

/**
 * The actions that give the targets of earlier results their previous states.
 * @param {readonly ModerationResult[]} results newest first
 * @returns {ModerationInput[]}
 */
export const undoing = results =>
  results.flatMap(({ targetType, targetId, previousState, state, reason }) =>
    stepsBetween(state, previousState).map(action => ({
      targetType,
      targetId,
      action,
      reason: Array.from(UNDONE + reason)
        .slice(0, REASON)
        .join(''),
    })),
  )

/** The reason of an undo begins with this. */
const UNDONE = 'Undone: '

/**
 * The results of the newest run of an audit, newest first: its neighbouring rows with the same action and reason. Empty if the newest
 * change is an undo or an erasure.
 * @param {readonly ModerationResult[]} audit newest first
 * @returns {ModerationResult[]}
 */
export function lastRun(audit) {
  const changes = audit.filter(({ changed }) => changed)
  const [newest] = changes
  if (newest === undefined || newest.action === 'ERASE' || newest.reason.startsWith(UNDONE)) return []
  const end = changes.findIndex(
    ({ targetType, action, reason }) =>
      targetType !== newest.targetType || action !== newest.action || reason !== newest.reason,
  )
  return end < 0 ? changes : changes.slice(0, end)
}

/**
 * The ids of the rows that can be undone: the newest change of each target, unless it is an erasure.
 * @param {readonly ModerationResult[]} audit newest first
 * @returns {Set<string>}
 */
export function undoableIds(audit) {
  /** @type {Map<string, ModerationResult>} */
  const newest = new Map()
  for (const row of audit) {
    const target = `${row.targetType} ${row.targetId}`
    if (row.changed && !newest.has(target)) newest.set(target, row)
  }
  return new Set([...newest.values()].flatMap(({ id, action }) => (action === 'ERASE' ? [] : [id])))
}

/** The maximum length of a reason, in characters. */
const REASON = 1_000

/** @param {Flags} from @param {Flags} to @returns {ModerationInput['action'][]} */
function stepsBetween(from, to) {
  const restores = (from.hidden && !to.hidden) || (from.quarantined && !to.quarantined)
  const start = restores ? { ...from, hidden: false, quarantined: false } : from
  return [
    ...(restores ? /** @type {const} */ (['RESTORE']) : []),
    ...(to.hidden && !start.hidden ? /** @type {const} */ (['HIDE']) : []),
    ...(to.quarantined && !start.quarantined ? /** @type {const} */ (['QUARANTINE']) : []),
    ...(to.blocked === from.blocked
      ? []
      : [to.blocked ? /** @type {const} */ ('BLOCK') : /** @type {const} */ ('UNBLOCK')]),
  ]
}
