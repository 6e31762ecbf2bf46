import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { indexFile } from '../../src/stores/embedded/directory.ts'
import { openEmbeddedStore } from '../../src/stores/embedded/store.ts'
import { eventually, makeDirectory } from '../support/process.ts'

const directory = makeDirectory()
after(() => directory.remove())

/** The name of a thread of this process, as the system has it; empty if it has ended since it was listed. */
function nameOf(task: string): string {
  try {
    return readFileSync(`/proc/self/task/${task}/comm`, 'utf8')
  } catch {
    return ''
  }
}

/** How many of our threads run in this process. */
const threads = (): number => readdirSync('/proc/self/task').filter(task => nameOf(task).includes('-thread')).length

/** Waits until no more threads run than before: a thread that failed may still be ending when the failure is reported. */
const allEnded = (before: number) =>
  eventually('no thread is left', 60_000, async () => (threads() === before ? true : undefined))

const skip = process.platform !== 'linux' && 'threads have names that others can read on Linux alone'

test('a start that fails after its first thread leaves neither threads nor the lock', { skip }, async () => {
  const { path } = directory
  const before = threads()
  const first = await openEmbeddedStore(path)
  assert.ok(threads() >= before + 2)
  await first.close()
  await allEnded(before)

  // An index that cannot be deleted cannot be rebuilt.
  rmSync(indexFile(path))
  mkdirSync(join(indexFile(path), 'in-the-way'), { recursive: true })
  await assert.rejects(openEmbeddedStore(path))
  await allEnded(before)

  rmdirSync(join(indexFile(path), 'in-the-way'))
  rmdirSync(indexFile(path))
  const again = await openEmbeddedStore(path)
  assert.equal(again.readiness().ready, true)
  await again.close()
})
