import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import type { Reader } from '../../src/engine/database.ts'
import { listEpochs, tilesOf } from '../../src/tlog/rows.ts'
import { rootOf } from '../../src/tlog/rules/tree.ts'
import { parseCheckpoint, parseNote } from '../../src/tlog/verify/note.js'
import { call } from './client.ts'

const PAUSE = 200

export type Seen = { origin: string; size: number; root: string; note: string }

/** Reads the checkpoints of every node until `stop`. */
export function watchCheckpoints(urls: readonly string[]) {
  const seen = new Map<string, Seen>()
  const failures: string[] = []
  let going = true
  const watch = async (url: string): Promise<void> => {
    while (going) {
      const answer = await call(url, 'GET', '/log/checkpoint').catch(() => undefined)
      if (answer?.status === 200) note(answer.text)
      await setTimeout(PAUSE)
    }
  }
  const note = (text: string): void => {
    const { origin, size, root: bytes } = parseCheckpoint(parseNote(text).text)
    const one = { origin, size, root: Buffer.from(bytes).toString('base64'), note: text }
    const known = seen.get(`${origin} ${size}`)
    if (known === undefined) seen.set(`${origin} ${size}`, one)
    else if (known.root !== one.root) failures.push(`${origin} has two trees of ${size} records`)
  }
  const watching = Promise.all(urls.map(watch))
  return {
    /** Stops, and returns all checkpoints. Asserts that no two checkpoints of one size have different roots. */
    async stop(): Promise<Seen[]> {
      going = false
      await watching
      assert.deepEqual(failures, [])
      return [...seen.values()]
    },
  }
}

/** Asserts that the log of a store extends every served checkpoint of its origin. Returns the number of origins. */
export async function assertOneTree(store: Reader, seen: readonly Seen[]): Promise<number> {
  const origin = (await listEpochs(store)).at(-1)?.origin
  for (const one of seen.filter(shown => shown.origin === origin)) {
    const root = Buffer.from(await rootOf(one.size, tilesOf(store))).toString('base64')
    assert.equal(root, one.root, `the log has another tree of ${one.size} records than was shown`)
  }
  return new Set(seen.map(shown => shown.origin)).size
}
