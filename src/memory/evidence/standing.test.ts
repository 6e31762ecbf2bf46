import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type HistoryEvent as Event, evidenceAfter } from '../../../test/support/judged-history.ts'
import { assess, COMPARED_TEXTS, TRACED_CLAIMS, textsToCompare } from './rules.ts'

const after = (...events: Event[]) => assess(evidenceAfter(...events)).standing
const yes = (of?: number): Event => ({ verdict: 'SUPPORTED', ...(of === undefined ? {} : { of }) })
const no: Event = { verdict: 'CONTRADICTED' }
const sentences = (count: number, from = 0): string =>
  Array.from({ length: count }, (_, at) => `Sentence ${from + at} says something.`).join('\n')
const text = (content: string, changeType: 'EXPAND' | 'CORRECT' = 'EXPAND', actor = 1): Event => ({
  content,
  changeType,
  actor,
})

test('an objection with a quote follows its sentence through all other changes', () => {
  const quoted: Event = { verdict: 'CONTRADICTED', quote: 'at 70 degrees' }
  const before = `${sentences(20)}\nBrew it at 70 degrees.`
  const standing = (...events: Event[]) => after(text(before), quoted, ...events).contradictions[0]?.status
  assert.equal(standing(text(`${sentences(20, 500)}\nBrew it at 70 degrees.`, 'CORRECT')), 'STANDING', 'filler')
  assert.equal(standing(text(`Brew it at 70 degrees.\n${sentences(20)}`, 'CORRECT')), 'STANDING', 'moved')
  assert.equal(standing(text(before.replace('70', '80'))), 'STANDING', 'an expansion answers nothing')
  assert.equal(standing(text(before.replace('70', '80'), 'CORRECT')), 'ANSWERED')
  assert.equal(standing(text(sentences(20, 500))), 'STANDING', 'its title is left')
  assert.equal(standing({ content: sentences(20, 500), title: 'Other' }), 'ANSWERED', 'nothing is left')
  assert.equal(standing(text(before.replace('70', '80'), 'CORRECT'), text(before)), 'STANDING', 'it returns')
})

test('an objection to the whole answer reopens, whatever another one quotes', () => {
  const history = [text('Zero is null.\nOne is 2.'), no, text('Zero is null.\nOne is 1.', 'CORRECT')]
  const later: Event[] = [no, { verdict: 'CONTRADICTED', quote: 'null' }]
  for (const events of [later, later.toReversed()]) {
    const statuses = after(...history, ...events).contradictions.map(({ status }) => status)
    assert.deepEqual(statuses, ['STANDING', 'STANDING', 'STANDING'])
  }
})

test('an objector withdraws by supporting the text; its other judgement replaces the first', () => {
  const by = (verdict: 'SUPPORTED' | 'CONTRADICTED'): Event => ({ verdict, actor: 7 })
  assert.equal(after(text('It is.'), by('CONTRADICTED'), by('SUPPORTED')).state, 'SUPPORTED')
  const later = after(text('It is.'), by('CONTRADICTED'), text('It was.', 'CORRECT'), by('SUPPORTED'))
  assert.deepEqual([later.state, later.contradictions[0]?.status], ['SUPPORTED', 'ADDRESSED'])
  assert.equal(after(text('It is.'), by('SUPPORTED'), by('CONTRADICTED')).state, 'CONTRADICTED')
})

test('actors of one network are one voice, and all unknown origins are one', () => {
  const of = (voice: number): Event[] => Array.from({ length: 30 }, (): Event => ({ verdict: 'SUPPORTED', voice }))
  assert.deepEqual(
    [after(text('It is.'), ...of(1)).tally.for, after(text('It is.'), ...of(1)).tally.supported],
    [1, 30],
  )
  assert.equal(after(text('It is.'), ...of(0), ...of(1)).tally.for, 2)
  assert.equal(after(text('It is.'), ...of(1)).share, 0.666)
})

test('the share: an answered objection counts half', () => {
  const share = (...events: Event[]) => after(text('It is.'), ...events).share
  assert.deepEqual([share(), share(yes()), share(no), share(no, text('It was.', 'CORRECT'))], [0.5, 0.666, 0.333, 0.4])
})

test('decoys cannot push objections or supports out of the compared texts', () => {
  for (const decoys of [20, 40, 200]) {
    const objected = Array.from({ length: decoys }, (_, n): Event[] => [
      text(`Decoy ${n} is here. It stays.`, n % 2 ? 'CORRECT' : 'EXPAND', 66),
      { verdict: n % 2 ? 'CONTRADICTED' : 'SUPPORTED', voice: 66, actor: 1_000 + n },
    ]).flat()
    const five: Event[] = [no, no, no, no, no]
    const claim = 'The claim is wrong. It stays.'
    assert.equal(after(text(claim), ...five, ...objected, text(claim)).tally.against, 6, `${decoys} decoys`)
    assert.equal(after(text(claim), yes(), yes(), ...objected, text(claim)).tally.for >= 2, true)
  }
})

test('at most 16 texts are compared; the current one is among them if it was judged', () => {
  const events = Array.from({ length: 40 }, (_, n): Event[] => [text(`Text ${n}.`), yes()]).flat()
  const { judgements, compared } = evidenceAfter(...events)
  assert.equal(compared.size, COMPARED_TEXTS)
  assert.ok(textsToCompare(judgements, 1).includes(1))
})

test('a flood of quotes from one network displaces no quote of another one', () => {
  const sentences = Array.from({ length: 200 }, (_, n) => `Sentence ${n} is here.`)
  const flood = sentences.map((quote): Event => ({ verdict: 'CONTRADICTED', quote, voice: 66, actor: 66 }))
  const claim: Event = { verdict: 'CONTRADICTED', quote: 'Pi is 3.' }
  const content = `Pi is 3. ${sentences.join(' ')}`
  const { judgements } = evidenceAfter(text(content), claim, ...flood)
  const quotes = judgements.map(({ quote }) => quote).filter(quote => quote !== null)
  assert.equal(quotes.length, TRACED_CLAIMS)
  assert.ok(quotes.includes('Pi is 3.'))
  const { contradictions } = after(text(content), claim, ...flood, text(`${content} More.`, 'CORRECT'))
  assert.deepEqual(
    contradictions.map(({ status }) => status),
    ['STANDING', 'STANDING'],
    'one of each voice',
  )
})
