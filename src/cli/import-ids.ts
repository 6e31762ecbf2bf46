import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from '../operator-error.ts'

const KINDS = ['actor', 'entry', 'revision'] as const
type Kind = (typeof KINDS)[number]
type Saved = { line: number; actor: [string, number][]; entry: [string, string][]; revision: [string, string][] }

/** What the ids of the imported lines became here: of actors their numbers, of entries and revisions their new ids. */
export type ImportIds = {
  actor: Map<string, number>
  entry: Map<string, string>
  revision: Map<string, string>
  /** Keeps an id of the file; a second one of its kind is refused. */
  add<K extends Kind>(kind: K, id: string, value: K extends 'actor' ? number : string): void
  /** What was added since the last commit is there to stay, up to this line. */
  commit(line: number): void
  /** What was added since the last commit is forgotten. */
  rollback(): void
  /** The last line that is stored. */
  line(): number
}

const idsFile = (directory: string): string => join(directory, 'import-ids.json')

export function createImportIds(saved?: Saved): ImportIds {
  const maps = {
    actor: new Map<string, number>(saved?.actor),
    entry: new Map<string, string>(saved?.entry),
    revision: new Map<string, string>(saved?.revision),
  }
  let added: [Kind, string][] = []
  let line = saved?.line ?? 0
  return {
    ...maps,
    add(kind, id, value) {
      if (maps[kind].has(id)) throw new OperatorError(`the ${kind} id "${id}" was used by an earlier line`)
      ;(maps[kind] as Map<string, number | string>).set(id, value)
      added.push([kind, id])
    },
    commit(stored) {
      added = []
      line = stored
    },
    rollback() {
      for (const [kind, id] of added) maps[kind].delete(id)
      added = []
    },
    line: () => line,
  }
}

/** Keeps the ids of an import that stopped, so that it can go on. */
export function saveImportIds(directory: string, ids: ImportIds): void {
  const saved: Saved = { line: ids.line(), actor: [...ids.actor], entry: [...ids.entry], revision: [...ids.revision] }
  writeFileSync(idsFile(directory), JSON.stringify(saved), { mode: 0o600 })
}

/** The ids of the import that stopped last. */
export function loadImportIds(directory: string): ImportIds {
  if (!existsSync(idsFile(directory))) {
    throw new OperatorError(`No import into ${directory} was stopped before its end; run without --resume.`)
  }
  return createImportIds(JSON.parse(readFileSync(idsFile(directory), 'utf8')) as Saved)
}

export const forgetImportIds = (directory: string): void => rmSync(idsFile(directory), { force: true })
