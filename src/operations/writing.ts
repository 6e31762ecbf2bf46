import { Problem } from '../contract/problem.ts'
import { type Action, CHANGE_TYPES } from '../contract/words.ts'
import type { Reader, Transaction } from '../database/database.ts'
import { assertMayWrite, RECURRENT_FROM } from '../domain/actor.ts'
import { assertCooledDown, cooldownLeft } from '../domain/cooldown.ts'
import { appendActivity, type NewActivity } from '../store/activity.ts'
import { type ActorRow, findActor, observeActor } from '../store/actor.ts'
import { type EntryRow, findEntry } from '../store/entry.ts'
import { addToTotals, type Totals, takeSequence } from '../store/head.ts'
import { beginCooldown, type CooledAction, findCooldown } from '../store/limit.ts'
import { ensureOrigin, type RequestOrigin, readRequestOrigin } from '../store/origin.ts'
import type { Caller, Context } from './operation.ts'

/** Who writes: the actor of the token, if one was sent, and the origin of the request; null for the operator's command line. */
export type Sender = { actor: ActorRow | undefined; origin: RequestOrigin | null; requestId: string }
export type Writer = Sender & { actor: ActorRow }

/**
 * What every write begins with: the actor and its origin may write, and the last write of this kind is long enough ago.
 * Beside that it reads what the write needs; who may not write learns nothing of it.
 */
export const beginWrite = <T>(
  tx: Transaction,
  context: Context,
  caller: Caller,
  action: Action,
  read: () => Promise<T>,
): Promise<[Writer, T]> => beginWrites(tx, context, caller, [action], read)

/** The same where one request makes writes of several kinds. */
export async function beginWrites<T>(
  tx: Transaction,
  context: Context,
  caller: Caller,
  actions: readonly Action[],
  read: () => Promise<T>,
): Promise<[Writer, T]> {
  // With a cooldown, two writes of one actor must see each other; without one they have nothing to do with each other.
  if (context.cooldown > 0 && caller.actor !== null) await tx.lock(`actor ${caller.actor}`)
  return inOrder([findCooledWriter(tx, context, caller, actions), read()])
}

async function findCooledWriter(
  tx: Transaction,
  context: Context,
  caller: Caller,
  actions: readonly Action[],
): Promise<Writer> {
  const writer = await findWriter(tx, caller)
  for (const action of context.cooldown > 0 ? actions : []) {
    assertCooledDown(await findCooldown(tx, cooldownSubject(writer.actor), action), context.cooldown, context.now)
  }
  return writer
}

/** Gives what all of these come to, or throws the error of the first that failed, once all have ended: nothing goes on behind a work that is over. */
export async function inOrder<T extends unknown[]>(works: { [K in keyof T]: Promise<T[K]> }): Promise<T> {
  const settled = await Promise.allSettled(works)
  return settled.map(one => {
    if (one.status === 'rejected') throw one.reason
    return one.value
  }) as T
}

/**
 * The actor of the token, if one was sent, and the origin of the request, which may write. Throws ACTOR_TOKEN_INVALID where
 * the token was replaced since the request was admitted.
 */
export async function findSender(reader: Reader, caller: Caller): Promise<Sender> {
  const [actor, origin] = await Promise.all([
    caller.actor === null ? undefined : findActor(reader, caller.actor),
    caller.origin === null ? null : readRequestOrigin(reader, caller.origin),
  ])
  if (caller.tokenHash !== undefined && caller.tokenHash !== actor?.token_hash) throw new Problem('ACTOR_TOKEN_INVALID')
  assertMayWrite(actor, origin ?? { blocked: 0, quarantined: 0 })
  return { actor, origin, requestId: caller.requestId }
}

/** The same where a token is due. */
export async function findWriter(reader: Reader, caller: Caller): Promise<Writer> {
  const { actor, ...rest } = await findSender(reader, caller)
  if (actor === undefined) throw new Problem('ACTOR_TOKEN_REQUIRED')
  return { ...rest, actor }
}

/**
 * The number of the origin of a write, whose row is inserted if it is new. An operation calls this after all that can refuse the write
 * and before its first other statement that changes something: a refused write writes nothing.
 */
export const takeOrigin = async (tx: Transaction, { origin }: Sender): Promise<number | null> =>
  origin === null ? null : ensureOrigin(tx, origin)

type Written = {
  action: Action
  entry: number
  revision: number | null
  subject: number | null
  /** The entry that a relation leads to. */
  target?: number
  origin: number | null
  at: number
}

/** Finds the entries of these addresses as they stay until this work has ended. */
export async function lockEntries(tx: Transaction, addresses: readonly string[]): Promise<(EntryRow | undefined)[]> {
  const find = () => Promise.all(addresses.map(address => findEntry(tx, address)))
  const found = await find()
  const numbers = new Set(found.flatMap(entry => (entry === undefined ? [] : [entry.number])))
  let waited = false
  for (const number of [...numbers].sort((a, b) => a - b)) waited = (await tx.lock(`entry ${number}`)) || waited
  return waited ? find() : found
}

/** What every write ends with: its activity row, its author observed, the totals, the cooldown begun. */
export async function endWrite(
  tx: Transaction,
  context: Context,
  writer: Writer,
  written: Written,
  totals: Partial<Totals>,
): Promise<void> {
  const { actor } = writer
  const row: NewActivity = {
    ...written,
    sequence: await takeSequence(tx),
    actor: actor.number,
    requestId: writer.requestId,
    metadata: null,
    dataClass: actor.data_class,
    hour: null,
  }
  const observations = await observeActor(tx, actor, 1, written.at)
  if (actor.data_class === 'EXTERNAL') {
    await addToTotals(tx, { ...totals, interactions: 1, recurrent_actors: observations === RECURRENT_FROM ? 1 : 0 })
  }
  await Promise.all([
    appendActivity(tx, row),
    context.cooldown > 0 ? beginCooldown(tx, cooldownSubject(actor), written.action, context.now) : undefined,
  ])
}

/** The actions that a write operation may be; which change a revision makes stands in its body. */
const ACTIONS_OF: Record<string, readonly CooledAction[]> = {
  createActor: ['ACTOR'],
  createReport: ['REPORT'],
  createEntry: ['CREATE'],
  reviseEntry: CHANGE_TYPES,
  verifyRevision: ['VERIFY'],
  contradictRevision: ['CONTRADICT'],
  recordEvidence: ['VERIFY', 'CONTRADICT'],
  relateEntries: ['CONNECT'],
}

/** Whether a write operation begins a cooldown. */
export const coolsDown = (name: string): boolean => name in ACTIONS_OF

/** Whole seconds until no cooldown stands in the way of a write operation of this caller: the longest, where it may be several actions. */
export async function cooldownWait(
  reader: Reader,
  name: string,
  caller: Pick<Caller, 'actor' | 'origin'>,
  { cooldown, at }: Pick<Context, 'cooldown' | 'at'>,
): Promise<number> {
  const { actor, origin } = caller
  const subject =
    name === 'createActor' || name === 'createReport'
      ? networkSubject(origin?.networkKey ?? '')
      : cooldownSubject({ number: actor ?? 0 })
  let wait = 0
  for (const action of ACTIONS_OF[name] ?? []) {
    wait = Math.max(wait, cooldownLeft(await findCooldown(reader, subject, action), cooldown, at))
  }
  return Math.ceil(wait / 1_000)
}

const cooldownSubject = (actor: Pick<ActorRow, 'number'>): string => `actor:${actor.number}`

/** What needs no token cools down by network. */
export const networkSubject = (networkKey: string): string => `network:${networkKey}`
