import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from './database.ts'

test('values become parameters, with any content', () => {
  const statement = sql`SELECT a FROM t WHERE b = ${"'; DROP TABLE t; --"} AND c = ${7} AND d = ${null}`
  assert.equal(statement.text, 'SELECT a FROM t WHERE b = ? AND c = ? AND d = ?')
  assert.deepEqual(statement.values, ["'; DROP TABLE t; --", 7, null])
})

test('a nested statement is spliced in with its values in their places', () => {
  const inner = sql`SELECT x FROM u WHERE y = ${2}`
  const statement = sql`SELECT a FROM t WHERE b = ${1} AND c IN (${inner}) AND d = ${3}`
  assert.equal(statement.text, 'SELECT a FROM t WHERE b = ? AND c IN (SELECT x FROM u WHERE y = ?) AND d = ?')
  assert.deepEqual(statement.values, [1, 2, 3])
})

test('the text depends on the source alone: a statement is prepared once', () => {
  const find = (id: string) => sql`SELECT a FROM t WHERE id = ${id}`
  assert.equal(find('one').text, find('other').text)
  assert.deepEqual(find('one').values, ['one'])
  assert.deepEqual(find('other').values, ['other'])
})
