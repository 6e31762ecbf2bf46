import { figure } from '../numbers.ts'
import { memoryOf } from '../processes.ts'
import { type Measure, withServices } from './measure.ts'

const MEGABYTE = 1e6
const FRESH = 1_900_000_000

/** Megabytes of memory after a quarter and at the end of a long mix of reads, searches and writes. */
export const memory: Measure = options =>
  withServices(options, [{ writes: true }], async ([service]) => {
    const held = (): number => figure(memoryOf(service.pid) / MEGABYTE)
    const mix = async (part: number): Promise<number> =>
      (await service.run({ operation: 'M', seconds: undefined, count: part * options.long, from: FRESH + part * 1e6 }))
        .count
    const quarter = await mix(1 / 4)
    const figures = { 'after a quarter': held() }
    return { ...figures, requests: quarter + (await mix(3 / 4)), 'at the end': held() }
  })
