import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { startLoader } from '../load/loader.ts'
import { CORES } from '../processes.ts'
import type { Place } from '../target.ts'
import { HERE, type Service, situationOf, startService } from '../targets/palimpsest.ts'
import type { CostValues } from './costs.ts'
import { METRICS, metricsOf, untilIdle } from './measured-service.ts'
import { difference, type ThreadTimes, threadTimes } from './threads.ts'

const CONNECTIONS = 16
const FIRST = 20
const FRESH = 1_600_000_000
/** Interval between two requests for metrics, in milliseconds. */
const LOOK = 500
/** Number of requests for metrics that are measured separately. */
const LOOKS = 40
/** Milliseconds until the log of a mirror has all records of its index. */
const SETTLED = 300
const NO_END = 1_000_000_000
const PATIENCE = 120_000

const settings = { ...METRICS, LOG_INTERVAL_SECONDS: '0.05' }

/** A mirror that has all records of its original: the number of records, and the number of requests for metrics to both until then. */
type Followed = { records: number; looks: number }

/** Resolves when a mirror has, indexed and logged all records of its original. */
async function untilFollowed(original: string, mirror: string): Promise<Followed> {
  const until = performance.now() + PATIENCE
  for (let looks = 1; ; looks++) {
    const [all, followed] = await Promise.all([metricsOf(original), metricsOf(mirror)])
    const isWhole = followed('records') === all('records') && followed('search_index_lag_records') === 0
    if (isWhole) {
      await setTimeout(SETTLED)
      return { records: all('records'), looks }
    }
    if (performance.now() > until) {
      throw new Error(`The mirror has ${followed('records')} of ${all('records')} records after ${PATIENCE} ms.`)
    }
    await setTimeout(LOOK)
  }
}

/** The processor time of the main thread for one request for metrics, in microseconds. */
async function costOfLook({ url, server }: Service): Promise<number> {
  const times = threadTimes([server.pid])
  for (let look = 0; look < LOOKS; look++) await metricsOf(url)
  return (difference(threadTimes([server.pid]), times).main ?? 0) / LOOKS
}

/**
 * The processor time per record of a mirror on a separate core, by thread, and the cost per record for its original in addition to the
 * create. The original and its load share the other core.
 */
export async function measureMirror({ scratch }: Place, seconds: number): Promise<Partial<CostValues>> {
  const loader = startLoader(CORES.load)
  const original = await startService({ ...settings, DATA_DIR: join(scratch, 'original') }, CORES.load)
  try {
    const situation = await situationOf([original.url], [], [])
    const write = (count: number, seconds: number, from: number) =>
      loader.run({ situation, operation: 'W', connections: CONNECTIONS, seconds, count, from })
    await write(FIRST, PATIENCE / 1_000, FRESH)
    await untilIdle(original.url)
    await write(NO_END, seconds, FRESH + NO_END / 20)
    const unfollowed = threadTimes([original.server.pid])
    const { count } = await write(NO_END, seconds, FRESH + NO_END / 16)
    const alone = (difference(threadTimes([original.server.pid]), unfollowed).main ?? 0) / count
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
      const after = await untilFollowed(original.url, mirror.url)
      const records = after.records - before.records
      const taken = difference(threadTimes([mirror.server.pid]), times)
      const asked = difference(threadTimes([original.server.pid]), served)
      const looked = [await costOfLook(mirror), await costOfLook(original)] as const
      const each = (name: string): number => (taken[name] ?? 0) / records
      const other = each('log') + each('helpers') + each('search') + each('other')
      const main = ((asked.main ?? 0) - after.looks * looked[1]) / records
      return {
        mirrorMain: each('main') - (after.looks * looked[0]) / records,
        mirrorWriter: each('writer'),
        mirrorIndex: each('index'),
        mirrorOther: other,
        exportEach: Math.max(0, main - alone),
      }
    } finally {
      await mirror.server.stop()
    }
  } finally {
    loader.close()
    await original.server.stop()
  }
}
