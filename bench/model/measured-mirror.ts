import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { startLoader } from '../load/loader.ts'
import { CORES } from '../processes.ts'
import type { Place } from '../target.ts'
import { HERE, situationOf, startService } from '../targets/palimpsest.ts'
import type { CostValues } from './costs.ts'
import { METRICS, metricsOf, untilIdle } from './measured-service.ts'
import { difference, type ThreadTimes, threadTimes } from './threads.ts'

const CONNECTIONS = 16
const FIRST = 20
const FRESH = 1_600_000_000
/** Milliseconds. A request for metrics takes time of the threads that are measured. */
const LOOK = 500
const NO_END = 1_000_000_000
const PATIENCE = 120_000

const settings = { ...METRICS, LOG_INTERVAL_SECONDS: '0.05' }

/** Resolves when a mirror has all records of its original, with their number. */
async function untilFollowed(original: string, mirror: string): Promise<number> {
  const until = performance.now() + PATIENCE
  for (;;) {
    const [all, followed] = await Promise.all([metricsOf(original), metricsOf(mirror)])
    if (followed('records') === all('records')) break
    if (performance.now() > until) {
      throw new Error(`The mirror has ${followed('records')} of ${all('records')} records after ${PATIENCE} ms.`)
    }
    await setTimeout(LOOK)
  }
  await untilIdle(mirror)
  return (await metricsOf(mirror))('records')
}

/**
 * What a mirror on a core of its own takes to follow each record, by thread, and what it costs its original beside the create. The original
 * and its load share the other core.
 */
export async function measureMirror(
  { scratch }: Place,
  seconds: number,
  { writeMain }: Pick<CostValues, 'writeMain'>,
): Promise<Partial<CostValues>> {
  const loader = startLoader(CORES.load)
  const original = await startService({ ...settings, DATA_DIR: join(scratch, 'original') }, CORES.load)
  try {
    const situation = await situationOf([original.url], [], [])
    const write = (count: number, seconds: number, from: number) =>
      loader.run({ situation, operation: 'W', connections: CONNECTIONS, seconds, count, from })
    await write(FIRST, PATIENCE / 1_000, FRESH)
    await untilIdle(original.url)
    const dataDir = join(scratch, 'mirror')
    const command = ['mirror', original.url, '--serve', '--data-dir', dataDir]
    const mirror = await startService(settings, CORES.server, HERE, command)
    try {
      await write(NO_END, seconds, FRESH + NO_END / 10)
      const before = await untilFollowed(original.url, mirror.url)
      const [times, served] = [mirror, original].map(({ server }) => threadTimes([server.pid])) as [
        ThreadTimes,
        ThreadTimes,
      ]
      await write(NO_END, seconds, FRESH + NO_END / 5)
      const records = (await untilFollowed(original.url, mirror.url)) - before
      const taken = difference(threadTimes([mirror.server.pid]), times)
      const main = (difference(threadTimes([original.server.pid]), served).main ?? 0) / records
      const each = (name: string): number => (taken[name] ?? 0) / records
      const other = each('log') + each('helpers') + each('search') + each('other')
      return {
        mirrorMain: each('main'),
        mirrorWriter: each('writer'),
        mirrorIndex: each('index'),
        mirrorOther: other,
        exportEach: Math.max(0, main - writeMain),
      }
    } finally {
      await mirror.server.stop()
    }
  } finally {
    loader.close()
    await original.server.stop()
  }
}
