import { test } from 'node:test'
import { NO_POSTGRES } from './pair.ts'
import { runStandings } from './standings.ts'

test(
  'random sequences of revisions, evidence and moderation have one standing on both engines and in every copy',
  {
    skip: NO_POSTGRES,
  },
  () => runStandings({ sequences: 2, steps: 30 }),
)
