import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { loadFrom } from '../../install.ts'
import type { Entry } from '../collection.ts'
import { ASKED, type Maker, type System, WEIGHTS } from './system.ts'

const PACKAGE = '@lancedb/lancedb'

type Row = Record<string, string>
type Query = { readonly inner: unknown }
type Search = { select(columns: string[]): Search; limit(count: number): Search; toArray(): Promise<{ id: string }[]> }
type Table = {
  createIndex(column: string, options: { config: unknown }): Promise<void>
  query(): { fullTextSearch(query: Query): Search }
}
type Connection = { createTable(name: string, rows: Row[]): Promise<Table>; close(): void }
type LanceDb = {
  connect(uri: string): Promise<Connection>
  Index: { fts(options: Record<string, unknown>): unknown }
  MatchQuery: new (text: string, column: string, options: { boost: number }) => Query
  BooleanQuery: new (queries: [string, Query][]) => Query
  Occur: { Should: string }
}

/** English stems, no stop words, no accents. ICU splits words at punctuation, so that scripts without spaces have words. */
const INDEX = { baseTokenizer: 'icu/split', language: 'English', stem: true, removeStopWords: true, asciiFolding: true }

const fieldsOf = ({ title, summary, content, tags }: Entry): Row => ({ title, summary, content, tags: tags.join(' ') })

/**
 * All fields as one text, each repeated by its weight, rounded down. One score for this text ranks better than the sum of one score per
 * field.
 */
function weightedText(entry: Entry): string {
  const fields = fieldsOf(entry)
  return Object.entries(WEIGHTS)
    .flatMap(([name, weight]) => Array.from({ length: Math.floor(weight) }, () => fields[name]))
    .join('\n')
}

/** A table of rows with a full-text index on each of the columns. */
async function openTable(lancedb: LanceDb, connection: Connection, name: string, rows: Row[], columns: string[]) {
  const table = await connection.createTable(name, rows)
  for (const column of columns) await table.createIndex(column, { config: lancedb.Index.fts(INDEX) })
  return table
}

/** A system that searches for any of the words in each of the columns, and adds the scores of the columns multiplied by their weights. */
function systemOf(lancedb: LanceDb, name: string, table: Table, weights: Record<string, number>): System {
  const { BooleanQuery, MatchQuery, Occur } = lancedb
  const ask = async (text: string) => {
    const parts = Object.entries(weights).map(([column, boost]): [string, Query] => [
      Occur.Should,
      new MatchQuery(text, column, { boost }),
    ])
    const search = table.query().fullTextSearch(new BooleanQuery(parts))
    const rows = await search.select(['id', '_score']).limit(ASKED).toArray()
    return { ids: rows.map(({ id }) => id) }
  }
  return { name, ask }
}

/** LanceDB in memory, from the folder `lancedb` of a work directory: once with a score per field, once with one text. */
const openLanceDb =
  (lancedb: LanceDb): Maker =>
  async entries => {
    const connection = await lancedb.connect('memory://')
    const rows = entries.map(entry => ({ id: entry.id, ...fieldsOf(entry) }))
    const texts = entries.map(entry => ({ id: entry.id, text: weightedText(entry) }))
    const fields = await openTable(lancedb, connection, 'fields', rows, Object.keys(WEIGHTS))
    const joined = await openTable(lancedb, connection, 'joined', texts, ['text'])
    return {
      systems: [
        systemOf(lancedb, 'lancedb fields', fields, WEIGHTS),
        systemOf(lancedb, 'lancedb one text', joined, { text: 1 }),
      ],
      close: async () => connection.close(),
    }
  }

/** LanceDB, if it is installed in `DIR/lancedb` of the work directory DIR. It is not a dependency of the project. */
export function findLanceDb(work: string | undefined): Maker[] {
  if (work === undefined) return []
  const folder = join(work, 'lancedb')
  if (!existsSync(join(folder, 'node_modules', PACKAGE))) return []
  return [openLanceDb(loadFrom<LanceDb>(folder, PACKAGE))]
}
