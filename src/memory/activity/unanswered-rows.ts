import type { Reader, Transaction } from '../../engine/database.ts'
import { sql } from '../../engine/sql.ts'
import type { TopicCount } from '../../find/rules/unanswered.ts'

/** A topic of a day. `number` counts the topics of the day. */
type Key = { day: string; digest: string; number: number }
export type UnansweredTopicRow = Key & { voices: string; networks: number; term: string | null }

export const toTopicCount = ({ voices, networks, term }: UnansweredTopicRow): TopicCount => ({
  voices: JSON.parse(voices) as string[],
  networks,
  term,
})

export const findUnansweredTopic = (reader: Reader, day: string, digest: string) =>
  reader.one<UnansweredTopicRow>(sql`
    SELECT day, digest, number, voices, networks, term FROM asked_topic WHERE day = ${day} AND digest = ${digest}`)

/** The number of the newest topic of a day; 0 if it has none. */
export const readLastTopicNumber = async (reader: Reader, day: string): Promise<number> =>
  (
    await reader.one<{ number: number }>(
      sql`SELECT number FROM asked_topic WHERE day = ${day} ORDER BY number DESC LIMIT 1`,
    )
  )?.number ?? 0

export async function insertUnansweredTopic(
  tx: Transaction,
  { day, digest, number }: Key,
  count: TopicCount,
): Promise<void> {
  const { voices, networks, term } = count
  await tx.run(sql`
    INSERT INTO asked_topic (day, digest, number, voices, networks, term)
    VALUES (${day}, ${digest}, ${number}, ${JSON.stringify(voices)}, ${networks}, ${term})`)
}

export async function updateUnansweredTopic(tx: Transaction, { day, digest }: Key, count: TopicCount): Promise<void> {
  const { voices, networks, term } = count
  await tx.run(sql`
    UPDATE asked_topic SET voices = ${JSON.stringify(voices)}, networks = ${networks}, term = ${term}
    WHERE day = ${day} AND digest = ${digest}`)
}

/** The public topics: those with the most networks on a day first, then the newest. */
export const listUnansweredTopics = (reader: Reader, limit: number) =>
  reader.all<{ day: string; term: string; networks: number }>(sql`
    SELECT day, term, networks FROM asked_topic WHERE term IS NOT NULL ORDER BY networks DESC, day DESC, number DESC LIMIT ${limit}`)

/**
 * Deletes the topics of days before `day` that did not become public, and all topics of days before `first`. Returns how many, at most
 * twice `limit`.
 */
export async function forgetUnansweredTopics(
  tx: Transaction,
  day: string,
  first: string,
  limit: number,
): Promise<number> {
  const secret = await tx.run(sql`
    DELETE FROM asked_topic WHERE (day, digest) IN
      (SELECT day, digest FROM asked_topic WHERE day < ${day} AND term IS NULL ORDER BY day, number LIMIT ${limit})`)
  const old = await tx.run(sql`
    DELETE FROM asked_topic WHERE (day, digest) IN
      (SELECT day, digest FROM asked_topic WHERE day < ${first} ORDER BY day, digest LIMIT ${limit})`)
  return secret + old
}
