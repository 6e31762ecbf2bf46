import { placeOf } from '../compare.ts'
import { keptData, palimpsest, startService } from '../targets/palimpsest.ts'
import { type Measure, medians } from './measure.ts'

/** Milliseconds from the start of the process until it reports that it is ready. */
export const ready: Measure = async options => {
  const dataDir = await keptData(await placeOf(options, palimpsest.name, options.large))
  const figures = await medians(options, async () => {
    const { server, readyAfter } = await startService({ DATA_DIR: dataDir })
    await server.stop()
    return { milliseconds: readyAfter }
  })
  return { entries: options.large, ...figures }
}
