import { test } from 'node:test'
import { followFeed, raceRounds } from '../support/concurrency.ts'

test('a thousand times fifty revisions of one base, exactly one is taken', () => raceRounds(1_000))

test('for a minute readers of the feed see every acknowledged write at its place for ever', () => followFeed(60_000))
