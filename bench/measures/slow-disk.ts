import { execFileSync } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { placeOf } from '../compare.ts'
import { startLoader } from '../load/loader.ts'
import type { Loaded, Operation } from '../load/order.ts'
import { CORES } from '../processes.ts'
import { median } from '../results.ts'
import { addressesIn, keptData, palimpsest, situationOf, startService } from '../targets/palimpsest.ts'
import { figure, type Measure } from './measure.ts'

const SHIM = join(import.meta.dirname, '../../test/faults/shim.c')
const DELAY = '5'
const WRITERS = 64
const READERS = 32
const FRESH = 2_000_000_000
const NO_END = 1_000_000_000

/**
 * Creates per second while every sync takes 5 ms longer, and the time of concurrent reads in milliseconds. Medians of alternating rounds.
 */
export const slowDisk: Measure = {
  name: 'slow-disk',
  async measure(options) {
    const place = await placeOf(options, palimpsest)
    const shim = join(place.scratch, 'shim.so')
    execFileSync('gcc', ['-shared', '-fPIC', '-O1', '-o', shim, SHIM, '-ldl'])
    const dataDir = join(place.scratch, 'data')
    cpSync(await keptData(place), dataDir, { recursive: true })
    const { url, server } = await startService({ DATA_DIR: dataDir, LD_PRELOAD: shim, SHIM_DELAY_MS: DELAY })
    const [writing, reading] = [startLoader(CORES.load), startLoader(CORES.load)]
    const rounds: { alone: Loaded; writes: Loaded; beside: Loaded }[] = []
    try {
      const situation = await situationOf([url], addressesIn(dataDir), [])
      const { seconds } = options
      const orderOf = (operation: Operation, connections: number, round: number) =>
        ({ situation, operation, connections, seconds, count: NO_END, from: FRESH + round * 10_000_000 }) as const
      // The first round is a warm-up, as for each operation of the comparison.
      for (let round = -1; round < options.rounds; round++) {
        const alone = await reading.run(orderOf('R', READERS, round))
        const writes = await writing.run(orderOf('W', WRITERS, 2 * round))
        const [besides, beside] = await Promise.all([
          writing.run(orderOf('W', WRITERS, 2 * round + 1)),
          reading.run(orderOf('R', READERS, round)),
        ])
        options.say(
          `slow-disk: W ${Math.round(writes.perSecond)}/s, R p99 ${figure(alone.p99)} ms alone, ${figure(beside.p99)} ms beside ${Math.round(besides.perSecond)} writes/s`,
        )
        if (round >= 0) rounds.push({ alone, writes, beside })
      }
    } finally {
      writing.close()
      reading.close()
      await server.stop()
      rmSync(place.scratch, { recursive: true, force: true })
    }
    const middle = (of: (round: (typeof rounds)[number]) => number): number => figure(median(rounds.map(of)) ?? 0)
    return {
      'creates per second': middle(({ writes }) => writes.perSecond),
      'R p99 alone': middle(({ alone }) => alone.p99),
      'R p99 beside writers': middle(({ beside }) => beside.p99),
      'R p99 ratio': middle(({ alone, beside }) => beside.p99 / alone.p99),
      'R per second beside writers': middle(({ beside }) => beside.perSecond),
    }
  },
}
