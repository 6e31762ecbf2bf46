import { test } from 'node:test'
import { NO_POSTGRES } from '../support/engine.ts'
import { openEmbedded, openPostgres } from './bare-store.ts'
import { moderateAtRandom } from './moderation-at-random.ts'

const STEPS = 150
const TITLE = 'totals, topics and the feed follow the flags exactly, for any order of acts and their undoing'
test(TITLE, async t => moderateAtRandom(await openEmbedded(t), STEPS))
test(`${TITLE}, on PostgreSQL`, { skip: NO_POSTGRES }, async t => moderateAtRandom(await openPostgres(t), STEPS))
