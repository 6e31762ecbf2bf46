import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { backup } from 'node:sqlite'
import { openSqlite } from '../database/sqlite.ts'
import { lockDataDirectory, prepareDataDirectory } from '../embedded/data-directory.ts'
import { indexFile, nodeIndexFile } from '../embedded/files.ts'
import { OperatorError } from '../operator-error.ts'
import { indexedState, type StoreState } from '../search/index-file.ts'
import { EXIT, type Invocation, required, UsageError } from './command.ts'
import { createProgress, percent, sizeText } from './progress.ts'
import { makeWholeFile } from './whole-file.ts'

/** Pages copied between two turns of the event loop. */
const PAGES_PER_STEP = 1_024
const OWNER_ONLY = 0o600

/** Runs `palimpsest index copy`. */
export async function indexCommand(invocation: Invocation): Promise<number> {
  const [action] = invocation.args
  if (action !== 'copy') throw new UsageError(`"${action}" is no action of "palimpsest index"; the action is copy.`)
  const source = sourceOf(required(invocation, 'from', 'a search index, or the data directory that has it'))
  const directory = prepareDataDirectory(required(invocation, 'to', 'the data directory of the new node'))
  const unlock = lockDataDirectory(directory)
  try {
    const file = nodeIndexFile(directory)
    const { record } = await makeWholeFile(file, OWNER_ONLY, partial => copyIndex(source, partial))
    const size = sizeText(statSync(file).size)
    invocation.stdout.write(`${file} is a whole copy of ${source}, up to record ${record}: ${size}.\n`)
    return EXIT.ok
  } finally {
    unlock()
  }
}

/** The index file that a path names: itself, or that of a node or else of a store in this directory. */
function sourceOf(given: string): string {
  const path = resolve(given)
  const known = [nodeIndexFile(path), indexFile(path)]
  const file = statSync(path, { throwIfNoEntry: false })?.isDirectory() ? known.find(existsSync) : path
  if (file !== undefined && existsSync(file)) return file
  throw new OperatorError(
    `There is no search index at ${path}; name search-node.db of a node, search.db of a store, or the data directory of one.`,
  )
}

/** Copies one state of an index, which may be written to at the same time, and returns that state. */
async function copyIndex(source: string, partial: string): Promise<StoreState> {
  const progress = createProgress()
  const index = reading(source)
  try {
    progress.phase('Copying the search index')
    // The copy reads inside this transaction, so that a writer does not make it begin again.
    index.exec('BEGIN')
    const state = stateOf(source, () => indexedState(index))
    await backup(index.raw, partial, {
      rate: PAGES_PER_STEP,
      progress: ({ totalPages, remainingPages }) =>
        progress.tell(() => `Copied ${percent(totalPages - remainingPages, totalPages)}`),
    })
    return state
  } finally {
    progress.end()
    index.close()
  }
}

function reading(source: string) {
  try {
    return openSqlite(source, 'read')
  } catch (error) {
    throw unreadable(source, (error as Error).message)
  }
}

/** The state of an index; a file of another kind or of another version of the service is refused. */
function stateOf(source: string, read: () => StoreState | undefined): StoreState {
  let state: StoreState | undefined
  try {
    state = read()
  } catch (error) {
    throw unreadable(source, (error as Error).message)
  }
  if (state === undefined) throw unreadable(source, 'it is none, or was made by another version')
  return state
}

const unreadable = (source: string, reason: string): OperatorError =>
  new OperatorError(
    `${source} is not a search index that can be copied (${reason.replace(/\.$/, '')}); start the node without a copy, it makes its own.`,
  )
