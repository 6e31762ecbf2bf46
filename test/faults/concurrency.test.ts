import { test } from 'node:test'
import { followFeed, raceRounds } from '../support/concurrency.ts'

test('of fifty revisions of one base exactly one is taken', () => raceRounds(10))

test('readers of the feed see every acknowledged write at its place for ever', () => followFeed(2_000))
