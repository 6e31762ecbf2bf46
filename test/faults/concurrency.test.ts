import { test } from 'node:test'
import { followFeed, raceRounds } from '../support/concurrency.ts'

test('of fifty revisions of one base exactly one is committed', () => raceRounds(5))

test('readers of the feed see every acknowledged write at its permanent position', () => followFeed(1_000))
