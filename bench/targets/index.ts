import type { Target } from '../target.ts'
import { limitHttp, limitHttpBodies } from './limit-http.ts'
import { limitSqlite32, limitSqlite100 } from './limit-sqlite.ts'
import { mcpMemory } from './mcp-memory.ts'
import { mediawiki } from './mediawiki.ts'
import { onEmbedded, palimpsest } from './palimpsest.ts'
import { onPostgres } from './palimpsest-postgres.ts'

/** All targets, in the order of the table. */
export const TARGETS: readonly Target[] = [
  palimpsest,
  limitHttp,
  limitHttpBodies,
  limitSqlite32,
  limitSqlite100,
  mcpMemory,
  mediawiki,
  onPostgres('palimpsest-postgres', 1),
  onPostgres('palimpsest-postgres-3', 3),
]

/** Another checkout of the service, on both engines, to measure the cost of a change. */
export const besideTargets = (checkout: string): readonly Target[] => [
  onEmbedded('beside', checkout),
  onPostgres('beside-postgres', 1, checkout),
]
