import { randomUUID } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, ftruncateSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { Problem } from '../../contract/problem.ts'
import { remedyOf } from '../../contract/problems.ts'
import type { ActorIssued, Entry } from '../../contract/resources.ts'
import type { Transaction } from '../../engine/database.ts'
import type { SqliteConnection } from '../../engine/sqlite.ts'
import { CHECKS, parseJson } from '../../http/check.ts'
import { findActorById } from '../../memory/actors/rows.ts'
import type { Context, WriteName } from '../../memory/operation.ts'
import { runWrite } from '../../memory/run.ts'
import type { Line } from '../../mirror/input-lines.ts'
import { OperatorError } from '../../operator-error.ts'
import { OWNER_ONLY_FILE } from '../../sync-path.ts'

const ID_KINDS = ['actor', 'entry', 'revision'] as const
type IdKind = (typeof ID_KINDS)[number]
/** The ids of one batch, and its last line. */
type Batch = { line: number; added: [IdKind, string, number | string][] }

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
  add<K extends IdKind>(kind: K, id: string, value: K extends 'actor' ? number : string): void {
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

  [Symbol.dispose](): void {
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

/** The target of a load: one transaction at a time. */
export type LoadTarget = {
  tx: Transaction
  context(): Context
  ids: LoadIds
  /** The actor of lines without an actor. */
  nameless(target: LoadTarget): Promise<number>
}

type Fields = Record<string, unknown>
type LineKind = { members: readonly string[]; perform(target: LoadTarget, record: Fields): Promise<void> }

const ID_MAX = 200
const DECLARED = ['actorType', 'declaredName', 'declaredModel', 'declaredProvider']
const TEXT = ['title', 'summary', 'content']

/** All types of lines: their members, and how they are loaded. */
const LINE_KINDS: Record<string, LineKind> = {
  actor: {
    members: ['id', ...DECLARED],
    async perform(target, record) {
      target.ids.add('actor', ownId(record, 'id'), await makeActor(target, pick(record, DECLARED)))
    },
  },
  entry: {
    members: ['id', 'revisionId', 'actorId', ...TEXT, 'tags', 'sources'],
    async perform(target, record) {
      const body = { ...pick(record, [...TEXT, 'tags']), ...sourcesOf(target, record) }
      const entry = (await write(target, 'createEntry', { actor: await actorOf(target, record), body })) as Entry
      target.ids.add('entry', ownId(record, 'id'), entry.id)
      if (record.revisionId !== undefined) {
        target.ids.add('revision', ownId(record, 'revisionId'), entry.currentRevisionId)
      }
    },
  },
  revision: {
    members: ['id', 'entryId', 'actorId', 'previousRevisionId', ...TEXT, 'changeType', 'rationale', 'sources'],
    async perform(target, record) {
      const body = {
        ...pick(record, [...TEXT, 'changeType', 'rationale']),
        ...sourcesOf(target, record),
        previousRevisionId: idOf(target, record, 'previousRevisionId', 'revision'),
      }
      const slug = idOf(target, record, 'entryId', 'entry')
      const actor = await actorOf(target, record)
      const entry = (await write(target, 'reviseEntry', { actor, slug, body })) as Entry
      target.ids.add('revision', ownId(record, 'id'), entry.currentRevisionId)
    },
  },
  verification: {
    members: ['id', 'entryId', 'revisionId', 'actorId', 'result', 'confidence', 'rationale'],
    async perform(target, record) {
      const revisionId = idOf(target, record, 'revisionId', 'revision')
      const body = { ...pick(record, ['result', 'confidence', 'rationale']), revisionId }
      const slug = idOf(target, record, 'entryId', 'entry')
      await write(target, 'verifyRevision', { actor: await actorOf(target, record), slug, body })
    },
  },
  contradiction: {
    members: ['id', 'entryId', 'revisionId', 'actorId', 'rationale', 'sourceEntryId'],
    async perform(target, record) {
      const source =
        record.sourceEntryId === undefined ? {} : { sourceEntryId: idOf(target, record, 'sourceEntryId', 'entry') }
      const revisionId = idOf(target, record, 'revisionId', 'revision')
      const body = { ...pick(record, ['rationale']), revisionId, ...source }
      const slug = idOf(target, record, 'entryId', 'entry')
      await write(target, 'contradictRevision', { actor: await actorOf(target, record), slug, body })
    },
  },
  relation: {
    members: ['id', 'actorId', 'sourceEntryId', 'targetEntryId', 'relationType', 'rationale'],
    async perform(target, record) {
      const ends = {
        sourceEntryId: idOf(target, record, 'sourceEntryId', 'entry'),
        targetEntryId: idOf(target, record, 'targetEntryId', 'entry'),
      }
      const body = { ...pick(record, ['relationType', 'rationale']), ...ends }
      await write(target, 'relateEntries', { actor: await actorOf(target, record), body })
    },
  },
}

/** Loads one line with the same checks and operations as over HTTP. Throws an OperatorError that names the fault. */
export async function loadLine(target: LoadTarget, { number, bytes }: Line): Promise<void> {
  try {
    await loadRecord(target, recordOf(bytes))
  } catch (error) {
    throw error instanceof OperatorError ? new OperatorError(`line ${number}: ${error.message}`) : error
  }
}

async function loadRecord(target: LoadTarget, { type, ...fields }: Fields): Promise<void> {
  if (type === 'export') throw new OperatorError('it begins an export; "palimpsest import" reads it')
  const kind = typeof type === 'string' && Object.hasOwn(LINE_KINDS, type) ? LINE_KINDS[type] : undefined
  if (kind === undefined) {
    throw new OperatorError(
      `type is ${JSON.stringify(type) ?? 'missing'}; it is one of ${Object.keys(LINE_KINDS).join(', ')}`,
    )
  }
  const strange = Object.keys(fields).find(name => !kind.members.includes(name))
  if (strange === 'sequence') throw new OperatorError('it is a line of an export; "palimpsest import" reads it')
  if (strange !== undefined) throw new OperatorError(`a line of type ${String(type)} has no member "${strange}"`)
  await kind.perform(target, fields)
}

/** Creates an actor and returns its number. */
export async function makeActor(target: LoadTarget, body: Fields): Promise<number> {
  const { actor } = (await write(target, 'createActor', { actor: null, body })) as ActorIssued
  const row = await findActorById(target.tx, actor.id)
  if (row === undefined) throw new Error(`Actor ${actor.id} was not stored.`)
  return row.number
}

async function write(
  { tx, context }: LoadTarget,
  name: WriteName,
  { actor, slug, body }: { actor: number | null; slug?: string; body: Fields },
): Promise<object> {
  try {
    const checked = CHECKS[name].body(body)
    const caller = { requestId: randomUUID(), actor, origin: null }
    const params = slug === undefined ? {} : { slug }
    const answer = await runWrite(name, tx, context(), { params, body: checked, caller })
    return answer.body
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    throw new OperatorError(`${error.code}: ${remedyOf(error.code, error.detail.member).replace(/\.$/, '')}`)
  }
}

function recordOf(bytes: Buffer): Fields {
  let record: unknown
  try {
    record = parseJson(bytes)
  } catch {
    throw new OperatorError('it is not JSON in UTF-8')
  }
  if (typeof record !== 'object' || record === null || Array.isArray(record)) {
    throw new OperatorError('it is not a JSON object')
  }
  return record as Fields
}

const pick = (record: Fields, names: readonly string[]): Fields =>
  Object.fromEntries(names.filter(name => Object.hasOwn(record, name)).map(name => [name, record[name]]))

function ownId(record: Fields, member: string): string {
  const id = record[member]
  if (typeof id !== 'string' || id === '' || id.length > ID_MAX) {
    throw new OperatorError(`${member} is ${id === undefined ? 'missing' : 'not a string of 1 to 200 characters'}`)
  }
  return id
}

function idOf(target: LoadTarget, record: Fields, member: string, kind: 'entry' | 'revision'): string {
  const id = ownId(record, member)
  const found = target.ids[kind].get(id)
  if (found === undefined) throw new OperatorError(`${member} "${id}" is the ${kind} of no earlier line`)
  return found
}

async function actorOf(target: LoadTarget, record: Fields): Promise<number> {
  if (record.actorId === undefined) return target.nameless(target)
  const id = ownId(record, 'actorId')
  const actor = target.ids.actor.get(id)
  if (actor === undefined) throw new OperatorError(`actorId "${id}" is the actor of no earlier line`)
  return actor
}

/** The sources with their new ids. The schema checks other shapes. */
function sourcesOf(target: LoadTarget, { sources }: Fields): Fields {
  if (!Array.isArray(sources)) return sources === undefined ? {} : { sources }
  return {
    sources: sources.map((source: unknown, index) => {
      if (typeof source !== 'object' || source === null || !('entryId' in source) || !('revisionId' in source))
        return source
      try {
        return {
          ...source,
          entryId: idOf(target, source as Fields, 'entryId', 'entry'),
          revisionId: idOf(target, source as Fields, 'revisionId', 'revision'),
        }
      } catch (error) {
        throw new OperatorError(`sources.${index}: ${(error as Error).message}`)
      }
    }),
  }
}
