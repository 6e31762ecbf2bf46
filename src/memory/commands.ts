import { randomBytes, randomFillSync } from 'node:crypto'
import { v7 as uuid } from 'uuid'
import type { Awaitable, Reader, Transaction } from '../engine/database.ts'
import { notBefore, type Work } from '../engine/group-commit.ts'
import { prepareEntry } from './entries/create.ts'
import { prepareRevision } from './entries/revise.ts'
import type { Context, Prepared, WriteName, WriteRequest } from './operation.ts'
import { MAINTENANCE, type MaintenanceName, WRITES } from './run.ts'
import type { WriteEnvironment } from './store.ts'

/** Random bytes per id, and ids per call of the random generator, which takes most of the time of an id. */
const ID_BYTES = 16
const IDS_AT_ONCE = 256

/**
 * Returns the function that makes the contexts of one writing process. The time of a context follows the clock. It is never earlier than
 * the time of a previous context or than `floor`, the time of the newest commit of any process, unless the clock was set back by more than
 * a minute. Ids of the same millisecond sort in the order of their creation.
 */
export function createContexts(): (environment: WriteEnvironment, floor?: number) => Context {
  let latest = 0
  let made = 0
  // Each id has random bytes of its own. They are a view of bytes that are drawn for many ids at once.
  const drawn = new Uint8Array(ID_BYTES * IDS_AT_ONCE)
  let from = drawn.length
  return (environment, floor = 0) => {
    const at = notBefore(latest, notBefore(floor, environment.at))
    if (at !== latest) {
      latest = at
      made = 0
    }
    return {
      ...environment,
      now: environment.at,
      at: latest,
      newId() {
        if (from === drawn.length) {
          randomFillSync(drawn)
          from = 0
        }
        from += ID_BYTES
        return uuid({ msecs: latest, seq: made++, random: drawn.subarray(from - ID_BYTES, from) })
      },
      randomBytes,
    }
  }
}

/** A write as data: the operation, its input and its environment. */
export type Command = { name: WriteName | MaintenanceName; input: unknown; environment: WriteEnvironment }

/** What is left to do in the files of a store after a command: `rewrite` them after an erasure, `truncate` the log after another deletion. */
type Residue = 'rewrite' | 'truncate' | undefined
export const RESIDUES: Partial<Record<Command['name'], (input: unknown, result: unknown) => Residue>> = {
  moderate: input => ((input as WriteRequest<'moderate'>).body.action === 'ERASE' ? 'rewrite' : undefined),
  applyErasures: () => 'rewrite',
  keepMirrored: (_, result) => (result === 'ERASED' ? 'rewrite' : result === 'WITHDRAWN' ? 'truncate' : undefined),
  sweep: (_, result) => (result === false ? 'truncate' : undefined),
}

type RunCommand = (tx: Transaction, context: Context, input: unknown) => Promise<unknown>
const RUNS = { ...WRITES, ...MAINTENANCE } as unknown as Record<Command['name'], RunCommand>

/** Computes what takes long of a write before the transaction and its locks. */
const PREPARED = { createEntry: prepareEntry, reviseEntry: prepareRevision }
type Prepare = (input: unknown, reader: Reader | undefined) => Awaitable<Prepared>
const PREPARES: Partial<Record<Command['name'], Prepare>> = PREPARED as Record<keyof typeof PREPARED, Prepare>

/**
 * Returns the function that prepares commands and converts them to units of work. With a reader, which reads what is committed, the rows that
 * a preparation needs are read before the transaction too, so that other nodes wait for its locks for a shorter time. The only writer of a
 * store needs none: it would read them twice.
 */
export function createWorks(reader?: Reader): (command: Command) => Promise<Work> {
  const contextOf = createContexts()
  return async ({ name, input, environment }) => {
    const prepare = PREPARES[name]
    const request = prepare === undefined ? input : { ...(input as object), prepared: await prepare(input, reader) }
    return (tx, floor) => RUNS[name](tx, contextOf(environment, floor), request)
  }
}
