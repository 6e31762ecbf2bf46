import { only, type Reader } from '../../database/database.ts'
import { type Sql, sql } from '../../database/sql.ts'
import { RECURRENT_FROM } from '../../domain/actor.ts'
import { readHead, type Totals } from '../../store/head.ts'

const ENTRY_PAGE = 10_000

const ON_PUBLIC = sql`JOIN entry e ON e.number = v.entry JOIN actor a ON a.number = v.actor WHERE e.withdrawn = 0 AND a.data_class = 'EXTERNAL'`
const evidenceOf = (kind: string): Sql =>
  sql`SELECT count(*) AS n FROM evidence v ${ON_PUBLIC} AND v.withdrawn = 0 AND v.kind = ${kind}`

/** The query for each total of the head. */
const COUNTED: { [K in keyof Totals]: Sql } = {
  entries: sql`SELECT count(*) AS n FROM entry WHERE withdrawn = 0 AND data_class = 'EXTERNAL'`,
  revisions: sql`SELECT count(*) AS n FROM revision v ${ON_PUBLIC}`,
  verifications: evidenceOf('VERIFY'),
  contradictions: evidenceOf('CONTRADICT'),
  relations: sql`SELECT count(*) AS n FROM relation v JOIN actor a ON a.number = v.actor WHERE v.withdrawn = 0 AND a.data_class = 'EXTERNAL'`,
  interactions: sql`SELECT coalesce(sum(observations), 0) AS n FROM actor WHERE data_class = 'EXTERNAL'`,
  observed_actors: sql`SELECT count(*) AS n FROM actor WHERE data_class = 'EXTERNAL'`,
  recurrent_actors: sql`SELECT count(*) AS n FROM actor WHERE data_class = 'EXTERNAL' AND observations >= ${RECURRENT_FROM}`,
}

const count = async (store: Reader, statement: Sql): Promise<number> =>
  only(await store.one<{ n: number }>(statement)).n

/** Checks the stored counts in bounded memory. Returns one sentence about the first wrong count. */
export const damageOfTotals = async (store: Reader): Promise<string | undefined> =>
  (await damageOfHead(store)) ??
  (await damageOfActivity(store)) ??
  (await damageOfTopics(store)) ??
  (await damageOfCounters(store))

async function damageOfHead(store: Reader): Promise<string | undefined> {
  const head = await readHead(store)
  for (const [name, statement] of Object.entries(COUNTED) as [keyof Totals, Sql][]) {
    const found = await count(store, statement)
    if (found !== head[name]) return `The head counts ${head[name]} as ${name}, and ${found} exist.`
  }
  return undefined
}

/** Every record except moderation has one row of activity. Rows of reads expire. */
async function damageOfActivity(store: Reader): Promise<string | undefined> {
  const records = await count(
    store,
    sql`SELECT (SELECT count(*) FROM revision) + (SELECT count(*) FROM evidence) + (SELECT count(*) FROM relation) AS n`,
  )
  const rows = await count(store, sql`SELECT count(*) AS n FROM activity WHERE hour IS NULL`)
  return rows === records ? undefined : `The activity has ${rows} rows of writes, but ${records} records were written.`
}

function lengthOf(text: string): number | undefined {
  try {
    const tags: unknown = JSON.parse(text)
    return Array.isArray(tags) ? tags.length : undefined
  } catch {
    return undefined
  }
}

async function damageOfTopics(store: Reader): Promise<string | undefined> {
  let tags = 0
  for (let after = 0; ; ) {
    const page = await store.all<{ number: number; id: string; tags: string }>(
      sql`SELECT number, id, tags FROM entry WHERE number > ${after} AND withdrawn = 0 AND data_class = 'EXTERNAL' ORDER BY number LIMIT ${ENTRY_PAGE}`,
    )
    for (const entry of page) {
      const length = lengthOf(entry.tags)
      if (length === undefined) return `The tags of entry ${entry.id} cannot be read.`
      tags += length
    }
    const last = page.at(-1)
    if (last === undefined || page.length < ENTRY_PAGE) break
    after = last.number
  }
  const counted = await count(store, sql`SELECT coalesce(sum(entries), 0) AS n FROM topic`)
  return counted === tags ? undefined : `The topics count ${counted} tags, but public entries have ${tags}.`
}

/** An entry stores the numbers of its evidence and relations, which its pages use. */
async function damageOfCounters(store: Reader): Promise<string | undefined> {
  const wrong = await store.one<{ id: string; slug: string }>(sql`
    SELECT e.id, e.slug FROM entry e WHERE e.evidence <> (SELECT count(*) FROM evidence v WHERE v.entry = e.number)
      OR e.relations <> (SELECT count(*) FROM relation_end x WHERE x.entry = e.number) LIMIT 1`)
  if (wrong !== undefined) {
    return `Entry ${wrong.id} (${wrong.slug}) stores wrong numbers of evidence or relations.`
  }
  const [ends, relations] = [
    await count(store, sql`SELECT count(*) AS n FROM relation_end`),
    await count(store, sql`SELECT count(*) AS n FROM relation`),
  ]
  return ends === 2 * relations ? undefined : `There are ${ends} ends of ${relations} relations; each has two.`
}
