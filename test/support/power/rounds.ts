import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { createClient, type Sent, startWriters } from '../load.ts'
import { eventually, makeDirectory, startServer } from '../process.ts'
import type { seededRandom } from '../random.ts'
import { assertSurvived, type Shown } from '../survived.ts'
import { createDisk, WAYS } from './disk.ts'
import { type Call, readTrace, traceInto } from './trace.ts'

type Random = ReturnType<typeof seededRandom>

const WRITERS = 8
/** Maximum time for the traced service to do its writes, in milliseconds. */
const PATIENCE = 120_000

/**
 * Traces a service from its first start. It is started `starts` times, receives `writes` writes while a reader follows the feed, and is
 * stopped.
 */
async function traced(
  directory: string,
  { starts, writes }: { starts: number; writes: number },
): Promise<{ calls: Call[][]; sent: Sent[] }> {
  const calls: Call[][] = []
  const sent: Sent[] = []
  for (let start = 0; start < starts; start++) {
    const trace = join(directory, `trace${start}`)
    const server = await startServer(join(directory, 'root', 'data'), { wrap: traceInto(trace) })
    const writers = startWriters(server.url, WRITERS, `start${start}`)
    const reader = createClient(server.url, 1)
    await eventually('enough is written', PATIENCE, async () => {
      await reader.send('GET', '/api/activity?limit=50')
      await reader.send('GET', '/api/search?q=note')
      return writers.acknowledged().length >= writes || undefined
    })
    await writers.stop()
    reader.close()
    assert.equal((await server.stop()).code, 0)
    sent.push(...writers.sent)
    calls.push(await readTrace(trace, join(directory, 'root')))
    rmSync(trace)
  }
  return { calls, sent }
}

const ID = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g
const ROW = /"sequence":"(\d+)",.*?"requestId":"([^"]*)"/g

function note(shown: Shown, bytes: Buffer): void {
  const text = bytes.toString('latin1')
  for (const [id] of text.matchAll(ID)) shown.ids.add(id)
  for (const [, sequence = '', request = ''] of text.matchAll(ROW)) shown.sequences.set(sequence, request)
}

/** Cuts a traced run at `images` moments and opens each possible state. Returns the number of acknowledged writes. */
export async function powerLossRounds(
  { images, starts, writes }: { images: number; starts: number; writes: number },
  random: Random,
): Promise<{ acknowledged: number; calls: number }> {
  using directory = makeDirectory()
  const root = join(directory.path, 'root')
  const { calls, sent } = await traced(directory.path, { starts, writes })
  const disk = createDisk(root)
  const shown: Shown = { ids: new Set(), sequences: new Map() }
  const total = calls.flat().length
  const cuts = Array.from({ length: images }, () => random.below(total)).sort((a, b) => a - b)
  let passed = 0
  const cut = async (): Promise<void> => {
    for (; cuts[0] === passed; cuts.shift()) {
      const way = random.pick(WAYS)
      const image = join(directory.path, 'image')
      disk.leave(image, way, random)
      await assertSurvived(join(image, 'data'), sent, shown).catch(error => {
        throw new Error(`SEED=${random.seed}: cut at call ${passed} of ${total}, unsynced kept: ${way}`, {
          cause: error,
        })
      })
      rmSync(image, { recursive: true })
    }
  }
  for (const run of calls) {
    let ending: { at: number; end: () => void }[] = []
    const endUntil = (line: number): void => {
      for (const one of ending.filter(({ at }) => at < line).sort((a, b) => a.at - b.at)) one.end()
      ending = ending.filter(({ at }) => at >= line)
    }
    for (const call of run) {
      endUntil(call.begun)
      await cut()
      if (call.name === 'write' && call.socket) note(shown, call.bytes)
      else ending.push({ at: call.ended, end: disk.begin(call) })
      passed++
    }
    endUntil(Number.POSITIVE_INFINITY)
  }
  return { acknowledged: sent.filter(({ id }) => id !== undefined && shown.ids.has(id)).length, calls: total }
}
