import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type Judgement,
  MEASURED_TEXTS,
  measuredTexts,
  NO_TALLY,
  standingOf,
  tallyOf,
  tallyWith,
  tallyWithout,
  type Verdict,
} from './standing.ts'

let made = 0
const judgement = (one: Partial<Judgement> = {}): Judgement => {
  made += 1
  const { actor = made, originGroup = made, verdict = 'SUPPORTED' } = one
  return { record: made, at: made, text: 1, own: false, ...one, actor, originGroup, verdict }
}
const many = (count: number, one: Partial<Judgement> = {}): Judgement[] =>
  Array.from({ length: count }, () => judgement(one))

test('a tally with judgements added one by one equals the tally of all of them', () => {
  const verdicts: Verdict[] = ['SUPPORTED', 'UNSUPPORTED', 'INCONCLUSIVE', 'CONTRADICTED', 'CONTRADICTS']
  const all = verdicts.map(verdict => judgement({ verdict }))
  assert.deepEqual(
    all.reduce((tally, one) => tallyWith(tally, one, { isVoice: true }), NO_TALLY),
    tallyOf(all),
  )
  const again = judgement({ originGroup: all[0]?.originGroup ?? 0 })
  assert.deepEqual(tallyWith(tallyOf(all), again, { isVoice: false }), tallyOf([...all, again]))
  assert.deepEqual(tallyWithout(tallyOf([...all, again]), again, { isVoice: false }), tallyOf(all))
})

test('one origin that takes both sides contests nothing more than it contradicts', () => {
  const both = [judgement({ originGroup: 7 }), judgement({ originGroup: 7, verdict: 'CONTRADICTED' })]
  const alone = [judgement({ verdict: 'CONTRADICTED' })]
  const disputeScore = (judgements: Judgement[]): number => standingOf(judgements, () => 1).disputeScore
  assert.equal(disputeScore(both), disputeScore(alone))
  assert.ok(disputeScore([judgement(), ...alone]) > disputeScore(many(50, { verdict: 'CONTRADICTED' })))
})

test('texts that one origin judged do not crowd out the text that another one judged', () => {
  const honest = judgement({ text: 1, verdict: 'CONTRADICTED' })
  const flood = Array.from({ length: 3 * MEASURED_TEXTS }, (_, n) => judgement({ text: n + 2, originGroup: 99 }))
  const measured = measuredTexts([honest, ...flood])
  assert.equal(measured.length, MEASURED_TEXTS)
  assert.equal(measured[0], honest.text)
})

test('support of an earlier text is named only while the current text has none', () => {
  const earlier = judgement({ text: 1 })
  const retainedShareOf = (text: number): number => (text === 1 ? 0.2 : 1)
  assert.equal(standingOf([earlier], retainedShareOf).best, earlier)
  assert.equal(standingOf([earlier, judgement({ text: 2, verdict: 'CONTRADICTED' })], retainedShareOf).best, earlier)
  assert.equal(standingOf([earlier, judgement({ text: 2 })], retainedShareOf).best, null)
})
