import { growth } from './growth.ts'
import { log } from './log.ts'
import type { Measure } from './measure.ts'
import { memory } from './memory.ts'
import { reads } from './reads.ts'
import { ready } from './ready.ts'
import { search, searchPostgres } from './search.ts'
import { slowDisk } from './slow-disk.ts'

/** All measurements besides the comparison, in the order in which they run. */
export const MEASURES: Readonly<Record<string, Measure>> = {
  reads,
  'slow-disk': slowDisk,
  log,
  memory,
  ready,
  growth,
  search,
  'search-postgres': searchPostgres,
}
