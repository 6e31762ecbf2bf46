import { resolve } from 'node:path'
import { EXIT, type Invocation } from './command.ts'
import { createProgress } from './progress.ts'
import { openFileSnapshot, openSnapshot } from './snapshot.ts'
import { countLines, verifyStore } from './verify-store.ts'

/** Verifies a store in place, or a backup, and tells what it holds. */
export async function verify(invocation: Invocation): Promise<number> {
  const { file } = invocation.flags
  const snapshot = file === undefined ? await openSnapshot(invocation) : openFileSnapshot(resolve(file))
  const progress = createProgress()
  try {
    const { counts, damage } = await verifyStore(snapshot, progress)
    progress.end()
    if (damage !== undefined) {
      process.stderr.write(`${damage}\n`)
      return EXIT.failed
    }
    process.stdout.write(`${snapshot.place} is whole: every hash is as recomputed.\n${countLines(counts)}`)
    return EXIT.ok
  } finally {
    progress.end()
    await snapshot.close()
  }
}
