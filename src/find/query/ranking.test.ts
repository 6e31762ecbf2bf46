import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seededRandom } from '../../../test/support/random.ts'
import { ScoreTable } from './ranking.ts'

type Row = { number: number; score: number; hinted: number; words: number }
const ENTRIES = 300
const QUERIES = 200

const { below, pick } = seededRandom('score table')

test('a table ranks the entries of one query after another as a plain list does', () => {
  const table = new ScoreTable(ENTRIES)
  // Numbers up to the greatest that is exact, and some that only their high bits tell apart.
  const numbers = Array.from({ length: ENTRIES }, (_, at) => at * 2 ** (at % 3 === 0 ? 32 : 3) + 1)
  for (let query = 0; query < QUERIES; query++) {
    const words = below(4)
    const rows = new Map<number, Row>()
    table.begin(words)
    for (let list = 0; list < 8; list++) {
      const having = numbers.filter(() => below(4) === 0)
      const worth = pick([0.5, 1, 2])
      const kind = { isHint: below(3) === 0, isWord: list < words }
      table.add(having, worth, kind)
      for (const number of having) {
        const row = rows.get(number) ?? { number, score: 0, hinted: 0, words: 0 }
        row.score += worth
        row.hinted += kind.isHint ? worth : 0
        row.words += Number(kind.isWord)
        rows.set(number, row)
      }
    }
    const hasAll = (row: Row): boolean => words > 0 && row.words === words
    const expected = [...rows.values()].sort(
      (a, b) => Number(hasAll(b)) - Number(hasAll(a)) || b.score - a.score || b.number - a.number,
    )
    assert.deepEqual(
      [...table.ranked()],
      expected.map(({ number }) => number),
    )
    assert.equal(table.first(), expected[0]?.number)
    for (const number of numbers) {
      const row = rows.get(number)
      assert.equal(table.scoreOf(number), row?.score ?? 0)
      assert.equal(table.ownScoreOf(number), row === undefined ? 0 : row.score - row.hinted)
      assert.equal(table.hasAll(number), row !== undefined && hasAll(row))
    }
  }
})

test('a query without a match has no first entry', () => {
  const table = new ScoreTable(2)
  table.begin(0)
  assert.deepEqual([table.first(), ...table.ranked()], [undefined])
})
