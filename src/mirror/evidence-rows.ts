import { type Awaitable, sql, type Transaction } from '../engine/database.ts'
import { updateEvidenceModerated } from '../memory/moderation/rows.ts'
import { findRevisionBefore } from './rows.ts'

/** The state of a record before it was restored. */
type Before = { withdrawn: number }

type EvidenceFields = {
  rationale: string
  quote: string | null
  observedOn: string | null
  originGroup: number
  own: boolean
}

/** Restores the text of a piece of evidence and shows it. Returns its state before; undefined if the store does not have it. */
export async function restoreEvidence(
  tx: Transaction,
  number: number,
  { rationale, quote, observedOn, originGroup, own }: EvidenceFields,
): Promise<Before | undefined> {
  const before = await tx.one<Before>(sql`SELECT withdrawn FROM evidence WHERE number = ${number}`)
  if (before !== undefined) {
    await tx.run(sql`
      UPDATE evidence SET rationale = ${rationale}, quote = ${quote}, observed_on = ${observedOn}, withdrawn = 0,
        origin_group = ${originGroup}, own = ${own ? 1 : 0}
      WHERE number = ${number}`)
  }
  return before
}

/** Erases the texts of a piece of evidence, and withdraws it if it was withdrawn `alone`. */
export async function eraseEvidence(tx: Transaction, number: number, { alone }: { alone: boolean }): Promise<void> {
  await tx.run(sql`
    UPDATE evidence SET rationale = '', quote = NULL, observed_on = NULL, withdrawn = ${alone ? 1 : 0} WHERE number = ${number}`)
}

type RelationFields = {
  id: string
  relationType: string
  actor: number
  rationale: string
  at: number
  originGroup: number
  own: boolean
}

/** Restores a relation and shows it. Returns its state before; undefined if the store does not have it. */
export async function restoreRelation(
  tx: Transaction,
  number: number,
  fields: RelationFields,
): Promise<Before | undefined> {
  const before = await tx.one<Before & { source_entry: number; target_entry: number }>(
    sql`SELECT withdrawn, source_entry, target_entry FROM relation WHERE number = ${number}`,
  )
  if (before === undefined) return undefined
  const [source, target] = [
    await findRevisionBefore(tx, before.source_entry, number),
    await findRevisionBefore(tx, before.target_entry, number),
  ]
  await tx.run(sql`
    UPDATE relation SET id = ${fields.id}, relation_type = ${fields.relationType}, actor = ${fields.actor}, rationale = ${fields.rationale},
      created_at = ${fields.at}, origin_group = ${fields.originGroup}, own = ${fields.own ? 1 : 0}, source_revision = ${source}, target_revision = ${target}, withdrawn = 0
    WHERE number = ${number}`)
  return before
}

/**
 * Erases the text of a relation. Returns the type and the entry that it may have judged; undefined if the store does not have
 * it.
 */
export const eraseRelation = (
  tx: Transaction,
  number: number,
): Awaitable<{ entry: number; relation_type: string } | undefined> =>
  tx.one(sql`
    UPDATE relation SET rationale = '', withdrawn = 1 WHERE number = ${number}
    RETURNING target_entry AS entry, relation_type`)

/** Stores the act of moderation that withdrew or restored evidence about an entry, unless a later act is stored. */
export const markModerated = (tx: Transaction, entry: number, act: number): Promise<void> =>
  updateEvidenceModerated(tx, sql`${entry}`, act)
