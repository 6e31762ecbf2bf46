import { test } from 'node:test'
import { openEmbedded, openPostgres } from '../database/bare-store.ts'
import { moderateAtRandom } from '../database/moderation-at-random.ts'
import { NO_POSTGRES } from '../support/engine.ts'

const STEPS = 2_000
const TITLE = 'totals, topics and the feed follow the flags through 2,000 random writes and acts of moderation'
test(TITLE, async t => moderateAtRandom(await openEmbedded(t), STEPS))
test(`${TITLE}, on PostgreSQL`, { skip: NO_POSTGRES }, async t => moderateAtRandom(await openPostgres(t), STEPS))
