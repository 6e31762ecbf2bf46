import { resolve } from 'node:path'
import { type Checksum, readChecksum } from './checksum.ts'
import { EXIT, type Invocation } from './command.ts'
import { createProgress } from './progress.ts'
import { openFileSnapshot, openSnapshot } from './snapshot.ts'
import { countLines, verifyStore } from './verify-store.ts'

const WRONG_CHECKSUM =
  'The checksum of the whole file is wrong: the file was damaged or changed after it was made; use another backup.'
/** What a change of leaves a store that this command calls whole. */
const UNCOVERED =
  'No hash covers verifications, contradictions, relations, tags, slugs, the names of actors, activity, moderation and reports: a change of their text is not noticed.'

/** Checks a store in place, or a backup, and prints what it contains. */
export async function checkStore(invocation: Invocation): Promise<number> {
  const { file } = invocation.flags
  const path = file === undefined ? undefined : resolve(file)
  const snapshot = path === undefined ? await openSnapshot(invocation) : openFileSnapshot(path)
  const progress = createProgress()
  try {
    const { counts, damage } = await verifyStore(snapshot, progress)
    const checksum: Checksum = path === undefined ? { found: 'none' } : await readChecksum(path)
    const found = damage ?? (checksum.found === 'wrong' ? WRONG_CHECKSUM : undefined)
    progress.end()
    if (found !== undefined) {
      process.stderr.write(`${found}\n`)
      return EXIT.failed
    }
    const covered =
      checksum.found === 'right' ? `The checksum of the whole file is right: SHA-256 ${checksum.digest}.` : UNCOVERED
    process.stdout.write(
      `${snapshot.place} is whole: every hash is as recomputed.\n${countLines(counts)}${await snapshot.engineCheck()}\n${covered}\n`,
    )
    return EXIT.ok
  } finally {
    progress.end()
    await snapshot.close()
  }
}
