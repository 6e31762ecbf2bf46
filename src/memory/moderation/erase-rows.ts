import { type Reader, type Sql, sql, type Transaction } from '../../engine/database.ts'
import { findLogged, readErasures, readSalts } from '../../tlog/rows.ts'
import { commitmentOf, type RecordKind } from '../../tlog/rules/statement.ts'
import { SALT_BYTES } from '../../tlog/verify/entry.js'

/** A permanent record that can be erased. */
type ErasableRecord = { record: number; kind: RecordKind }

const RECORD: Sql = sql`
  SELECT number AS record, 'revision' AS kind FROM revision WHERE number = `

/** A revision, a piece of evidence, a relation or an act of moderation, by its record number. */
export const findRecord = (reader: Reader, number: number) =>
  reader.one<ErasableRecord>(sql`${RECORD}${number}
    UNION ALL SELECT number, 'evidence' FROM evidence WHERE number = ${number}
    UNION ALL SELECT number, 'relation' FROM relation WHERE number = ${number}
    UNION ALL SELECT number, 'moderation' FROM moderation WHERE number = ${number}`)

/** The records of an entry: its revisions, the evidence about it, the relations at it, and the acts of moderation of it except erasures. */
export const listRecordsOf = (reader: Reader, entry: number) =>
  reader.all<ErasableRecord>(sql`
    SELECT number AS record, 'revision' AS kind FROM revision WHERE entry = ${entry}
    UNION ALL SELECT number, 'evidence' FROM evidence WHERE entry = ${entry}
    UNION ALL SELECT relation, 'relation' FROM relation_end WHERE entry = ${entry}
    UNION ALL SELECT m.number, 'moderation' FROM entry e JOIN moderation m ON m.target_id = e.id
      WHERE e.number = ${entry} AND m.target_type = 'ENTRY' AND m.action <> 'ERASE'`)

/** Records whose rows are read at the same time. */
const AT_ONCE = 100

/**
 * Notes records as erased by an act, each with the commitment of its leaf. A record that the log does not have yet gets one from a salt that
 * is stored nowhere. Returns those that were not erased before.
 */
export async function noteErased(
  tx: Transaction,
  records: readonly ErasableRecord[],
  act: number,
  random: (size: number) => Uint8Array,
): Promise<ErasableRecord[]> {
  const noted: ErasableRecord[] = []
  const note = async ({ record, kind }: ErasableRecord): Promise<void> => {
    const range = { above: record - 1, upTo: record }
    if ((await readErasures(tx, range)).size > 0) return
    const [logged, saltOf] = await Promise.all([findLogged(tx, [], kind, record), readSalts(tx, range)])
    if (logged === undefined) return
    const commitment = commitmentOf(saltOf(record) ?? random(SALT_BYTES), logged.statement).toString('base64')
    await tx.run(sql`
      INSERT INTO erasure (record, kind, commitment, act) VALUES (${record}, ${kind}, ${commitment}, ${act})`)
    noted.push({ record, kind })
  }
  for (let at = 0; at < records.length; at += AT_ONCE) await Promise.all(records.slice(at, at + AT_ONCE).map(note))
  return noted
}

/** The records of a kind that an act erased. */
const erasedBy = (act: number, kind: RecordKind): Sql =>
  sql`SELECT x.record FROM erasure x WHERE x.act = ${act} AND x.kind = ${kind}`

/** The entries of the revisions and the evidence that an act erased. */
const entriesTouchedBy = (act: number): Sql => sql`
  SELECT r.entry FROM revision r WHERE r.number IN (${erasedBy(act, 'revision')})
  UNION ALL SELECT v.entry FROM evidence v WHERE v.number IN (${erasedBy(act, 'evidence')})`

/**
 * Destroys the salts and texts of the records that an act erased, the reports on their entries, and the appeals of erased acts. The hash of
 * a revision stays while the next revision has its text, because the hash of that one covers it.
 */
export async function destroyErased(tx: Transaction, act: number): Promise<void> {
  await tx.run(sql`DELETE FROM salt WHERE record IN (SELECT x.record FROM erasure x WHERE x.act = ${act})`)
  await tx.run(sql`
    UPDATE revision SET title = '', summary = '', content = '', rationale = '', sources = '[]', signals = 0
    WHERE number IN (${erasedBy(act, 'revision')})`)
  await tx.run(sql`
    UPDATE revision SET evidence_hash = '' WHERE title = '' AND entry IN (SELECT r.entry FROM revision r WHERE r.number IN (${erasedBy(act, 'revision')}))
      AND NOT EXISTS (SELECT 1 FROM revision n WHERE n.entry = revision.entry AND n.ordinal = revision.ordinal + 1 AND n.title <> '')`)
  await tx.run(sql`
    UPDATE evidence SET rationale = '', quote = NULL, observed_on = NULL WHERE number IN (${erasedBy(act, 'evidence')})`)
  await tx.run(sql`UPDATE relation SET rationale = '' WHERE number IN (${erasedBy(act, 'relation')})`)
  await tx.run(sql`UPDATE moderation SET reason = '' WHERE number IN (${erasedBy(act, 'moderation')})`)
  await tx.run(sql`UPDATE appeal SET rationale = '' WHERE act IN (${erasedBy(act, 'moderation')})`)
  await tx.run(sql`UPDATE report SET details = NULL, note = NULL WHERE entry IN (${entriesTouchedBy(act)})`)
}

/** The entries whose first revision and current revision are erased, at least one of them by an act, with their tags. */
export const listErasedEntries = (reader: Reader, act: number) =>
  reader.all<{ number: number; tags: string }>(sql`
    SELECT e.number, e.tags FROM entry e JOIN revision f ON f.number = e.number JOIN revision r ON r.number = e.revision
    WHERE e.number IN (SELECT v.entry FROM revision v WHERE v.number IN (${erasedBy(act, 'revision')})) AND f.title = '' AND r.title = ''`)

/** Destroys the slug and the tags of an erased entry, and the spelling of the topics that only it had. */
export async function destroyAddress(tx: Transaction, entry: number, topics: readonly string[]): Promise<void> {
  await tx.run(sql`UPDATE entry SET slug = ${` ${entry}`}, tags = '[]' WHERE number = ${entry}`)
  for (const key of topics) await tx.run(sql`DELETE FROM topic WHERE key = ${key} AND entries = 0`)
}

/** Hides the entry whose current revision is this record. */
export async function hideEntryOf(tx: Pick<Transaction, 'run'>, record: number): Promise<void> {
  await tx.run(sql`
    UPDATE entry SET hidden = 1 WHERE number = (SELECT r.entry FROM revision r WHERE r.number = ${record}) AND revision = ${record}`)
}

/** A line of the ledger of erasures. The id of the request that wrote the record tells it from another one that got its number later. */
export type LedgerRow = { record: number; requestId: string }

/** The erased records of a store. */
export const listLedger = (reader: Reader) =>
  reader.all<LedgerRow>(sql`
    SELECT x.record, s.request_id AS "requestId" FROM erasure x
      JOIN activity s ON s.revision = x.record AND s.subject IS NULL AND s.hour IS NULL WHERE x.kind = 'revision'
    UNION ALL SELECT x.record, s.request_id FROM erasure x JOIN activity s ON s.subject = x.record AND s.hour IS NULL
      WHERE x.kind IN ('evidence', 'relation')
    UNION ALL SELECT x.record, m.request_id FROM erasure x JOIN moderation m ON m.number = x.record WHERE x.kind = 'moderation'`)

/** The id of the request that wrote a record which is not erased. */
const findRequest = (reader: Reader, record: number) =>
  reader.one<{ id: string }>(sql`
    SELECT w.id FROM (
      SELECT s.request_id AS id FROM activity s WHERE s.revision = ${record} AND s.subject IS NULL AND s.hour IS NULL
      UNION ALL SELECT s.request_id FROM activity s WHERE s.subject = ${record} AND s.hour IS NULL
      UNION ALL SELECT m.request_id FROM moderation m WHERE m.number = ${record}) AS w
    WHERE NOT EXISTS (SELECT 1 FROM erasure x WHERE x.record = ${record})`)

/** The rows of a ledger whose record a store has and did not erase, in order. */
export async function findDue(reader: Reader, ledger: readonly LedgerRow[]): Promise<LedgerRow[]> {
  const due = new Map<number, LedgerRow>()
  for (const row of ledger) if ((await findRequest(reader, row.record))?.id === row.requestId) due.set(row.record, row)
  return [...due.values()].sort((one, other) => one.record - other.record)
}
