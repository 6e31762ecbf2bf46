import { closeSync, existsSync, fsyncSync, ftruncateSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { SqliteConnection } from '../../database/sqlite.ts'
import { OperatorError } from '../../operator-error.ts'
import { OWNER_ONLY_FILE } from '../../sync-path.ts'

const KINDS = ['actor', 'entry', 'revision'] as const
type Kind = (typeof KINDS)[number]
/** The ids of one batch, and its last line. */
type Batch = { line: number; added: [Kind, string, number | string][] }

const journalOf = (directory: string): string => join(directory, 'load-ids.ndjson')

/**
 * Opens the ids of a load. The journal is written and synced before a batch commits, and the commit contains the number of its last line
 * (`user_version`), so that after a kill the ids are exactly those of the stored lines. Throws OperatorError if there is nothing to resume,
 * or if there is an interrupted load and `resume` is not set.
 */
export function openLoadIds(directory: string, connection: SqliteConnection, { resume }: { resume: boolean }): LoadIds {
  const path = journalOf(directory)
  const stored = existsSync(path) ? lineIn(connection) : 0
  if (resume && stored === 0) {
    throw new OperatorError(`No load into ${directory} is interrupted; run without --resume.`)
  }
  if (!resume && stored > 0) {
    throw new OperatorError(
      `A load into ${directory} was stopped after line ${stored}; run it with --resume, or delete ${path} to load another file.`,
    )
  }
  if (!resume) setLine(connection, 0)
  const { batches, bytes } = resume ? storedBatches(path, stored) : { batches: [], bytes: 0 }
  const file = openSync(path, 'a', OWNER_ONLY_FILE)
  ftruncateSync(file, bytes)
  const ids = new LoadIds(connection, file, stored)
  for (const one of batches.flatMap(({ added }) => added)) ids.restore(one)
  return ids
}

/** Ends a load that reached the end of its input. */
export function forgetLoadIds(directory: string, connection: SqliteConnection): void {
  setLine(connection, 0)
  rmSync(journalOf(directory), { force: true })
}

/** The map of loaded ids: to numbers for actors, to new ids for entries and revisions. */
export class LoadIds {
  readonly actor = new Map<string, number>()
  readonly entry = new Map<string, string>()
  readonly revision = new Map<string, string>()
  readonly #connection: SqliteConnection
  readonly #file: number
  /** The ids of the current batch, its last line when it is recorded, and the last stored line. */
  #added: Batch['added'] = []
  #recorded: number
  #line: number

  /** `file` is the descriptor of the journal, and `line` the last stored line. */
  constructor(connection: SqliteConnection, file: number, line: number) {
    this.#connection = connection
    this.#file = file
    this.#recorded = line
    this.#line = line
  }

  /** Adds an id of the file. Throws if it is a duplicate of its kind. */
  add<K extends Kind>(kind: K, id: string, value: K extends 'actor' ? number : string): void {
    if (this[kind].has(id)) throw new OperatorError(`the ${kind} id "${id}" was used by an earlier line`)
    this.restore([kind, id, value])
    this.#added.push([kind, id, value])
  }

  /** Adds an id of the journal. */
  restore([kind, id, value]: Batch['added'][number]): void {
    ;(this[kind] as Map<string, number | string>).set(id, value)
  }

  /** Stores durably, within the transaction of a batch, the ids that the batch added up to this line. */
  record(line: number): void {
    writeSync(this.#file, `${JSON.stringify({ line, added: this.#added } satisfies Batch)}\n`)
    fsyncSync(this.#file)
    setLine(this.#connection, line)
    this.#recorded = line
  }

  /** The last recorded batch is committed. */
  commit(): void {
    this.#added = []
    this.#line = this.#recorded
  }

  /** The last stored line. */
  line(): number {
    return this.#line
  }

  close(): void {
    closeSync(this.#file)
  }
}

/** The batches of a journal up to the stored line, and their size in bytes. */
function storedBatches(path: string, stored: number): { batches: Batch[]; bytes: number } {
  const batches: Batch[] = []
  let bytes = 0
  for (const text of readFileSync(path, 'utf8').split('\n').slice(0, -1)) {
    const batch = JSON.parse(text) as Batch
    if (batch.line > stored) break
    batches.push(batch)
    bytes += Buffer.byteLength(text) + 1
  }
  if (batches.at(-1)?.line !== stored) {
    throw new OperatorError(`${path} does not reach line ${stored}, which is stored; load into another directory.`)
  }
  return { batches, bytes }
}

function lineIn({ raw }: SqliteConnection): number {
  return Number((raw.prepare('PRAGMA user_version').get() as { user_version: number }).user_version)
}

const setLine = (connection: SqliteConnection, line: number): void => connection.exec(`PRAGMA user_version = ${line}`)
