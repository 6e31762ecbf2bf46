import type { Reader, Transaction } from '../database/database.ts'
import { sql } from '../database/sql.ts'

/** What the one head row counts: the two dense numbers, and the totals that stats show of what is public and EXTERNAL. */
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
export type Head = Totals & { store_id: string; sequence: number; record: number }

export async function readHead(reader: Reader): Promise<Head> {
  const head = await reader.one<Head>(sql`SELECT * FROM head`)
  if (head === undefined) throw new Error('The store has no head row.')
  return head
}

export async function insertHead(tx: Transaction, storeId: string): Promise<void> {
  await tx.run(sql`INSERT INTO head (one, store_id) VALUES (1, ${storeId})`)
}

/**
 * Makes a copy of a store one of its own: a new identity, and a sequence `gap` further on, above any that the lost store can have
 * given out after it was copied.
 */
export async function renewHead(tx: Transaction, storeId: string, gap: number): Promise<void> {
  await tx.run(sql`UPDATE head SET store_id = ${storeId}, sequence = sequence + ${gap}`)
}

/** Takes the next record number and the next sequence number. */
export async function takeNumbers(
  tx: Transaction,
  take: { record: 0 | 1; sequence: 0 | 1 },
): Promise<Pick<Head, 'record' | 'sequence'>> {
  const head = await tx.one<Pick<Head, 'record' | 'sequence'>>(
    sql`UPDATE head SET record = record + ${take.record}, sequence = sequence + ${take.sequence} RETURNING record, sequence`,
  )
  if (head === undefined) throw new Error('The store has no head row.')
  return head
}

/** Adds to the totals; members left out stay as they are. */
export async function addToTotals(tx: Transaction, by: Partial<Totals>): Promise<void> {
  await tx.run(sql`UPDATE head SET
    entries = entries + ${by.entries ?? 0}, revisions = revisions + ${by.revisions ?? 0},
    verifications = verifications + ${by.verifications ?? 0}, contradictions = contradictions + ${by.contradictions ?? 0},
    relations = relations + ${by.relations ?? 0}, interactions = interactions + ${by.interactions ?? 0},
    observed_actors = observed_actors + ${by.observed_actors ?? 0}, recurrent_actors = recurrent_actors + ${by.recurrent_actors ?? 0}`)
}
