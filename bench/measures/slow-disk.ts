import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Measure, medians, withServices } from './measure.ts'

const SHIM = join(import.meta.dirname, '../../test/faults/shim.c')
const DELAY = '5'
const WRITERS = 64
const READERS = 32
const FRESH = 2_000_000_000
const STEP = 10_000_000

/** Creates per second while every sync takes 5 ms longer, and the p99 of reads beside them divided by that without them. */
export const slowDisk: Measure = async options => {
  const directory = mkdtempSync(join(tmpdir(), 'palimpsest-shim-'))
  const shim = join(directory, 'shim.so')
  try {
    execFileSync('gcc', ['-shared', '-fPIC', '-O1', '-o', shim, SHIM, '-ldl'])
    const settings = { LD_PRELOAD: shim, SHIM_DELAY_MS: DELAY }
    return await withServices(options, [{ writes: true, settings }], ([{ run }]) =>
      medians(options, async round => {
        const from = FRESH + round * STEP
        const alone = await run({ operation: 'R', connections: READERS })
        const writes = await run({ operation: 'W', connections: WRITERS, from })
        const [beside] = await Promise.all([
          run({ operation: 'R', connections: READERS }),
          run({ operation: 'W', connections: WRITERS, from: from + STEP / 2 }),
        ])
        return { 'creates per second': writes.perSecond, 'R p99 ratio': beside.p99 / alone.p99 }
      }),
    )
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
