import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { verifyStore } from '../../src/cli/check/check.ts'
import { verifyLog } from '../../src/cli/check/log.ts'
import { openFileSnapshot, type Snapshot } from '../../src/cli/stores/snapshot.ts'
import { StoreFault, sql } from '../../src/engine/database.ts'
import { findMirror } from '../../src/mirror/rows.ts'
import { storeFile } from '../../src/stores/embedded/directory.ts'
import { readLog } from '../../src/tlog/rows.ts'
import type { TestApp } from './app.ts'
import { spawnService } from './process.ts'

const ENVIRONMENT = { at: 0, cooldown: 0, dataClass: 'EXTERNAL' } as const
const QUIET = { phase: () => {}, update: () => {}, end: () => {} }
/** Latest time of the first kill after the start of the process, in milliseconds. */
const KILL_WITHIN = 2_500
/** Factor by which that time grows if the copy had not begun, and shrinks if it was finished. */
const LATER = 1.3
/** Maximum time for which a write is repeated while the store is unreachable, in milliseconds. */
const PATIENCE = 60_000

/** Writes entries directly to the store, many at the same time. */
export async function writeEntries({ store }: Pick<TestApp, 'store'>, count: number): Promise<void> {
  const deadline = performance.now() + PATIENCE
  const caller = (actor: number | null) => ({ requestId: crypto.randomUUID(), actor, origin: null })
  const write = async (name: 'createActor' | 'createEntry', body: object, actor: number | null): Promise<void> => {
    const input = { params: {}, body, caller: caller(actor) } as never
    for (;;) {
      try {
        await store.write(name, input, { ...ENVIRONMENT, at: Date.now() })
        return
      } catch (error) {
        const hadNoEffect = error instanceof StoreFault && error.kind === 'unavailable' && !error.outcomeUnknown
        if (!hadNoEffect || performance.now() > deadline) throw error
        await setTimeout(500)
      }
    }
  }
  await write('createActor', {}, null)
  const actor = (await store.reader.one<{ n: number }>(sql`SELECT max(number) AS n FROM actor`))?.n ?? 0
  const entries = Array.from({ length: count }, (_, n) => ({ title: `T ${n}`, summary: 'S', content: `Content ${n}` }))
  for (let from = 0; from < count; from += 500) {
    await Promise.all(entries.slice(from, from + 500).map(entry => write('createEntry', entry, actor)))
  }
}

/**
 * Kills a process that copies a server at random moments of its start and of the copy, on a machine of any speed. Asserts that its records
 * are complete and that the next process continues after them. Returns how often it was killed during a copy, and the number of finished
 * copies.
 */
export async function mirrorKillRounds(
  app: TestApp,
  rounds: number,
  random: () => number,
): Promise<{ midst: number; finished: number }> {
  const parent = mkdtempSync(join(tmpdir(), 'palimpsest-mirror-'))
  let [midst, finished, within] = [0, 0, KILL_WITHIN]
  try {
    for (let round = 0; round < rounds; round++) {
      const directory = join(parent, String(finished))
      const { child, ended } = spawnService(['mirror', app.url, '--once', '--data-dir', directory])
      await Promise.race([ended, setTimeout(random() * within)])
      child.kill('SIGKILL')
      const { code, stderr } = await ended
      assert.ok(code === null || code === 0, stderr)
      const next = await assertWhole(directory)
      if (code === 0) {
        finished++
        within /= LATER
      } else if (next > 1) midst++
      else within *= LATER
    }
    const { ended } = spawnService(['mirror', app.url, '--once', '--data-dir', join(parent, String(finished))])
    const { code, stderr } = await ended
    assert.equal(code, 0, stderr)
    const next = await assertWhole(join(parent, String(finished)))
    assert.equal(next - 1, (await app.store.reader.one<{ n: number }>(sql`SELECT max(sequence) AS n FROM activity`))?.n)
    return { midst, finished }
  } finally {
    rmSync(parent, { recursive: true, force: true })
  }
}

/** Asserts that a mirror contains every row below its next sequence and none above, with correct hashes. Returns that sequence. */
async function assertWhole(directory: string): Promise<number> {
  if (!existsSync(storeFile(directory))) return 1
  await using snapshot = openIfMade(directory)
  if (snapshot === undefined) return 1
  const { damage } = await verifyStore(snapshot, QUIET)
  assert.equal(damage, undefined)
  if ((await readLog(snapshot.store)).size > 0) {
    const verdict = await verifyLog(snapshot.store, QUIET)
    assert.ok('proved' in verdict, JSON.stringify(verdict))
  }
  const next = (await findMirror(snapshot.store))?.next ?? 1
  const rows = await snapshot.store.one<{ n: number; most: number | null }>(
    sql`SELECT count(*) AS n, max(sequence) AS most FROM activity`,
  )
  assert.deepEqual([rows?.n, rows?.most ?? 0], [next - 1, next - 1])
  return next
}

/** The state of the store; undefined if the process was killed before it created it. */
function openIfMade(directory: string): Snapshot | undefined {
  try {
    return openFileSnapshot(storeFile(directory))
  } catch {
    return undefined
  }
}
