import { closeSync, existsSync, fsyncSync, ftruncateSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { SqliteConnection } from '../database/sqlite.ts'
import { OperatorError } from '../operator-error.ts'

const KINDS = ['actor', 'entry', 'revision'] as const
type Kind = (typeof KINDS)[number]
/** The ids of one batch, and its last line. */
type Batch = { line: number; added: [Kind, string, number | string][] }

/** The map of imported ids: to numbers for actors, to new ids for entries and revisions. */
export type ImportIds = {
  actor: Map<string, number>
  entry: Map<string, string>
  revision: Map<string, string>
  /** Adds an id of the file. Throws if it is a duplicate of its kind. */
  add<K extends Kind>(kind: K, id: string, value: K extends 'actor' ? number : string): void
  /** Stores durably, within the transaction of a batch, the ids that the batch added up to this line. */
  record(line: number): void
  /** The last recorded batch is committed. */
  commit(): void
  /** The last stored line. */
  line(): number
  close(): void
}

const journalOf = (directory: string): string => join(directory, 'import-ids.ndjson')

/**
 * Opens the ids of an import. The journal is written and synced before a batch commits, and the commit contains the number of its last line
 * (`user_version`), so that after a kill the ids are exactly those of the stored lines. Throws OperatorError if there is nothing to resume,
 * or if there is an interrupted import and `resume` is not set.
 */
export function openImportIds(directory: string, connection: SqliteConnection, resume: boolean): ImportIds {
  const path = journalOf(directory)
  const stored = existsSync(path) ? lineIn(connection) : 0
  if (resume && stored === 0) {
    throw new OperatorError(`No import into ${directory} is interrupted; run without --resume.`)
  }
  if (!resume && stored > 0) {
    throw new OperatorError(
      `An import into ${directory} was stopped after line ${stored}; run it with --resume, or delete ${path} to import another file.`,
    )
  }
  if (!resume) setLine(connection, 0)
  const { batches, bytes } = resume ? storedBatches(path, stored) : { batches: [], bytes: 0 }
  const file = openSync(path, 'a', 0o600)
  ftruncateSync(file, bytes)
  const ids = createImportIds(connection, file, stored)
  for (const [kind, id, value] of batches.flatMap(({ added }) => added)) ids[kind].set(id, value as never)
  return ids
}

/** Ends an import that reached the end of its input. */
export function forgetImportIds(directory: string, connection: SqliteConnection): void {
  setLine(connection, 0)
  rmSync(journalOf(directory), { force: true })
}

function createImportIds(connection: SqliteConnection, file: number, stored: number): ImportIds {
  const maps = {
    actor: new Map<string, number>(),
    entry: new Map<string, string>(),
    revision: new Map<string, string>(),
  }
  let added: Batch['added'] = []
  let recorded = stored
  let line = stored
  return {
    ...maps,
    add(kind, id, value) {
      if (maps[kind].has(id)) throw new OperatorError(`the ${kind} id "${id}" was used by an earlier line`)
      ;(maps[kind] as Map<string, number | string>).set(id, value)
      added.push([kind, id, value])
    },
    record(last) {
      writeSync(file, `${JSON.stringify({ line: last, added } satisfies Batch)}\n`)
      fsyncSync(file)
      setLine(connection, last)
      recorded = last
    },
    commit() {
      added = []
      line = recorded
    },
    line: () => line,
    close: () => closeSync(file),
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
    throw new OperatorError(`${path} does not reach line ${stored}, which is stored; import into another directory.`)
  }
  return { batches, bytes }
}

function lineIn({ raw }: SqliteConnection): number {
  return Number((raw.prepare('PRAGMA user_version').get() as { user_version: number }).user_version)
}

const setLine = (connection: SqliteConnection, line: number): void => connection.exec(`PRAGMA user_version = ${line}`)
