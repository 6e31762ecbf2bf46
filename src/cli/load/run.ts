import type { DataClass } from '../../contract/vocabulary.ts'
import type { Transaction } from '../../database/database.ts'
import type { SqliteConnection } from '../../database/sqlite.ts'
import { transact } from '../../database/sqlite-session.ts'
import { createContexts } from '../../operations/context.ts'
import type { Input, Line } from '../export/input-lines.ts'
import { type Progress, percent } from '../progress.ts'
import type { LoadIds } from './ids.ts'
import { loadLine, makeActor, type Target } from './record.ts'

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
export async function runLoad(run: LoadRun): Promise<number> {
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
  target: Omit<Target, 'tx'>,
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

function targetOf({ ids, dataClass }: LoadRun): Omit<Target, 'tx'> {
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
