import type { Target } from '../target.ts'
import { limitHttp } from './limit-http.ts'
import { limitSqlite32, limitSqlite100 } from './limit-sqlite.ts'
import { palimpsest } from './palimpsest.ts'

/** All targets, in the order of the table. */
export const TARGETS: readonly Target[] = [palimpsest, limitHttp, limitSqlite32, limitSqlite100]
