import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { placeOf } from '../compare.ts'
import { startLoader } from '../load/loader.ts'
import { CORES, memoryOf } from '../processes.ts'
import { addressesIn, keptData, palimpsest, situationOf, startService } from '../targets/palimpsest.ts'
import { figure, type Measure } from './measure.ts'

const PARTS = 12
const MEGABYTE = 1e6
const FRESH = 1_900_000_000
const NO_END = 1_000_000_000

/** Megabytes of memory after each twelfth of a long mix of reads, searches and writes. */
export const memory: Measure = {
  name: 'memory',
  async measure(options) {
    const place = await placeOf(options, palimpsest)
    const dataDir = join(place.scratch, 'data')
    cpSync(await keptData(place), dataDir, { recursive: true })
    const { url, server } = await startService({ DATA_DIR: dataDir })
    const loader = startLoader(CORES.load)
    const held = (): number => figure(memoryOf(server.pid) / MEGABYTE)
    const figures: Record<string, number> = { start: held() }
    let requests = 0
    try {
      const situation = await situationOf([url], addressesIn(dataDir), place.words)
      const count = Math.ceil(options.long / PARTS)
      const order = { situation, operation: 'M', connections: options.connections, seconds: NO_END, count } as const
      for (let part = 1; part <= PARTS; part++) {
        requests += (await loader.run({ ...order, from: FRESH + part * 1_000_000 })).count
        figures[`after ${part} of ${PARTS}`] = held()
        options.say(`memory: ${held()} MB after ${requests} requests`)
      }
      return { ...figures, requests }
    } finally {
      loader.close()
      await server.stop()
      rmSync(place.scratch, { recursive: true, force: true })
    }
  },
}
