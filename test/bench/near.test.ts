import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readDrafts } from '../../bench/search/drafts.ts'
import { judgedEntries } from '../../bench/signals/texts.ts'
import { type Draft, SIMILAR_FROM, similarity, termsOfDraft } from '../../src/find/rules/ranking.ts'
import { pairsOf } from '../../src/find/rules/terms.ts'

const ALIKE = { of: new Map<string, number>(), other: 1 }

test('pairs of words find three quarters of the entries that drafts restate, and hardly any others', () => {
  const entries = judgedEntries().map(line => {
    const entry = JSON.parse(line) as Draft & { _id: string }
    return { id: entry._id, entry, pairs: new Set(pairsOf(termsOfDraft(entry).all)) }
  })
  const found = readDrafts().map(draft => {
    const pairs = pairsOf(termsOfDraft(draft).all)
    const near = entries.filter(one => pairs.some(pair => one.pairs.has(pair)))
    const similar = near.filter(
      ({ entry }) => similarity(termsOfDraft(draft), termsOfDraft(entry), ALIKE) >= SIMILAR_FROM,
    )
    return { same: draft.same, ids: similar.map(({ id }) => id) }
  })
  const [restating, others] = [
    found.filter(({ same }) => same !== undefined),
    found.filter(({ same }) => same === undefined),
  ]
  const shown = restating.filter(({ same = '', ids }) => ids.includes(same)).length
  const alarms = others.filter(({ ids }) => ids.length > 0).length
  assert.ok(shown >= 0.75 * restating.length, `${shown} of ${restating.length}`)
  assert.ok(alarms <= 0.05 * others.length, `${alarms} of ${others.length}`)
})
