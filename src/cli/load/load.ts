import type { DataClass } from '../../contract/vocabulary.ts'
import { openStoreForWriting } from '../../embedded/create.ts'
import { lockDataDirectory, prepareDataDirectory } from '../../embedded/data-directory.ts'
import { OperatorError } from '../../operator-error.ts'
import { countLines, countStore } from '../check/store.ts'
import { EXIT, type Invocation, required, UsageError } from '../command.ts'
import { openLines } from '../export/input-lines.ts'
import { assertNoMirror } from '../mirror/assert.ts'
import { createProgress } from '../progress.ts'
import { assertEmbedded, dataDirOf } from '../stores/data-dir.ts'
import { forgetLoadIds, type LoadIds, openLoadIds } from './ids.ts'
import { runLoad } from './run.ts'

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
  const unlock = lockDataDirectory(directory)
  const progress = createProgress(invocation.stderr, PROGRESS_INTERVAL)
  const began = performance.now()
  try {
    const connection = await openStoreForWriting(directory)
    let ids: LoadIds | undefined
    try {
      await assertNoMirror(connection, 'load into another directory')
      ids = openLoadIds(directory, connection, { resume: invocation.switches.has('resume') })
      const stored = await runLoad({ connection, input, ids, dataClass, batch, progress })
      forgetLoadIds(directory, connection)
      progress.end()
      const seconds = (performance.now() - began) / 1_000
      const rate = Math.round(stored / seconds)
      invocation.stdout.write(
        `Loaded ${stored} lines in ${seconds.toFixed(1)} s, ${rate} lines/s; the store now contains\n${countLines(await countStore(connection))}`,
      )
    } catch (error) {
      throw ids === undefined ? error : stopped(error, ids.line())
    } finally {
      ids?.close()
      connection.close()
    }
    return EXIT.ok
  } finally {
    progress.end()
    unlock()
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
