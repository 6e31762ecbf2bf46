import { test } from 'node:test'
import { followFeed, raceRounds } from '../support/concurrency.ts'

test('of fifty revisions of a base exactly one is committed, a thousand times', () => raceRounds(1_000))

test('for a minute the feed shows every acknowledged write at its place', () => followFeed(60_000))
