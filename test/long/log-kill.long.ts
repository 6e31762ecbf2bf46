import { test } from 'node:test'
import { logKillRounds } from '../support/log-kill-rounds.ts'
import { seededRandom } from '../support/random.ts'

test('after 20 kills at any instant the log continues every checkpoint that was served', t =>
  logKillRounds(t, 20, seededRandom('log kills')))
