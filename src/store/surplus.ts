import { only, type Reader, type Transaction } from '../database/database.ts'
import { sql } from '../database/sql.ts'
import type { Judgement } from '../domain/evidence/standing.ts'
import { type JudgementRow, toJudgement } from './standing.ts'

export const countJudgements = async (reader: Reader, entry: number): Promise<number> =>
  only(await reader.one<{ count: number }>(sql`SELECT count(*) AS count FROM judgement WHERE entry = ${entry}`)).count

/** The judgements of an entry to delete first: repeatedly the oldest one of the origin with the most judgements. */
export const listSurplus = async (reader: Reader, entry: number, limit: number): Promise<Judgement[]> =>
  (
    await reader.all<JudgementRow>(sql`
      SELECT actor, text, record, verdict, own, origin_group, at FROM (
        SELECT actor, text, record, verdict, own, origin_group, at,
          row_number() OVER (PARTITION BY origin_group ORDER BY record DESC) AS place
        FROM judgement WHERE entry = ${entry}) AS placed
      ORDER BY place DESC, record LIMIT ${limit}`)
  ).map(toJudgement)

export async function deleteJudgement(
  tx: Transaction,
  entry: number,
  { actor, text }: Pick<Judgement, 'actor' | 'text'>,
): Promise<void> {
  await tx.run(sql`DELETE FROM judgement WHERE entry = ${entry} AND actor = ${actor} AND text = ${text}`)
}
