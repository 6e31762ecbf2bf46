import { DatabaseSync } from 'node:sqlite'
import { ASKED, type Maker, WEIGHTS, wordsOf } from './system.ts'

/** SQLite FTS5 in memory: tokenizer porter over unicode61, any of the words, ranked by bm25 with field weights. */
export const openFts5: Maker = async entries => {
  const database = new DatabaseSync(':memory:')
  database.exec(
    "CREATE VIRTUAL TABLE entry USING fts5(id UNINDEXED, title, summary, content, tags, tokenize = 'porter unicode61')",
  )
  const insert = database.prepare('INSERT INTO entry VALUES (?, ?, ?, ?, ?)')
  database.exec('BEGIN')
  for (const { id, title, summary, content, tags } of entries) insert.run(id, title, summary, content, tags.join(' '))
  database.exec('COMMIT')
  const weights = [0, WEIGHTS.title, WEIGHTS.summary, WEIGHTS.content, WEIGHTS.tags].join(', ')
  const select = database.prepare(
    `SELECT id FROM entry WHERE entry MATCH ? ORDER BY bm25(entry, ${weights}), rowid LIMIT ${ASKED}`,
  )
  const ask = async (text: string) => {
    const words = wordsOf(text)
    if (words.length === 0) return { ids: [] }
    const rows = select.all(words.map(word => `"${word}"`).join(' OR ')) as { id: string }[]
    return { ids: rows.map(({ id }) => id) }
  }
  return { systems: [{ name: 'fts5 porter OR', ask }], close: async () => database.close() }
}
