import type { Row, Sql, Value } from './database.ts'
import type { Query, Result } from './postgres.ts'

type Waiting = { statement: Sql; resolve: (result: Result) => void; reject: (error: Error) => void }

/** Resolves with the answer of a statement, which is sent together with all others of this turn of the event loop. */
export type Ask = (statement: Sql) => Promise<Result>

type Send = (queries: readonly Query[]) => Promise<readonly (Result | Error)[]>

/**
 * Collects statements until everything that can run in this turn of the event loop has run. Sends them together, batched by text. `send`
 * resolves with a result or an error for each query. INSERTs into tables without known columns are not batched.
 */
export function createTickBatcher(send: Send, columns: ColumnTypes = new Map()): Ask {
  const batcher = new TickBatcher(send, columns)
  return statement => batcher.ask(statement)
}

class TickBatcher {
  readonly #send: Send
  readonly #columns: ColumnTypes
  #waiting: Waiting[] = []

  constructor(send: Send, columns: ColumnTypes) {
    this.#send = send
    this.#columns = columns
  }

  ask(statement: Sql): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.length === 0) setImmediate(() => this.#flush())
      this.#waiting.push({ statement, resolve, reject })
    })
  }

  async #flush(): Promise<void> {
    const batch = this.#waiting
    this.#waiting = []
    try {
      const { queries, split } = batchStatements(
        batch.map(({ statement }) => statement),
        this.#columns,
      )
      const results = split(await this.#send(queries))
      for (const [index, { resolve, reject }] of batch.entries()) {
        const result = results[index] as Result | Error
        if (result instanceof Error) reject(result)
        else resolve(result)
      }
    } catch (error) {
      for (const { reject } of batch) reject(error as Error)
    }
  }
}

/** The methods of a `Reader`, sent through `ask`. */
export const readerOf = (ask: Ask) => ({
  one: async <R = Row>(statement: Sql) => (await ask(statement)).rows[0] as R | undefined,
  all: async <R = Row>(statement: Sql) => (await ask(statement)).rows as R[],
})

/** PostgreSQL's type of every column, by table and column, as `bigint` or `text`. */
export type ColumnTypes = ReadonlyMap<string, ReadonlyMap<string, string>>

/** Batched statements, and the function that splits their answers again. */
type Batched = { queries: Query[]; split(results: readonly (Result | Error)[]): (Result | Error)[] }

type Piece = { query: Query; answers: number[]; split(result: Result): Result[] }

/** The maximum number of statements of one text in a batch: bounds how long each waits. */
const BATCH_MAX = 512

/**
 * Batches statements of one text. SELECTs become one LATERAL join over their values. INSERTs of one row of values become one INSERT.
 * UPDATEs of one row by its key become one UPDATE if all of the rows differ. Small statements cost mostly preparation and planning, which a
 * batch pays once.
 */
export function batchStatements(statements: readonly Sql[], columns: ColumnTypes): Batched {
  const pieces: Piece[] = []
  for (const group of sameTexts(statements)) {
    const members = group.map(index => statements[index] as Sql)
    const batched =
      members.length > 1
        ? (batchedSelect(members) ?? batchedInsert(members, columns) ?? batchedUpdate(members))
        : undefined
    if (batched !== undefined) pieces.push({ ...batched, answers: group })
    else for (const index of group) pieces.push({ ...alone(statements[index] as Sql), answers: [index] })
  }
  return {
    queries: pieces.map(({ query }) => query),
    split(results) {
      const answers: (Result | Error)[] = []
      for (const [place, piece] of pieces.entries()) {
        const result = results[place] as Result | Error
        const parts = result instanceof Error ? piece.answers.map(() => result) : piece.split(result)
        for (const [part, index] of piece.answers.entries()) answers[index] = parts[part] as Result | Error
      }
      return answers
    },
  }
}

/** The indexes of statements that can be batched together, ordered by the first of each. */
function sameTexts(statements: readonly Sql[]): number[][] {
  const groups = new Map<string, number[]>()
  for (const [index, { text, values }] of statements.entries()) {
    const known = SELECT.test(text) || UPDATE.test(text)
    const shape = known ? shapeOf(text, values) : INSERT.test(text) ? text : String(index)
    const group = groups.get(shape)
    if (group === undefined) groups.set(shape, [index])
    else group.push(index)
  }
  return [...groups.values()].flatMap(chunks)
}

function chunks(group: number[]): number[][] {
  const parts: number[][] = []
  for (let from = 0; from < group.length; from += BATCH_MAX) parts.push(group.slice(from, from + BATCH_MAX))
  return parts
}

const SELECT = /^\s*SELECT\b/
/** An INSERT of one row of values and nothing else. */
const INSERT = /^\s*INSERT INTO (\w+) \(([^)]*)\)\s*VALUES \([?,\s]*\)\s*$/
/** An UPDATE by one column, which is the last value. Its count is 1 if a row has the value, else 0. */
const UPDATE = /^\s*UPDATE (\w+) SET (.*?)\s+WHERE (\w+) = \?\s*$/s

/** The type that a value is sent as. A null has none, and a SELECT with a null is sent alone. */
const typeOf = (value: Value): string =>
  value === null ? '' : typeof value === 'string' ? 'text' : Number.isInteger(value) ? 'bigint' : 'double precision'

const bounds = new Map<string, ReadonlySet<number>>()
/**
 * The places of the values of LIMIT and OFFSET. In a batch they are parameters, the same for all members. If a LIMIT came from a join, the
 * planner would not know it: it would assume a tenth of the table and read all of it.
 */
function boundsOf(text: string): ReadonlySet<number> {
  let known = bounds.get(text)
  if (known === undefined) {
    const before = text.split('?').slice(0, -1)
    known = new Set(before.flatMap((part, place) => (/\b(?:LIMIT|OFFSET)\s+$/.test(part) ? [place] : [])))
    bounds.set(text, known)
  }
  return known
}

/** Statements of one shape can be batched together. */
const shapeOf = (text: string, values: readonly Value[]): string => {
  const known = boundsOf(text)
  return `${text} ${values.map((value, place) => (known.has(place) ? value : typeOf(value)))}`
}

const texts = new Map<string, string>()
/** A text with PostgreSQL's parameters: `$1` for the first `?`. */
function numbered(text: string): string {
  let known = texts.get(text)
  if (known === undefined) {
    let place = 0
    known = text.replaceAll('?', () => `$${++place}`)
    texts.set(text, known)
  }
  return known
}

const alone = ({ text, values }: Sql): Omit<Piece, 'answers'> => ({
  query: { text: numbered(text), values },
  split: result => [result],
})

const lists = (members: readonly Sql[], places: readonly number[]): Value[][] =>
  places.map(place => members.map(({ values }) => values[place] as Value))

/** The column with the number of the batched statement that a row belongs to. */
const MEMBER = 'member'
const laterals = new Map<string, string>()

function batchedSelect(members: readonly Sql[]): Omit<Piece, 'answers'> | undefined {
  const [{ text, values }] = members as [Sql]
  const fixed = boundsOf(text)
  const places = [...values.keys()].filter(place => !fixed.has(place))
  const kinds = places.map(place => typeOf(values[place] as Value))
  if (!SELECT.test(text) || values.length === 0 || kinds.includes('')) return undefined
  // All members are the same statement.
  if (places.length === 0)
    return { query: alone(members[0] as Sql).query, split: one => members.map(() => ({ ...one, rows: [...one.rows] })) }
  const shape = `${kinds} ${text}`
  let batched = laterals.get(shape)
  if (batched === undefined) {
    batched = lateral(text, kinds, fixed)
    laterals.set(shape, batched)
  }
  return {
    query: { text: batched, values: [...lists(members, places), ...[...fixed].map(place => values[place] as Value)] },
    split({ rows, command }) {
      const answers: Result[] = members.map(() => ({ rows: [], count: 0, command }))
      for (const { [MEMBER]: member, ...row } of rows) {
        const answer = answers[Number(member) - 1] as Result
        answer.rows.push(row as Row)
        answer.count += 1
      }
      return answers
    },
  }
}

/** A SELECT for every member of the lists `$1`, `$2`, … of these kinds; the values at `fixed` places follow the lists. */
function lateral(text: string, kinds: readonly string[], fixed: ReadonlySet<number>): string {
  let [place, column, bound] = [-1, 0, kinds.length]
  const inner = text.replaceAll('?', () => {
    place += 1
    return fixed.has(place) ? `$${++bound}` : `k.v${++column}`
  })
  return `SELECT k.${MEMBER}, q.* FROM ${listsOf(kinds)} CROSS JOIN LATERAL (${inner}) q`
}

function batchedInsert(members: readonly Sql[], columns: ColumnTypes): Omit<Piece, 'answers'> | undefined {
  const [{ text, values }] = members as [Sql]
  const match = INSERT.exec(text)
  if (match === null) return undefined
  const [, table, list] = match as string[] as [string, string, string]
  const types = columns.get(table)
  if (types === undefined) return undefined
  const names = list.split(',').map(name => name.trim())
  const arrays = names.map((name, index) => `$${index + 1}::${types.get(name)}[]`)
  const query = `INSERT INTO ${table} (${names}) SELECT * FROM unnest(${arrays})`
  return {
    query: { text: query, values: lists(members, [...values.keys()]) },
    split: ({ command }) => members.map(() => ({ rows: [], count: 1, command })),
  }
}

const updates = new Map<string, string>()

function batchedUpdate(members: readonly Sql[]): Omit<Piece, 'answers'> | undefined {
  const [{ text, values }] = members as [Sql]
  const kinds = values.map(typeOf)
  const rows = new Set(members.map(member => member.values.at(-1)))
  if (!UPDATE.test(text) || kinds.includes('') || rows.size < members.length) return undefined
  const shape = `${kinds} ${text}`
  let batched = updates.get(shape)
  if (batched === undefined) {
    batched = updateOf(text, kinds)
    updates.set(shape, batched)
  }
  return {
    query: { text: batched, values: lists(members, [...values.keys()]) },
    split({ rows: changed, command }) {
      const done = new Set(changed.map(row => Number(row[MEMBER])))
      return members.map((_, index) => ({ rows: [], count: done.has(index + 1) ? 1 : 0, command }))
    },
  }
}

/** An UPDATE of the rows that the last list names, with values of the lists `$1`, `$2`, … of these kinds. */
function updateOf(text: string, kinds: readonly string[]): string {
  let column = 0
  const match = UPDATE.exec(text.replace(/\s+/g, ' '))
  if (match === null) throw new Error(`This is no UPDATE by one column: ${text}`)
  const [, table, changes, key] = match as string[] as [string, string, string, string]
  const set = changes.replaceAll('?', () => `k.v${++column}`)
  return `UPDATE ${table} SET ${set} FROM ${listsOf(kinds)} WHERE ${key} = k.v${kinds.length} RETURNING k.${MEMBER}`
}

/** The values of lists `$1`, `$2`, … of these kinds, as rows of columns v1, v2, … with the number of the member, from 1. */
const listsOf = (kinds: readonly string[]): string =>
  `unnest(${kinds.map((kind, index) => `$${index + 1}::${kind}[]`)}) WITH ORDINALITY AS k(${kinds.map((_, index) => `v${index + 1}`)}, ${MEMBER})`
