import type { ExportLine } from '../contract/resources.ts'
import { type Loadable, only, type Reader, type Sql, sql, type Transaction } from '../engine/database.ts'
import { servedSince } from './values.ts'

/** Counters of the head row: the totals of public EXTERNAL resources that stats show. */
export type Totals = {
  entries: number
  revisions: number
  verifications: number
  contradictions: number
  relations: number
  interactions: number
  observed_actors: number
  recurrent_actors: number
}
/** Records above one number and up to another. */
export type RecordRange = { above: number; upTo: number }

export type Head = Totals & { store_id: string; sequence: number; record: number }

export async function readHead(reader: Reader): Promise<Head> {
  return only(
    await reader.one<Head>(sql`SELECT store_id, sequence, record, entries, revisions,
    verifications, contradictions, relations, interactions, observed_actors, recurrent_actors FROM head`),
  )
}

/** The totals as they are served. */
export const toTotals = (head: Totals): NonNullable<ExportLine['head']>['totals'] => ({
  externalInteractions: head.interactions,
  observedActors: head.observed_actors,
  recurrentActors: head.recurrent_actors,
  entries: head.entries,
  revisions: head.revisions,
  verifications: head.verifications,
  contradictions: head.contradictions,
  relations: head.relations,
})

/** The numbers of the newest permanent record and of the newest activity. */
export const NEWEST_RECORD: Sql = sql`SELECT record, sequence FROM head`

/**
 * Added to the sequence of a restored store, and of a PostgreSQL that was replaced by another one or by an earlier state of itself. Such a
 * store may lack numbers that were assigned. No store accepts this many writes between a backup and its loss.
 */
export const SEQUENCE_GAP = 1_000_000_000

/** The epoch of a store in which a sequence was assigned. In another epoch the same record numbers may belong to other records. */
export const storeEpochOf = (sequence: number): number => Math.floor(sequence / SEQUENCE_GAP)

/**
 * The number of the newest permanent record, and the epoch of the store. A new epoch begins when a database is replaced by an earlier state
 * of itself; in it, the same numbers may name other records.
 */
export type Newest = { record: number; storeEpoch: number }

/** How long the service has run, in milliseconds, at the last count: up to a minute ago. */
export const readServed = async (reader: Reader): Promise<number> =>
  only(await reader.one<{ served: number }>(sql`SELECT served FROM head`)).served

/** Adds the milliseconds `ran` that this process has run since its last count. Returns how long the service has run, in milliseconds. */
export async function addServed(tx: Transaction, clock: number, ran: number): Promise<number> {
  const row = only(await tx.one<{ served: number; served_at: number }>(sql`SELECT served, served_at FROM head`))
  const served = row.served + Math.round(servedSince(row.served_at, clock, ran))
  await tx.run(sql`UPDATE head SET served = ${served}, served_at = ${clock}`)
  return served
}

export async function insertHead(tx: Pick<Transaction, 'run'>, storeId: string): Promise<void> {
  await tx.run(sql`INSERT INTO head (one, store_id) VALUES (1, ${storeId})`)
}

/**
 * Sets a new identity for a copied store and adds `gap` to its sequence: the lost store may have assigned numbers after the copy was made.
 */
export async function renewHead(tx: Pick<Transaction, 'run'>, storeId: string, gap: number): Promise<void> {
  await tx.run(sql`UPDATE head SET store_id = ${storeId}, sequence = sequence + ${gap}`)
}

/** The head row, loaded and written once by each transaction that changes it. */
export const HEAD: Loadable<Head> = {
  load: readHead,
  save: (tx, head) =>
    tx.run(sql`UPDATE head SET sequence = ${head.sequence}, record = ${head.record},
      entries = ${head.entries}, revisions = ${head.revisions}, verifications = ${head.verifications},
      contradictions = ${head.contradictions}, relations = ${head.relations}, interactions = ${head.interactions},
      observed_actors = ${head.observed_actors}, recurrent_actors = ${head.recurrent_actors}`),
}

/** Adds to the counters of the head; those left out stay as they are. Returns the sequence and the record number after that. */
export async function addToHead(
  tx: Transaction,
  by: Partial<Omit<Head, 'store_id'>>,
): Promise<Pick<Head, 'sequence' | 'record'>> {
  const head = await tx.load(HEAD)
  for (const [name, count] of Object.entries(by) as [keyof typeof by, number][]) head[name] += count
  // Other units of work of the group may change the head before the caller continues.
  const { sequence, record } = head
  return { sequence, record }
}

/** Writes the head unchanged. Fails if the store does not accept writes. */
export async function rewriteHead(tx: Transaction): Promise<void> {
  await tx.load(HEAD)
}
