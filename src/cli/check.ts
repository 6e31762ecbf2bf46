import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { OperatorError, systemFault } from '../operator-error.ts'
import { type Checksum, readChecksum } from './checksum.ts'
import { EXIT, type Invocation, UsageError } from './command.ts'
import { createProgress, type Progress } from './progress.ts'
import { openFileSnapshot, openSnapshot, type Snapshot } from './snapshot.ts'
import { countLines, verifyStore } from './verify-store.ts'

const WRONG_CHECKSUM =
  'The checksum of the file is wrong: the file was damaged or changed after its creation; use another backup.'
/** Data whose change this command does not detect. */
const UNCOVERED =
  'No hash covers verifications, contradictions, relations, tags, slugs, the names of actors, activity, moderation and reports: a change of their text is not detected.'

const UNCOVERED_BY_LOG =
  'The log does not cover the names of actors, reads and searches, and reports: a change of their text is not detected.'

/** Recomputes the public log if --log is set. */
async function checkLog({ flags, switches }: Invocation, { store }: Snapshot, progress: Progress) {
  const { checkpoint } = flags
  if (!switches.has('log')) {
    if (checkpoint !== undefined) throw new UsageError('--checkpoint needs --log.')
    return undefined
  }
  const { verifyLog } = await import('./verify-log.ts')
  return verifyLog(store, progress, checkpoint === undefined ? undefined : readCheckpoint(resolve(checkpoint)))
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
  const { file } = invocation.flags
  const path = file === undefined ? undefined : resolve(file)
  const snapshot = path === undefined ? await openSnapshot(invocation) : openFileSnapshot(path)
  const progress = createProgress(stderr)
  try {
    const { counts, damage } = await verifyStore(snapshot, progress)
    const log = damage === undefined ? await checkLog(invocation, snapshot, progress) : undefined
    const checksum: Checksum = path === undefined ? { found: 'none' } : await readChecksum(path)
    const wrong = damage ?? (log !== undefined && 'damage' in log ? log.damage : undefined)
    const found = [checksum.found === 'wrong' ? WRONG_CHECKSUM : undefined, wrong].filter(one => one !== undefined)
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
