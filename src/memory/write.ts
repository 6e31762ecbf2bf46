import { OPERATIONS, type Operation, type OperationName } from '../contract/operations.ts'
import { Problem } from '../contract/problem.ts'
import type { Action, CooldownAction } from '../contract/vocabulary.ts'
import type { Reader, Transaction } from '../engine/database.ts'
import { appendActivity } from './activity/rows.ts'
import {
  type ActorRow,
  findActor,
  insertOrigin,
  type OriginKeys,
  observeActor,
  type RequestOrigin,
  readRequestOrigin,
} from './actors/rows.ts'
import { assertMayWrite, RECURRENT_FROM } from './actors/rules.ts'
import { type EntryRow, findEntry } from './entries/rows.ts'
import { addToHead, type Totals } from './head-rows.ts'
import { beginCooldown, findCooldown } from './limits/rows.ts'
import { assertCooledDown, cooldownLeft } from './limits/rules.ts'
import type { Caller, Context } from './operation.ts'

/** The sender of a write: the actor of the token, if one was sent, and the origin; null for the operator's command line. */
type Sender = { actor: ActorRow | undefined; origin: RequestOrigin | null; requestId: string }
export type Writer = Sender & { actor: ActorRow }

/**
 * The first step of a write that requires a token. Checks that the actor and its origin may write and that the cooldown of each of its
 * actions is over. Runs `read` concurrently, which reads what the write needs. If both fail, the error of the check is thrown, so that a
 * refused sender cannot infer what was read.
 */
export async function beginWrite<T>(
  tx: Transaction,
  context: Context,
  caller: Caller,
  actions: readonly Action[],
  read: () => Promise<T>,
): Promise<[Writer, T]> {
  // Writes of one actor run one after another, so that each sees the cooldown of the previous one.
  if (context.cooldown > 0 && caller.actor !== null) await tx.lock(`actor ${caller.actor}`)
  return inOrder([findWriter(tx, caller, context.cooldown > 0 ? actions : [], context), read()])
}

/**
 * The first step of a write that needs no token: checks that the actor, if a token was sent, and the origin may write and that the cooldown
 * of the network is over. `cool` begins the next cooldown.
 */
export async function beginAnonymousWrite(
  tx: Transaction,
  context: Context,
  caller: Caller,
  action: CooldownAction,
): Promise<{ sender: Sender; cool(): Promise<void> }> {
  const sender = await findSender(tx, caller)
  if (caller.origin === null || context.cooldown === 0) return { sender, cool: async () => {} }
  const subject = networkSubject(caller.origin)
  await tx.lock(subject)
  assertCooledDown(await findCooldown(tx, subject, action), context.cooldown, context.now)
  return { sender, cool: () => beginCooldown(tx, subject, action, context.now) }
}

/**
 * Waits until all promises are settled, so that no work continues after the return. Returns their results, or throws the error of the first
 * rejected promise in the given order.
 */
export async function inOrder<T extends unknown[]>(works: { [K in keyof T]: Promise<T[K]> }): Promise<T> {
  const results: unknown[] = []
  for (const one of await Promise.allSettled(works)) {
    if (one.status === 'rejected') throw one.reason
    results.push(one.value)
  }
  return results as T
}

/**
 * Returns the actor of the token, if one was sent, and the origin of the request, if both may write. Throws ACTOR_TOKEN_INVALID if the
 * token was replaced since the request was admitted.
 */
async function findSender(reader: Reader, caller: Caller): Promise<Sender> {
  const [actor, origin] = await Promise.all([
    caller.actor === null ? undefined : findActor(reader, caller.actor),
    caller.origin === null ? null : readRequestOrigin(reader, caller.origin),
  ])
  if (caller.tokenHash !== undefined && caller.tokenHash !== actor?.token_hash) throw new Problem('ACTOR_TOKEN_INVALID')
  assertMayWrite(actor, origin ?? { blocked: 0, quarantined: 0 })
  return { actor, origin, requestId: caller.requestId }
}

/** The same for operations that require a token. Throws COOLDOWN if the cooldown of one of the actions is not over. */
export async function findWriter(
  reader: Reader,
  caller: Caller,
  actions: readonly Action[],
  { cooldown, now }: Pick<Context, 'cooldown' | 'now'>,
): Promise<Writer> {
  const { actor, origin, requestId } = await findSender(reader, caller)
  if (actor === undefined) throw new Problem('ACTOR_TOKEN_REQUIRED')
  for (const action of actions)
    assertCooledDown(await findCooldown(reader, actorSubject(actor.number), action), cooldown, now)
  return { actor, origin, requestId }
}

/**
 * Returns the number of the origin of a write, and inserts the origin if it is new. An operation calls this after all checks and before its
 * first other change, so that a refused write stores nothing.
 */
export const takeOrigin = async (tx: Transaction, { origin }: Sender): Promise<number | null> =>
  origin === null ? null : (origin.number ?? insertOrigin(tx, origin.keys))

type WriteRecord = {
  action: Action
  entry: number
  revision: number | null
  subject: number | null
  /** The target entry of a relation. */
  target?: number
  origin: number | null
  at: number
}

/**
 * Finds the entries of these ids or slugs, and locks them until the unit of work ends. Locks are taken in the order of entry numbers, so
 * that two writes cannot deadlock.
 */
export async function lockEntries(tx: Transaction, addresses: readonly string[]): Promise<(EntryRow | undefined)[]> {
  const find = (address: string) => findEntry(tx, address)
  const found = await Promise.all(addresses.map(find))
  const numbers = new Set<number>()
  for (const entry of found) if (entry !== undefined) numbers.add(entry.number)
  let waited = false
  for (const number of [...numbers].sort((a, b) => a - b)) waited = (await tx.lock(`entry ${number}`)) || waited
  return waited ? Promise.all(addresses.map(find)) : found
}

/** The last step of every write: appends the activity row, counts the actor and the totals, begins the cooldown. */
export async function endWrite(
  tx: Transaction,
  context: Context,
  writer: Writer,
  written: WriteRecord,
  totals: Partial<Totals>,
): Promise<void> {
  const { actor, requestId } = writer
  const isExternal = actor.data_class === 'EXTERNAL'
  const isRecurrent = (await observeActor(tx, actor, 1, written.at)) === RECURRENT_FROM
  const counted = isExternal ? { ...totals, interactions: 1, recurrent_actors: isRecurrent ? 1 : 0 } : {}
  const { sequence } = await addToHead(tx, { ...counted, sequence: 1 })
  const of = { actor: actor.number, dataClass: actor.data_class, requestId }
  await Promise.all([
    appendActivity(tx, { ...written, ...of, sequence, metadata: null, hour: null }),
    context.cooldown > 0 ? beginCooldown(tx, actorSubject(actor.number), written.action, context.now) : undefined,
  ])
}

/** Whole seconds until the caller has no cooldown for an operation: the longest one, if it has several possible actions. */
export async function cooldownWait(
  reader: Reader,
  name: OperationName,
  { actor, origin }: Pick<Caller, 'actor' | 'origin'>,
  { cooldown, at }: Pick<Context, 'cooldown' | 'at'>,
): Promise<number> {
  const { access, cooldown: actions = [] } = OPERATIONS[name] as Operation
  const network = origin === null ? null : networkSubject(origin)
  const subject = access !== 'actor' ? network : actor === null ? null : actorSubject(actor)
  if (subject === null) return 0
  let wait = 0
  for (const action of actions) {
    wait = Math.max(wait, cooldownLeft(await findCooldown(reader, subject, action), cooldown, at))
  }
  return Math.ceil(wait / 1_000)
}

const actorSubject = (actor: number): string => `actor:${actor}`
const networkSubject = ({ networkKey }: OriginKeys): string => `network:${networkKey}`
