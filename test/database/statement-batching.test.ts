import assert from 'node:assert/strict'
import { test } from 'node:test'
import { batchStatements, type ColumnTypes } from '../../src/engine/batching.ts'
import { type Sql, sql } from '../../src/engine/database.ts'
import type { Query, Result } from '../../src/engine/postgres.ts'
import { columnOf } from '../support/client.ts'

const columns: ColumnTypes = new Map([
  [
    'note',
    new Map([
      ['number', 'bigint'],
      ['text', 'text'],
      ['weight', 'double precision'],
    ]),
  ],
])
const find = (number: number): Sql => sql`SELECT text FROM note WHERE number = ${number} LIMIT ${1}`
const add = (number: number, text: string | null): Sql =>
  sql`INSERT INTO note (number, text, weight) VALUES (${number}, ${text}, ${0.5})`
const batched = (...statements: Sql[]): Query[] => batchStatements(statements, columns).queries
const result = (rows: Result['rows']): Result => ({ rows, count: rows.length, command: 'SELECT' })

test('a single statement is unchanged except for its placeholders', () => {
  assert.deepEqual(batched(find(7)), [{ text: 'SELECT text FROM note WHERE number = $1 LIMIT $2', values: [7, 1] }])
})

test('SELECTs with equal text become one join over their values, and each gets its own rows in order', () => {
  const { queries, split } = batchStatements([find(1), add(9, 'x'), find(2), find(3)], columns)
  assert.equal(queries.length, 2)
  assert.match(
    queries[0]?.text ?? '',
    /unnest\(\$1::bigint\[\]\)[\s\S]*LATERAL \(SELECT text FROM note WHERE number = k\.v1 LIMIT \$2\)/,
  )
  assert.deepEqual(queries[0]?.values, [[1, 2, 3], 1])
  const answers = split([
    result([
      { member: 1, text: 'a' },
      { member: 3, text: 'b' },
      { member: 3, text: 'c' },
    ]),
    { rows: [], count: 1, command: 'INSERT' },
  ]) as Result[]
  assert.deepEqual(columnOf(answers, 'rows'), [[{ text: 'a' }], [], [], [{ text: 'b' }, { text: 'c' }]])
})

test('the LIMIT stays a value that the planner sees: only SELECTs with equal LIMIT are joined', () => {
  const page = (limit: number, above: number, offset: number): Sql =>
    sql`SELECT text FROM note ORDER BY number LIMIT ${limit} OFFSET ${offset} + ${above}`
  const queries = batched(page(5, 7, 0), page(6, 7, 0), page(5, 8, 0), page(5, 7, 2))
  assert.deepEqual(
    queries.map(({ values }) => values),
    [
      [[7, 8], 5, 0],
      [6, 0, 7],
      [5, 2, 7],
    ],
  )
  assert.match(
    queries[0]?.text ?? '',
    /LATERAL \(SELECT text FROM note ORDER BY number LIMIT \$2 OFFSET \$3 \+ k\.v1\)/,
  )
})

test('equal SELECTs without joined values run once, and each caller gets the rows', () => {
  const newest = (limit: number): Sql => sql`SELECT text FROM note ORDER BY number DESC LIMIT ${limit}`
  const { queries, split } = batchStatements([newest(2), newest(3), newest(2)], columns)
  const [text] = queries.map(query => query.text)
  assert.deepEqual(queries, [
    { text, values: [2] },
    { text, values: [3] },
  ])
  assert.equal(text, 'SELECT text FROM note ORDER BY number DESC LIMIT $1')
  const answers = split([result([{ text: 'b' }]), result([{ text: 'c' }])]) as Result[]
  assert.deepEqual(columnOf(answers, 'rows'), [[{ text: 'b' }], [{ text: 'c' }], [{ text: 'b' }]])
})

test('plain INSERTs with equal text become one, nulls included; an INSERT with more than VALUES stays alone', () => {
  const [query, ...others] = batched(add(1, 'a'), add(2, null))
  assert.deepEqual(others, [])
  assert.equal(
    query?.text,
    'INSERT INTO note (number,text,weight) SELECT * FROM unnest($1::bigint[],$2::text[],$3::double precision[])',
  )
  assert.deepEqual(query?.values, [
    [1, 2],
    ['a', null],
    [0.5, 0.5],
  ])
  const upsert = (number: number) => sql`INSERT INTO note (number) VALUES (${number}) ON CONFLICT (number) DO NOTHING`
  assert.equal(batched(upsert(1), upsert(2)).length, 2)
  const unknown = (number: number) => sql`INSERT INTO elsewhere (number) VALUES (${number})`
  assert.equal(batched(unknown(1), unknown(2)).length, 2)
})

test('SELECTs with a null or with values of other types are not joined', () => {
  const by = (value: string | number | null): Sql => sql`SELECT text FROM note WHERE number = ${value}`
  assert.equal(batched(by(null), by(null)).length, 2)
  assert.equal(batched(by(1), by('1')).length, 2)
  assert.equal(batched(by(1), by(2.5)).length, 2)
  assert.equal(batched(by(1), by(2)).length, 1)
})

test('an error of a joined statement fails all of its members and no other statement', () => {
  const { split } = batchStatements([find(1), find(2), add(3, 'x')], columns)
  const error = new Error('too slow')
  const answers = split([error, { rows: [], count: 1, command: 'INSERT' }])
  assert.equal(answers[0], error)
  assert.equal(answers[1], error)
  assert.equal((answers[2] as Result).count, 1)
})

test('a joined statement has a maximum size', () => {
  const queries = batched(...Array.from({ length: 1_000 }, (_, n) => find(n)))
  assert.deepEqual(
    queries.map(({ values }) => (values[0] as unknown as number[]).length),
    [512, 488],
  )
})

test('UPDATEs with equal text and different keys become one, and each learns whether its row existed', () => {
  const touch = (number: number, text: string | null): Sql =>
    sql`UPDATE note SET text = ${text}, weight = weight + ${2} WHERE number = ${number}`
  const { queries, split } = batchStatements([touch(1, 'a'), touch(5, 'b')], columns)
  assert.deepEqual(queries, [
    {
      text: `UPDATE note SET text = k.v1, weight = weight + k.v2 FROM unnest($1::text[],$2::bigint[],$3::bigint[]) WITH ORDINALITY AS k(v1,v2,v3, member) WHERE number = k.v3 RETURNING k.member`,
      values: [
        ['a', 'b'],
        [2, 2],
        [1, 5],
      ],
    },
  ])
  const answers = split([{ ...result([{ member: 2 }]), command: 'UPDATE' }]) as Result[]
  assert.deepEqual(answers, [
    { rows: [], count: 0, command: 'UPDATE' },
    { rows: [], count: 1, command: 'UPDATE' },
  ])
  assert.equal(batched(touch(1, 'a'), touch(1, 'b')).length, 2, 'one row twice')
  assert.equal(batched(touch(1, 'a'), touch(2, null)).length, 2, 'a null, whose type is unknown')
  const guarded = (number: number): Sql => sql`UPDATE note SET text = ${'a'} WHERE number = ${number} AND weight > ${1}`
  assert.equal(batched(guarded(1), guarded(2)).length, 2, 'more than a key')
})
