import { setTimeout } from 'node:timers/promises'
import type { Migration } from './schema.ts'

export type Value = string | number | null

/**
 * A statement of the dialect that both engines share: `?` marks the place of each value. Build it with the `sql` tag only. Columns are
 * TEXT, INTEGER (64 bit) and REAL. Times are milliseconds since 1970, booleans 0 and 1, sets JSON text. The application generates ids and
 * times. A compare-and-swap is a condition in WHERE. No LIKE, no FOR UPDATE, and no functions but coalesce, count, max and sum. Every list
 * and read has an index; plan tests check it on both engines.
 */
export type Sql = { readonly text: string; readonly values: readonly Value[] }

/** The last text that was made of a template, and the texts of its nested statements at the places of its parts. */
type KnownText = { nested: readonly (string | undefined)[]; text: string }
const knownTexts = new WeakMap<TemplateStringsArray, KnownText>()

/**
 * Tags a template as SQL: values become parameters, a nested `sql` is spliced in. The text depends on the source alone: each statement is
 * prepared once. The same text is also the same object, so that its hash is computed once.
 */
export function sql(strings: TemplateStringsArray, ...parts: (Value | Sql)[]): Sql {
  const known = knownTexts.get(strings)
  let isKnown = known !== undefined
  const values: Value[] = []
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at] as Value | Sql
    const isNested = typeof part === 'object' && part !== null
    if (!isNested) values.push(part)
    else for (const value of part.values) values.push(value)
    if (isKnown) isKnown = known?.nested[at] === (isNested ? part.text : undefined)
  }
  return { text: known !== undefined && isKnown ? known.text : newText(strings, parts), values }
}

function newText(strings: TemplateStringsArray, parts: readonly (Value | Sql)[]): string {
  const nested = parts.map(part => (typeof part === 'object' && part !== null ? part.text : undefined))
  const text = strings.reduce((before, after, at) => `${before}${nested[at - 1] ?? '?'}${after}`)
  knownTexts.set(strings, { nested, text })
  return text
}

export type Row = Record<string, Value>

/** The result of an engine. An engine in this process returns a value, an engine across a network a promise. Callers always await. */
export type Awaitable<T> = T | Promise<T>

/** Reads committed data. One statement sees one state of the store. */
export type Reader = {
  one<R = Row>(statement: Sql): Awaitable<R | undefined>
  all<R = Row>(statement: Sql): Awaitable<R[]>
}

/** A value that the works of a transaction change. It is loaded on first use, changed in memory, and written once before the commit. */
export type Loadable<T> = {
  load(reader: Reader): Awaitable<T>
  save(saver: Saver, value: T): Awaitable<unknown>
}

/** Writes the loaded values. It may send all statements together, so `run` returns nothing. */
type Saver = { run(statement: Sql): unknown }

/** Reads and writes inside one atomic transaction; `run` returns the number of changed rows. */
export type Transaction = Reader & {
  run(statement: Sql): Awaitable<number>
  /** Returns the value, to be changed in place. */
  load<T>(loadable: Loadable<T>): Promise<T>
  /**
   * Locks a key until this work has ended: other works of the same transaction wait for it. Returns true if this work had to wait; rows
   * that it read before may then have changed. Lock keys in this order: actor, network, entries (sorted), slug.
   */
  lock(key: string): Awaitable<boolean>
}

/**
 * Runs `work` in an atomic transaction and resolves with its result once that is durable. Several works may share one commit. If a work
 * throws, its changes are rolled back and the error is passed on. If the commit fails, every work of it rejects with a `StoreFault`.
 */
export type Write = <T>(work: (transaction: Transaction) => Awaitable<T>) => Promise<T>

/**
 * The engine failed. Nothing was stored, unless the outcome is unknown: a failed commit may exist after a restart. `full` ends when there
 * is free space again, `unavailable` when the database can be reached again; `broken` does not end.
 */
export class StoreFault extends Error {
  readonly kind: 'full' | 'broken' | 'unavailable'
  readonly outcomeUnknown: boolean

  constructor(kind: StoreFault['kind'], cause: unknown, { outcomeUnknown = false } = {}) {
    super(
      kind === 'full'
        ? 'The disk is full.'
        : `The store ${kind === 'broken' ? 'failed' : 'cannot be reached'}: ${(cause as Error).message}`,
      { cause },
    )
    this.name = 'StoreFault'
    this.kind = kind
    this.outcomeUnknown = outcomeUnknown
  }
}

/** The row of a statement that always has one, such as a count. Throws if it has none. */
export function only<R>(row: R | undefined): R {
  if (row === undefined) throw new Error('A statement that always has a row has none.')
  return row
}

/** The value of a key that a map always has. Throws if the map does not have it. */
export function getOrThrow<K, V>(map: ReadonlyMap<K, V>, key: K): V {
  const value = map.get(key)
  if (value === undefined) throw new Error('A map that always has a key does not have it.')
  return value
}

/** Whether an error ends when the database can be reached again. */
export const isUnavailable = (error: unknown): boolean => error instanceof StoreFault && error.kind === 'unavailable'

/** The statements of a step for one engine. */
export const ddlFor = (
  { shared = '', sqlite = '', postgres = '' }: Migration,
  engine: 'sqlite' | 'postgres',
): string => (engine === 'sqlite' ? `${shared};${sqlite}` : postgresDdl(`${shared};${postgres}`))

/**
 * Translates DDL of the dialect to PostgreSQL: 64-bit numbers, text compared byte by byte, generated keys for a missing `number`.
 * References are left out: checking them takes longer than the rest of a create, and `palimpsest check` verifies them.
 */
const postgresDdl = (ddl: string): string =>
  ddl
    .replaceAll(/\) STRICT(, WITHOUT ROWID)?/g, ')')
    .replaceAll(/ REFERENCES \w+( DEFERRABLE INITIALLY DEFERRED)?/g, '')
    .replaceAll('number INTEGER PRIMARY KEY', 'number BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY')
    .replaceAll(/\bINTEGER\b/g, 'BIGINT')
    .replaceAll(/\bREAL\b/g, 'DOUBLE PRECISION')
    .replaceAll(/\bTEXT\b/g, 'TEXT COLLATE "C"')

/** A column that references the rows of another table. */
export type Reference = { table: string; column: string; parent: string }

/** The references that a step declares. */
export const referencesOf = (step: Migration): Reference[] =>
  [...ddlFor(step, 'sqlite').matchAll(/CREATE TABLE (\w+) \(([^;]*)\) STRICT/g)].flatMap(
    ([, table = '', columns = '']) =>
      [...columns.matchAll(/^\s*(\w+) INTEGER[^,]* REFERENCES (\w+)/gm)].map(([, column = '', parent = '']) => ({
        table,
        column,
        parent,
      })),
  )

const never = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))

/** Blocks this thread for some milliseconds. */
export function blockThread(milliseconds: number): void {
  Atomics.wait(never, 0, 0, milliseconds)
}

/** Resolves after some milliseconds, or at once when `signal` is aborted. Does not keep the process alive. */
export const waitUnlessAborted = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  setTimeout(milliseconds, undefined, { signal, ref: false }).catch(() => {})
