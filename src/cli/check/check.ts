import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { OperatorError, systemFault } from '../../operator-error.ts'
import { EXIT, type Invocation, UsageError } from '../command.ts'
import { createProgress, type Progress } from '../progress.ts'
import { type Checksum, readChecksum } from '../stores/checksum.ts'
import { openFileSnapshot, openSnapshot, type Snapshot } from '../stores/snapshot.ts'
import type { LogVerdict } from './log.ts'
import { countLines, verifyStore } from './store.ts'

const WRONG_CHECKSUM =
  'The checksum of the file is wrong: the file was damaged or changed after its creation; use another backup.'
/** Data that neither a hash nor the public log covers. */
const UNLOGGED =
  'the answers stored for retries (Idempotency-Key), the names, tokens and observations of actors, networks and their blocks, reads, searches and unanswered questions, reports, and the counts of limits and cooldowns'
/** The last line of a check: the data whose change this command does not detect. */
const UNCOVERED = `No hash covers verifications, contradictions, relations, tags, slugs, activity, moderation, ${UNLOGGED}: a change of their text is not detected.`
const UNCOVERED_BY_LOG = `No hash covers ${UNLOGGED}: a change of these data is not detected.`

/** Recomputes the public log if --log is set. With `isDamaged`, the store has another fault, which may make the log unreadable. */
async function checkLog(
  { flags, switches }: Invocation,
  { store }: Snapshot,
  progress: Progress,
  isDamaged: boolean,
): Promise<LogVerdict | undefined> {
  if (!switches.has('log')) return undefined
  const { checkpoint } = flags
  const given = checkpoint === undefined ? undefined : readCheckpoint(resolve(checkpoint))
  const { verifyLog } = await import('./log.ts')
  try {
    return await verifyLog(store, progress, given)
  } catch (error) {
    if (!isDamaged) throw error
    return { faults: [`The public log cannot be read (${(error as Error).message}).`] }
  }
}

function readCheckpoint(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new OperatorError(`${path} cannot be read (${systemFault(error)}).`)
  }
}

/** Checks a store or a backup, and prints its counts. */
export async function checkStore(invocation: Invocation): Promise<number> {
  const { stdout, stderr } = invocation
  const { file, checkpoint } = invocation.flags
  if (checkpoint !== undefined && !invocation.switches.has('log')) throw new UsageError('--checkpoint needs --log.')
  const path = file === undefined ? undefined : resolve(file)
  const snapshot = path === undefined ? await openSnapshot(invocation) : openFileSnapshot(path)
  const progress = createProgress(stderr)
  try {
    const { counts, damage } = await verifyStore(snapshot, progress)
    const log = await checkLog(invocation, snapshot, progress, damage !== undefined)
    const checksum: Checksum = path === undefined ? { found: 'none' } : await readChecksum(path)
    const faults = log !== undefined && 'faults' in log ? log.faults : []
    const found = [checksum.found === 'wrong' ? WRONG_CHECKSUM : undefined, damage, ...faults].filter(
      one => one !== undefined,
    )
    progress.end()
    if (found.length > 0) {
      stderr.write(`${found.join('\n')}\n`)
      return EXIT.failed
    }
    const covered =
      checksum.found === 'right'
        ? `The checksum of the file is right: SHA-256 ${checksum.digest}.`
        : log === undefined
          ? UNCOVERED
          : UNCOVERED_BY_LOG
    const proved = log !== undefined && 'proved' in log ? `${log.proved}\n` : ''
    stdout.write(
      `${snapshot.place} is intact: all hashes are correct.\n${countLines(counts)}${await snapshot.engineCheck()}\n${proved}${covered}\n`,
    )
    return EXIT.ok
  } finally {
    progress.end()
    await snapshot.close()
  }
}
