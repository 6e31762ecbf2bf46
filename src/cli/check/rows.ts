import { only, type Reader, type Sql, StoreFault, sql } from '../../engine/database.ts'
import type { PostgresConnection } from '../../engine/postgres.ts'
import { RECURRENT_FROM } from '../../memory/actors/rules.ts'
import { findEntryByNumber, findWrongChange, type RevisionRow, readChanges, tagsOf } from '../../memory/entries/rows.ts'
import { standingOn } from '../../memory/evidence/standing.ts'
import { readHead, type Totals } from '../../memory/head-rows.ts'
import { signalNames, signalsOf } from '../../memory/signals/signals.ts'
import { isoTime } from '../../memory/values.ts'
import { parsedJson } from '../read.ts'

/** An entry has the author and the time of its first revision. */
const ENTRIES = sql`
  SELECT e.number AS record FROM entry e JOIN revision r ON r.entry = e.number AND r.ordinal = 1
  WHERE e.revisions > 0 AND (e.actor <> r.actor OR e.created_at <> r.created_at) ORDER BY e.number LIMIT 1`

/**
 * A relation has its two ends. PostgreSQL expects that nearly all rows differ. Outside the materialised part, the limit would therefore make
 * it compare every end with every relation.
 */
const ENDS = sql`
  WITH wrong AS MATERIALIZED (
    SELECT x.relation AS record FROM relation_end x JOIN relation l ON l.number = x.relation
    WHERE x.entry NOT IN (l.source_entry, l.target_entry))
  SELECT record FROM wrong ORDER BY record LIMIT 1`

/** The row of activity of a record has its author, time, entry and action. */
const ACTIVITY = [
  sql`
    SELECT r.number AS record FROM activity s JOIN revision r ON r.number = s.revision
    WHERE s.subject IS NULL AND s.hour IS NULL
      AND (s.actor <> r.actor OR s.created_at <> r.created_at OR s.entry <> r.entry OR s.action <> r.change_type) LIMIT 1`,
  sql`
    SELECT v.number AS record FROM activity s JOIN evidence v ON v.number = s.subject
    WHERE s.hour IS NULL
      AND (s.actor <> v.actor OR s.created_at <> v.created_at OR s.entry <> v.entry OR s.revision <> v.revision OR s.action <> v.kind) LIMIT 1`,
  sql`
    SELECT l.number AS record FROM activity s JOIN relation l ON l.number = s.subject
    WHERE s.hour IS NULL
      AND (s.actor <> l.actor OR s.created_at <> l.created_at OR s.entry <> l.source_entry OR s.target <> l.target_entry OR s.action <> 'CONNECT')
    LIMIT 1`,
]

const CHECKS: readonly [statement: Sql, sentence: (record: number) => string][] = [
  [ENTRIES, record => `Entry ${record} has another author or time than its first revision.`],
  [ENDS, record => `Relation ${record} has an end that is not its own.`],
  ...ACTIVITY.map((rows): [Sql, (record: number) => string] => [
    rows,
    record => `The activity of record ${record} has another author, time, entry or action than the record.`,
  ]),
]

/** Compares rows that repeat facts of a record with that record. Returns one sentence about the first difference. */
export async function damageOfRows(store: Reader): Promise<string | undefined> {
  for (const [statement, sentence] of CHECKS) {
    const wrong = await store.one<{ record: number }>(statement)
    if (wrong !== undefined) return sentence(wrong.record)
  }
  return undefined
}

/** Computes the signals of a revision from its text, and returns the difference from the stored ones. */
export function damageOfSignals(row: RevisionRow): string | undefined {
  const computed = signalsOf({ ...row, tags: tagsOf(row) })
  if (computed === row.signals) return undefined
  const named = (bits: number): string => signalNames(bits).join(', ') || 'none'
  return `the signals of revision ${row.id} are stored as ${named(row.signals)}, but its text has ${named(computed)}; restore a backup`
}

const REMEDY = 'restore a backup'

/** Computes the standing of an entry from its records and returns the difference from the stored one. */
export async function damageOfStanding(store: Reader, number: number): Promise<string | undefined> {
  const entry = await findEntryByNumber(store, number)
  if (entry === undefined) return undefined
  const standing = await standingOn(store, entry, entry)
  const computed = standing === null ? null : JSON.stringify(standing)
  return computed === entry.standing
    ? undefined
    : `its standing is stored as ${entry.standing}, but its records result in ${computed}; ${REMEDY}`
}

/** Compares the stored changes of an entry with its revisions, and returns the difference. */
export async function damageOfChanges(store: Reader, number: number): Promise<string | undefined> {
  const wrong = await findWrongChange(store, number)
  if (wrong !== undefined) return `revision ${wrong.id} is stored wrongly as a change or as no change; ${REMEDY}`
  const row = await readChanges(store, number)
  if (row === undefined || (row.changes === row.found && row.updated_at === row.last)) return undefined
  return `it stores ${row.changes} changes up to ${isoTime(row.updated_at)}, but its revisions have ${row.found} up to ${isoTime(row.last)}; ${REMEDY}`
}

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

async function damageOfTopics(store: Reader): Promise<string | undefined> {
  let tags = 0
  for (let after = 0; ; ) {
    const page = await store.all<{ number: number; id: string; tags: string }>(
      sql`SELECT number, id, tags FROM entry WHERE number > ${after} AND withdrawn = 0 AND data_class = 'EXTERNAL' ORDER BY number LIMIT ${ENTRY_PAGE}`,
    )
    for (const entry of page) {
      const list = parsedJson(entry.tags)
      if (!Array.isArray(list)) return `The tags of entry ${entry.id} cannot be read.`
      tags += list.length
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

/** The tables with rows: the parts of a partitioned table, not that table. */
const TABLES = `SELECT c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = 'public' AND c.relkind = 'r' ORDER BY c.relname`
/** The B-trees of the schema, if this user may check them. */
const INDEXES = `SELECT c.oid AS index, c.relname AS name FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
  JOIN pg_am a ON a.oid = c.relam JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = 'public' AND c.relkind = 'i' AND a.amname = 'btree' AND i.indisvalid AND NOT i.indcheckxmin ORDER BY c.relname`
const AMCHECK = `SELECT p.oid FROM pg_extension e JOIN pg_depend d ON d.refobjid = e.oid AND d.deptype = 'e'
  JOIN pg_proc p ON p.oid = d.objid WHERE e.extname = 'amcheck' AND p.proname = 'bt_index_check' AND p.pronargs = 2
  AND has_function_privilege(p.oid, 'execute')`
/** An index that differs from its table. */
const INDEX_CORRUPTED = 'XX002'

const mayCheckIndexes = async (connection: PostgresConnection): Promise<boolean> =>
  (await connection.query(AMCHECK)).length > 0

/** Reads every row of every table, and checks the indexes if possible. Returns a sentence about the first damage. */
export async function damageOfTables(connection: PostgresConnection): Promise<string | undefined> {
  for (const { name } of await connection.query(TABLES)) {
    // As text a row is read completely, including values outside its table.
    const damage = await damageIn(connection, `table ${name}`, `SELECT sum(length(t::text)) AS n FROM "${name}" t`)
    if (damage !== undefined) return damage
  }
  if (!(await mayCheckIndexes(connection))) return undefined
  for (const { index, name } of await connection.query(INDEXES)) {
    const damage = await damageIn(connection, `index ${name}`, `SELECT bt_index_check(${index}::oid::regclass, true)`)
    if (damage !== undefined) return damage
  }
  return undefined
}

async function damageIn(connection: PostgresConnection, what: string, text: string): Promise<string | undefined> {
  const [result] = await connection.settle([{ text, values: [] }])
  if (!(result instanceof Error)) return undefined
  const isDamage =
    result instanceof StoreFault ? result.kind === 'broken' : (result as { code?: string }).code === INDEX_CORRUPTED
  if (!isDamage) throw result
  return `The ${what} is damaged (${((result.cause ?? result) as Error).message}).`
}

/** The checks of PostgreSQL itself, as a sentence. */
export async function checksOfPostgres(connection: PostgresConnection): Promise<string> {
  const [setting] = await connection.query('SHOW data_checksums')
  const pages =
    setting?.data_checksums === 'on'
      ? 'PostgreSQL checks its pages by checksums, and all rows were read'
      : 'PostgreSQL does not check its pages by checksums (see pg_checksums); all rows were read'
  const indexes = (await mayCheckIndexes(connection))
    ? 'all B-trees were checked by amcheck'
    : 'indexes were not checked, because this user cannot use the extension amcheck'
  return `${pages}; ${indexes}.`
}
