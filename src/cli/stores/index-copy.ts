import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { openSqlite } from '../../engine/sqlite.ts'
import { indexedState, type StoreState } from '../../find/index/file.ts'
import { OperatorError } from '../../operator-error.ts'
import { createProgress, type Sink, sizeText } from '../../progress.ts'
import { indexFile, lockDataDirectory, nodeIndexFile, prepareDataDirectory } from '../../stores/embedded/directory.ts'
import { OWNER_ONLY_FILE } from '../../sync-path.ts'
import { EXIT, type Invocation, required, UsageError } from '../command.ts'
import { copyDatabase } from './backup.ts'
import { makeWholeFile } from './whole-file.ts'

/** Runs `palimpsest index copy`. */
export async function indexCommand(invocation: Invocation): Promise<number> {
  const [action] = invocation.args
  if (action !== 'copy') throw new UsageError(`"${action}" is not an action of "palimpsest index"; the action is copy.`)
  const source = sourceOf(required(invocation, 'from', 'a search index, or its data directory'))
  const directory = prepareDataDirectory(required(invocation, 'to', 'the data directory of the new node'))
  using _lock = lockDataDirectory(directory)
  const file = nodeIndexFile(directory)
  const { record } = await makeWholeFile(file, OWNER_ONLY_FILE, partial =>
    copyIndex(source, partial, invocation.stderr),
  )
  const size = sizeText(statSync(file).size)
  invocation.stdout.write(`${file} is a complete copy of ${source}, up to record ${record}: ${size}.\n`)
  return EXIT.ok
}

/** The index file of a path: the path itself, or the index of a node or of a store in this directory. */
function sourceOf(given: string): string {
  const path = resolve(given)
  const known = [nodeIndexFile(path), indexFile(path)]
  const file = statSync(path, { throwIfNoEntry: false })?.isDirectory() ? known.find(existsSync) : path
  if (file !== undefined && existsSync(file)) return file
  throw new OperatorError(
    `There is no search index at ${path}; name search-node.db of a node, search.db of a store, or the data directory of one.`,
  )
}

/** Copies one state of an index, also while it is written, and returns that state. */
async function copyIndex(source: string, partial: string, stderr: Sink): Promise<StoreState> {
  using index = reading(source)
  using progress = createProgress(stderr)
  progress.phase('Copying the search index')
  // The copy reads inside this transaction, so that a writer does not restart it.
  index.exec('BEGIN')
  const state = stateOf(source, () => indexedState(index))
  await copyDatabase(index, partial, progress)
  return state
}

function reading(source: string) {
  try {
    return openSqlite(source, 'read')
  } catch (error) {
    throw unreadable(source, (error as Error).message)
  }
}

/** The state of an index. Throws for a file of another kind or of another version of the service. */
function stateOf(source: string, read: () => StoreState | undefined): StoreState {
  let state: StoreState | undefined
  try {
    state = read()
  } catch (error) {
    throw unreadable(source, (error as Error).message)
  }
  if (state === undefined) throw unreadable(source, 'it is another kind of file, or of another version')
  return state
}

const unreadable = (source: string, reason: string): OperatorError =>
  new OperatorError(
    `${source} is not a search index that can be copied (${reason.replace(/\.$/, '')}); start the node without a copy; it builds its own.`,
  )
