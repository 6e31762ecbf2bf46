import { placeOf } from '../compare.ts'
import { median } from '../results.ts'
import { keptData, palimpsest, startService } from '../targets/palimpsest.ts'
import { figure, type Measure } from './measure.ts'

const STARTS = 3

/** Milliseconds from the start of the process until it reports that it is ready. */
export const ready: Measure = {
  name: 'ready',
  async measure(options) {
    const dataDir = await keptData(await placeOf(options, palimpsest, options.large))
    const times: number[] = []
    for (let start = 0; start < STARTS; start++) {
      const { server, readyAfter } = await startService({ DATA_DIR: dataDir })
      await server.stop()
      options.say(`ready: after ${Math.round(readyAfter)} ms`)
      times.push(readyAfter)
    }
    return { entries: options.large, milliseconds: figure(median(times) ?? 0) }
  },
}
