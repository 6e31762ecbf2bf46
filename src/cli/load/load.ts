import type { DataClass } from '../../contract/vocabulary.ts'
import type { Transaction } from '../../engine/database.ts'
import { type SqliteConnection, transact } from '../../engine/sqlite.ts'
import { createContexts } from '../../memory/commands.ts'
import { assertNoMirror } from '../../mirror/check.ts'
import { type Input, type Line, openLines } from '../../mirror/input-lines.ts'
import { OperatorError } from '../../operator-error.ts'
import { createProgress, type Progress, percent } from '../../progress.ts'
import { openStoreForWriting } from '../../stores/embedded/create.ts'
import { lockDataDirectory, prepareDataDirectory } from '../../stores/embedded/directory.ts'
import { countLines, countStore } from '../check/check.ts'
import { EXIT, type Invocation, required, UsageError } from '../command.ts'
import { assertEmbedded, dataDirOf } from '../stores/snapshot.ts'
import { forgetLoadIds, type LoadIds, type LoadTarget, loadLine, makeActor, openLoadIds } from './record.ts'

const BATCH = '500'
const BATCH_MAX = 100_000
const CLASSES: readonly DataClass[] = ['SYNTHETIC', 'INTERNAL']
const PROGRESS_INTERVAL = 1_000

/** Publishes lines of JSON in a store that is not being served. Batches before an invalid line stay, and the load can continue after it. */
export async function loadRecords(invocation: Invocation): Promise<number> {
  assertEmbedded(
    invocation,
    'load',
    'load into a new data directory without it, then use "palimpsest copy" to copy it into an empty database',
  )
  const from = required(invocation, 'from', 'the file to read, or - for standard input')
  const dataClass = classOf(invocation)
  const batch = batchOf(invocation)
  const input = openLines(from, invocation.stdin, 'load')
  const directory = prepareDataDirectory(dataDirOf(invocation))
  using _lock = lockDataDirectory(directory)
  using progress = createProgress(invocation.stderr, PROGRESS_INTERVAL)
  const began = performance.now()
  using connection = await openStoreForWriting(directory)
  await assertNoMirror(connection, 'load into another directory')
  using ids = openLoadIds(directory, connection, { resume: invocation.switches.has('resume') })
  try {
    const stored = await runLoad({ connection, input, ids, dataClass, batch, progress })
    forgetLoadIds(directory, connection)
    progress.end()
    const seconds = (performance.now() - began) / 1_000
    const rate = Math.round(stored / seconds)
    invocation.stdout.write(
      `Loaded ${stored} lines in ${seconds.toFixed(1)} s, ${rate} lines/s; the store now contains\n${countLines(await countStore(connection))}`,
    )
    return EXIT.ok
  } catch (error) {
    throw stopped(error, ids.line())
  }
}

/** Adds to an error the number of stored lines and the remedy. */
function stopped(error: unknown, line: number): unknown {
  const fault = error instanceof Error && error.name === 'StoreFault'
  if (!(error instanceof OperatorError) && !fault) return error
  const reason = error.message.replace(/\.$/, '')
  const advice =
    line === 0
      ? 'Nothing was stored; correct the line and run the command again.'
      : `Lines 1 to ${line} are stored; correct the next line and run the same command with --resume.`
  return new OperatorError(`${reason}. ${advice}`)
}

function classOf({ flags }: Invocation): DataClass {
  const dataClass = CLASSES.find(one => one === (flags.class ?? 'SYNTHETIC'))
  if (dataClass === undefined) throw new UsageError(`--class must be ${CLASSES.join(' or ')}, not "${flags.class}".`)
  return dataClass
}

function batchOf({ flags }: Invocation): number {
  const text = flags.batch ?? BATCH
  const batch = Number(text)
  if (!/^\d+$/.test(text) || batch < 1 || batch > BATCH_MAX) {
    throw new UsageError(`--batch must be a whole number from 1 to ${BATCH_MAX}, not "${text}".`)
  }
  return batch
}

type LoadRun = {
  connection: SqliteConnection
  input: Input
  ids: LoadIds
  dataClass: DataClass
  /** Lines per transaction. */
  batch: number
  progress: Progress
}

/** Loads all lines of the input in atomic batches. Returns their number. */
async function runLoad(run: LoadRun): Promise<number> {
  const { input, ids, batch, progress } = run
  const target = targetOf(run)
  const began = performance.now()
  let stored = 0
  const keep = async (lines: readonly Line[]): Promise<void> => {
    const last = lines.at(-1)
    if (last === undefined) return
    await storeBatch(run, target, lines, last.number)
    stored += lines.length
    progress.update(() => standing(stored, began, last.read, input.size))
    // Signals are handled between batches. A stop makes the input throw.
    await new Promise(setImmediate)
  }
  process.on('SIGINT', input.stop).on('SIGTERM', input.stop)
  try {
    let lines: Line[] = []
    for await (const line of input.lines) {
      if (line.number > ids.line()) lines.push(line)
      if (lines.length < batch) continue
      await keep(lines)
      lines = []
    }
    await keep(lines)
    return stored
  } finally {
    process.removeListener('SIGINT', input.stop).removeListener('SIGTERM', input.stop)
  }
}

async function storeBatch(
  { connection, ids }: LoadRun,
  target: Omit<LoadTarget, 'tx'>,
  lines: readonly Line[],
  last: number,
): Promise<void> {
  const work = async (tx: Transaction): Promise<void> => {
    for (const line of lines) await loadLine({ ...target, tx }, line)
  }
  await transact(connection, work, () => ids.record(last))
  ids.commit()
}

/** The id of the actor for lines without an actor. No line may use it. */
const NAMELESS = ''

function targetOf({ ids, dataClass }: LoadRun): Omit<LoadTarget, 'tx'> {
  const contextOf = createContexts()
  return {
    context: () => contextOf({ at: Date.now(), cooldown: 0, dataClass }),
    ids,
    async nameless(target) {
      const known = ids.actor.get(NAMELESS)
      if (known !== undefined) return known
      const actor = await makeActor(target, { declaredName: 'load' })
      ids.add('actor', NAMELESS, actor)
      return actor
    },
  }
}

function standing(stored: number, began: number, read: number, size: number | undefined): string {
  const rate = Math.round(stored / ((performance.now() - began) / 1_000))
  return `${stored} lines, ${rate} lines/s${size === undefined ? '' : `, ${percent(read, size)}`}`
}
