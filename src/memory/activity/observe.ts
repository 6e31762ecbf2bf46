import { TAG_PATTERN } from '../../contract/schema.ts'
import type { Sort } from '../../contract/vocabulary.ts'
import type { Awaitable, Transaction } from '../../engine/database.ts'
import {
  type ActorRow,
  countAnonymousActor,
  findActor,
  findAnonymousActor,
  insertActor,
  insertOrigin,
  type OriginKeys,
  type OriginRow,
  observeActor,
  readAnonymousActors,
  readRequestOrigin,
} from '../actors/rows.ts'
import { RECURRENT_FROM } from '../actors/rules.ts'
import { isEntryWithdrawn } from '../entries/rows.ts'
import { addToHead } from '../head-rows.ts'
import type { Context, Observed } from '../operation.ts'
import { HOUR } from '../values.ts'
import { addReaders, type EntryReader, insertReader, isReader } from '../work/rows.ts'
import { inOrder } from '../write.ts'
import { appendActivity, isUnobserved } from './rows.ts'

/** Anonymous actors per origin and day; further User-Agents share one record, so that they cannot fill the disk. */
const ANONYMOUS_ACTORS_MAX = 64

/** Reads or searches of one actor, entry and hour, counted together. */
export type Observation = Observed & {
  actor: number | null
  origin: OriginKeys
  /** Digest of the User-Agent. Together with the origin it identifies an anonymous actor. */
  userAgent: string
  requestId: string
  /** Times of the first and the last observation, in milliseconds. */
  at: number
  lastAt: number
  times: number
  /** Whether the row of its hour is stored already, so that it is only counted. */
  counted: boolean
}

/** Stores a batch of observations: an activity row for the first of each actor, action, entry and clock hour, and counters for all. */
export async function recordObservations(
  tx: Transaction,
  context: Context,
  observations: readonly Observation[],
): Promise<void> {
  // The actor of a counted observation is stored, except in a store that was replaced by an earlier state of itself.
  const finding: Awaitable<ActorRow | undefined>[] = []
  for (const { counted, actor, origin, userAgent } of observations) {
    if (!counted) finding.push(undefined)
    else finding.push(actor === null ? findAnonymousActor(tx, `${origin.id}:${userAgent}`) : findActor(tx, actor))
  }
  const known: Counted[] = []
  const others: Observation[] = []
  for (const [at, actor] of (await Promise.all(finding)).entries()) {
    const one = observations[at] as Observation
    if (actor === undefined) others.push(one)
    else known.push({ actor, times: one.times, lastAt: one.lastAt })
  }
  if (others.length > 0) known.push(...(await appendObservations(tx, context, others)))
  await countObservations(tx, known)
}

/** Appends the rows of observations that have none yet, and counts the readers. Returns the observations with their actors. */
async function appendObservations(
  tx: Transaction,
  context: Context,
  observations: readonly Observation[],
): Promise<ActorObservation[]> {
  const known = await withActors(tx, context, observations)
  const appended = new Set<string>()
  const [isNew, isGone]: [Awaitable<boolean>[], Awaitable<boolean>[]] = [[], []]
  for (const { action, entry, at, actor } of known) {
    isNew.push(isUnobserved(tx, Math.floor(at / HOUR), actor.number, action, entry))
    // An entry may have been withdrawn since it was read.
    isGone.push(entry !== null && isEntryWithdrawn(tx, entry))
  }
  const [fresh, gone] = await inOrder([Promise.all(isNew), Promise.all(isGone)])
  const [rows, shown]: [Promise<void>[], ActorObservation[]] = [[], []]
  for (const [index, one] of known.entries()) {
    const { actor, origin, action, entry, revision, requestId, metadata, at } = one
    const withdrawn = gone[index] === true || actor.quarantined === 1 || origin.quarantined === 1
    const hour = Math.floor(at / HOUR)
    const name = `${hour} ${actor.number} ${action} ${entry}`
    if (!fresh[index] || appended.has(name)) continue
    appended.add(name)
    if (!withdrawn) shown.push(one)
    const { sequence } = await addToHead(tx, { sequence: 1 })
    rows.push(
      appendActivity(tx, {
        ...{ sequence, action, entry, revision, requestId, metadata, hour, withdrawn },
        actor: actor.number,
        origin: origin.number,
        subject: null,
        dataClass: actor.data_class,
        // Rows are in the order of their sequence, so their times must be too.
        at: context.at,
      }),
    )
  }
  await Promise.all(rows)
  await countReaders(tx, shown)
  return known
}

/** How often an actor was observed, and when last. */
type Counted = Pick<Observation, 'times' | 'lastAt'> & { actor: ActorRow }
type ActorObservation = Omit<Observation, 'actor' | 'origin'> & {
  actor: ActorRow
  day: string
  origin: Pick<OriginRow, 'number' | 'quarantined'>
}

/** The observations with the rows of their actors, which are inserted if they are new. */
async function withActors(
  tx: Transaction,
  context: Context,
  observations: readonly Observation[],
): Promise<ActorObservation[]> {
  const origins = new Map<string, Promise<ActorObservation['origin']>>()
  const actors = new Map<string, Promise<ActorRow | undefined>>()
  // Actors of one origin are inserted one after another, because they are counted.
  const making = new Map<number, Promise<ActorRow>>()
  const seen: Promise<[ActorRow | undefined, ActorObservation['origin']]>[] = []
  for (const observation of observations) {
    const { id } = observation.origin
    const origin = origins.get(id) ?? ensureOrigin(tx, observation.origin)
    origins.set(id, origin)
    const name = observation.actor === null ? `${id}:${observation.userAgent}` : String(observation.actor)
    const actor = actors.get(name) ?? ensureActor(tx, context, observation, name, origin, making)
    actors.set(name, actor)
    seen.push(Promise.all([actor, origin]))
  }
  const known: ActorObservation[] = []
  for (const [at, [actor, origin]] of (await Promise.all(seen)).entries()) {
    const observation = observations[at] as Observation
    if (actor !== undefined) known.push({ ...observation, actor, origin, day: observation.origin.day })
  }
  return known
}

async function ensureOrigin(tx: Transaction, keys: OriginKeys): Promise<ActorObservation['origin']> {
  const { number, quarantined } = await readRequestOrigin(tx, keys)
  return { number: number ?? (await insertOrigin(tx, keys)), quarantined }
}

/** The actor of an observation. `name` is its number, or the key of an anonymous actor, which is inserted if it is new. */
async function ensureActor(
  tx: Transaction,
  context: Context,
  observation: Observation,
  name: string,
  origin: Promise<ActorObservation['origin']>,
  making: Map<number, Promise<ActorRow>>,
): Promise<ActorRow | undefined> {
  const { number } = await origin
  if (observation.actor !== null) return findActor(tx, observation.actor)
  const known = await findAnonymousActor(tx, name)
  if (known !== undefined) return known
  const made = Promise.resolve(making.get(number)).then(() => makeAnonymous(tx, context, observation, name, number))
  making.set(number, made)
  return made
}

/** Counts the networks that read an entry, each once a day. */
async function countReaders(tx: Transaction, shown: readonly ActorObservation[]): Promise<void> {
  const readers = new Map<string, EntryReader>()
  for (const { action, actor, origin, day, entry } of shown) {
    if (action !== 'READ' || entry === null || actor.data_class !== 'EXTERNAL') continue
    readers.set(`${day} ${entry} ${origin.number}`, { day, entry, origin: origin.number })
  }
  const all = [...readers.values()]
  const counted = await Promise.all(all.map(one => isReader(tx, one)))
  const fresh = all.filter((_, index) => !counted[index])
  await Promise.all(fresh.map(one => insertReader(tx, one)))
  const entries = Map.groupBy(fresh, ({ entry }) => entry)
  await Promise.all([...entries].map(([entry, { length }]) => addReaders(tx, entry, length)))
}

/** Counts observations for their actors and the totals. */
async function countObservations(tx: Transaction, known: readonly Counted[]): Promise<void> {
  const counted = new Map<number, Counted>()
  for (const { actor, times, lastAt } of known) {
    const one = counted.get(actor.number)
    if (one === undefined) counted.set(actor.number, { actor, times, lastAt })
    else {
      one.times += times
      one.lastAt = Math.max(one.lastAt, lastAt)
    }
  }
  for (const { actor, times, lastAt } of counted.values()) {
    const now = await observeActor(tx, actor, times, lastAt)
    if (actor.data_class !== 'EXTERNAL') continue
    await addToHead(tx, {
      interactions: times,
      recurrent_actors: now >= RECURRENT_FROM && now - times < RECURRENT_FROM ? 1 : 0,
    })
  }
}

/** Inserts the anonymous actor of an origin and a User-Agent. If the origin has too many, returns the actor that the others share. */
async function makeAnonymous(
  tx: Transaction,
  context: Context,
  observation: Observation,
  name: string,
  origin: number,
): Promise<ActorRow> {
  const full = (await readAnonymousActors(tx, origin)) >= ANONYMOUS_ACTORS_MAX
  const anonymousKey = full ? `${observation.origin.id}:shared` : name
  const shared = full ? await findAnonymousActor(tx, anonymousKey) : undefined
  if (shared !== undefined) return shared
  await countAnonymousActor(tx, origin)
  await addToHead(tx, { observed_actors: 1 })
  return insertActor(tx, {
    id: context.newId(),
    actorType: 'UNKNOWN',
    declared: { name: null, model: null, provider: null },
    dataClass: 'EXTERNAL',
    tokenHash: null,
    anonymousKey,
    origin,
    at: observation.at,
  })
}

const TAG = new RegExp(TAG_PATTERN, 'u')

/**
 * The observation of a search for the public feed. It never contains the words of the search. It contains the tag only if an entry can have
 * that tag, because other texts may be an address or a token of the caller.
 */
export const observedSearch = (resultCount: number, sort: Sort, tag = ''): Observed => ({
  action: 'SEARCH',
  entry: null,
  revision: null,
  metadata: { resultCount, tag: TAG.test(tag) ? tag : null, sort },
})
