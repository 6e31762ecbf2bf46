import { only, type Reader, sql, type Transaction } from '../../engine/database.ts'

/**
 * The sealed answer to a write, with the digests of its caller and key (`id`) and of the request (`request`). `served` is how long the
 * service had run, in milliseconds.
 */
type StoredAnswerRow = { id: string; request: string; answer: string; created_at: number; served: number }

export const findStoredAnswer = (reader: Reader, id: string) =>
  reader.one<Pick<StoredAnswerRow, 'request' | 'answer'>>(sql`SELECT request, answer FROM retry WHERE id = ${id}`)

export async function insertStoredAnswer(
  tx: Transaction,
  { id, request, answer, created_at, served }: StoredAnswerRow,
): Promise<void> {
  await tx.run(
    sql`INSERT INTO retry (id, request, answer, created_at, served) VALUES (${id}, ${request}, ${answer}, ${created_at}, ${served})`,
  )
}

type Shown = { text: string }

/** A text of what a member of an answer shows: an entry, a judgement, a relation, an act of moderation or a report. It is empty if erased. */
function findShown(reader: Reader, named: Named) {
  const { id, currentRevisionId, revisionId, sourceEntryId, relationType, action, targetId, details } = named
  if (currentRevisionId !== undefined)
    return reader.one<Shown>(sql`SELECT title AS text FROM revision WHERE id = ${currentRevisionId}`)
  if (relationType !== undefined)
    return reader.one<Shown>(sql`
      SELECT l.rationale AS text FROM entry e JOIN relation_end x ON x.entry = e.number JOIN relation l ON l.number = x.relation
      WHERE e.id = ${sourceEntryId ?? ''} AND l.id = ${id ?? ''}`)
  if (revisionId !== undefined)
    return reader.one<Shown>(sql`SELECT rationale AS text FROM evidence WHERE id = ${id ?? ''}`)
  if (action !== undefined)
    return reader.one<Shown>(
      sql`SELECT reason AS text FROM moderation WHERE target_id = ${targetId ?? ''} AND id = ${id ?? ''}`,
    )
  if (details !== undefined)
    return reader.one<Shown>(sql`
      SELECT CASE WHEN r.title = '' THEN '' ELSE coalesce(p.details, ${details === null ? 'none' : ''}) END AS text
      FROM report p JOIN entry e ON e.number = p.entry JOIN revision r ON r.number = e.revision WHERE p.id = ${id ?? ''}`)
  return undefined
}

type Named = {
  [name in
    | 'id'
    | 'currentRevisionId'
    | 'revisionId'
    | 'sourceEntryId'
    | 'relationType'
    | 'action'
    | 'targetId']?: string
} & { details?: string | null }
type Judged = { verification?: Named; contradiction?: Named }

/** Whether a text that the answer to a write shows was erased since. */
export async function isAnswerErased(reader: Reader, body: object): Promise<boolean> {
  const { items = [] } = body as { items?: Judged[] }
  const named = [
    body as Named,
    ...items.flatMap(({ verification, contradiction }) => verification ?? contradiction ?? []),
  ]
  const shown = await Promise.all(named.map(one => findShown(reader, one)))
  return shown.some(row => row?.text === '')
}

/**
 * Deletes, of the oldest `limit` rows, those stored before the service had run for `before` milliseconds and those beyond the newest
 * `most`. Returns how many.
 */
export async function forgetStoredAnswers(
  tx: Transaction,
  before: number,
  most: number,
  limit: number,
): Promise<number> {
  const newest = only(await tx.one<{ number: number | null }>(sql`SELECT max(number) AS number FROM retry`)).number ?? 0
  const oldest = await tx.all<{ number: number; served: number }>(
    sql`SELECT number, served FROM retry ORDER BY number LIMIT ${limit}`,
  )
  const due = oldest.findLast(row => row.served < before || row.number <= newest - most)
  return due === undefined ? 0 : tx.run(sql`DELETE FROM retry WHERE number <= ${due.number}`)
}
