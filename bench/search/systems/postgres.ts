import { Client } from 'pg'
import { type Cluster, createDatabase } from '../../../test/support/cluster.ts'
import { ASKED, type Maker } from './system.ts'

const CHUNK = 500
const LEXEMES =
  "SELECT string_agg(quote_literal(lexeme), ' | ')::tsquery AS wanted FROM unnest(to_tsvector('english', $1))"
const ADD = `
  INSERT INTO entry
  SELECT id,
    setweight(to_tsvector('english', title), 'A') || setweight(to_tsvector('english', tags), 'B') ||
    setweight(to_tsvector('english', summary), 'C') || setweight(to_tsvector('english', content), 'D')
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[]) AS row(id, title, summary, content, tags)`
/** The weights of D, C, B and A have the same proportions as the weights of the other systems. */
const FIND = `
  WITH query AS (${LEXEMES})
  SELECT id FROM entry, query WHERE words @@ wanted
  ORDER BY ts_rank_cd('{0.333, 0.5, 0.667, 1}', words, wanted) DESC, id LIMIT ${ASKED}`

/** The full-text search of PostgreSQL: configuration english, any of the lexemes, ordered by ts_rank_cd, a GIN index. */
export const openTextSearch =
  (cluster: Cluster): Maker =>
  async entries => {
    const { url } = await createDatabase(cluster.url('postgres'))
    const client = new Client({ connectionString: url })
    await client.connect()
    await client.query('CREATE TABLE entry (id text PRIMARY KEY, words tsvector NOT NULL)')
    for (let from = 0; from < entries.length; from += CHUNK) {
      const some = entries.slice(from, from + CHUNK)
      const columns = (['id', 'title', 'summary', 'content'] as const).map(name => some.map(entry => entry[name]))
      await client.query(ADD, [...columns, some.map(({ tags }) => tags.join(' '))])
    }
    await client.query('CREATE INDEX ON entry USING gin (words)')
    await client.query('ANALYZE entry')
    const ask = async (text: string) => {
      const { rows } = await client.query<{ id: string }>(FIND, [text])
      return { ids: rows.map(({ id }) => id) }
    }
    return { systems: [{ name: 'postgres ts_rank_cd', ask }], close: () => client.end() }
  }
