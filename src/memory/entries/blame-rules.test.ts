import assert from 'node:assert/strict'
import { test } from 'node:test'
import { evidenceAfter, type HistoryEvent } from '../../../test/support/judged-history.ts'
import { piecesOf } from '../../../test/support/pieces.ts'
import type { Text } from '../evidence/pieces-rules.ts'
import { COST_MAX, COSTS, evidenceOfPieces, type Origin, TextBlame } from './blame-rules.ts'

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))
const textOf = (content: string): Text => ({ title: 'A title', summary: 'A summary.', content })

/** The origins of the content's pieces, given all contents oldest first. */
function blame(...contents: string[]): (Origin & { text: string })[] {
  const found = new TextBlame(textOf(contents.at(-1) ?? ''), contents.length)
  for (let at = contents.length; at > 0; at--) found.compare(textOf(contents[at - 1] ?? ''), at)
  return found
    .origins()
    .map((origin, at) => ({ ...origin, text: found.pieces[at]?.text ?? '' }))
    .filter((_, at) => found.pieces[at]?.section === 'CONTENT')
}
const firsts = (...contents: string[]): number[] => blame(...contents).map(({ first }) => first)

test('a changed word changes the author of its sentence and of no other', () => {
  assert.deepEqual(
    firsts('Red is warm. Blue is cold. Green is calm.', 'Red is warm. Blue is cool. Green is calm.'),
    [1, 2, 1],
  )
})

test('sentences keep their authors when they move or the space around them changes', () => {
  assert.deepEqual(firsts('One is odd. Two is even.\n', 'Two is even.\n\nNew here.\n\nOne is odd.'), [1, 2, 1])
})

test('a restored text keeps its authors, and names the revision that restored it', () => {
  const [first, second] = blame('One is odd. Two is even.', 'Vandalised. Two is even.', 'One is odd. Two is even.')
  assert.deepEqual([first?.first, first?.since, second?.first, second?.since], [1, 3, 1, 1])
})

test('of a sentence that occurs twice the second is by the first revision that had two', () => {
  assert.deepEqual(
    firsts('Again and again.', 'Again and again. Once more.', 'Again and again. Once more. Again and again.'),
    [1, 2, 3],
  )
})

test('500 revisions of 20,000 characters fit into the budget, with nothing and with every sentence in common', () => {
  const sentences = (from: number): string[] =>
    Array.from({ length: 200 }, (_, at) => `${'word '.repeat(18)}${from + at}.`.padEnd(99))
  const spent = (contentOf: (revision: number) => string): number => {
    const current = new TextBlame(textOf(contentOf(500)), 500)
    let cost = 500 * COSTS.revision
    for (let ordinal = 500; ordinal > 0; ordinal--) cost += current.compare(textOf(contentOf(ordinal)), ordinal)
    return cost
  }
  const all = sentences(0)
  const turned = (by: number): string => [...all.slice(by), ...all.slice(0, by)].join(' ')
  const different = spent(revision => sentences(1_000 * revision).join(' '))
  const common = spent(revision => turned(revision % 200))
  assert.ok(common <= COST_MAX && different < common, `${different} and ${common} of ${COST_MAX}`)
})

/** The revision that wrote each piece of the last text, from all pieces of all texts. */
function model(contents: readonly string[]): Origin[] {
  const counts = contents.map(content => {
    const found = new Map<string, number>()
    for (const piece of piecesOf(content)) found.set(piece.trimEnd(), (found.get(piece.trimEnd()) ?? 0) + 1)
    return found
  })
  const copies = new Map<string, number>()
  return piecesOf(contents.at(-1) ?? '').map(text => {
    const piece = text.trimEnd()
    const copy = (copies.get(piece) ?? 0) + 1
    copies.set(piece, copy)
    const having = counts.map(found => (found.get(piece) ?? 0) >= copy)
    return { first: having.indexOf(true) + 1, since: having.lastIndexOf(false) + 2 }
  })
}

test('random histories are blamed as the model blames them', t => {
  t.diagnostic(`SEED=${seed}`)
  let state = seed
  const below = (limit: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
  const parts = [
    'a',
    'bc',
    '. ',
    '.',
    '\n',
    '\n\n',
    '  ',
    '! ',
    '。',
    'é',
    '1. ',
    '"',
    '} ',
    'word ',
    'other ',
    '...',
    '\n  x',
    '💥',
    '? ',
  ]
  const piece = (): string => Array.from({ length: 1 + below(6) }, () => parts[below(parts.length)] ?? '').join('')
  for (let round = 0; round < 400; round++) {
    let content = piece()
    const contents = [content]
    for (let step = 0; step < 12; step++) {
      const from = below(content.length + 1)
      const to = Math.min(content.length, from + below(8))
      const kind = below(6)
      if (kind === 0) content = contents[below(contents.length)] ?? content
      else if (kind === 1) content = content.slice(to) + content.slice(0, to)
      else content = content.slice(0, from) + (kind === 2 ? '' : piece()) + content.slice(to)
      contents.push(content === '' ? piece() : content)
      content = contents.at(-1) ?? ''
    }
    const found = blame(...contents).map(({ first, since }) => ({ first, since }))
    assert.deepEqual(found, model(contents), `SEED=${seed} round ${round}: ${JSON.stringify(contents)}`)
  }
})

test('evidence counts for the pieces that the judged text has, once for each actor', () => {
  const evidence = evidenceAfter(
    { content: 'One is odd. Two is even.' },
    { verdict: 'SUPPORTED', actor: 7 },
    { verdict: 'CONTRADICTED', actor: 8, quote: 'Two is even.' },
    { content: 'One is odd. Two is even. Three is new.' },
    { verdict: 'INCONCLUSIVE', actor: 7 },
  )
  const { places, parts } = evidenceOfPieces(evidence)
  const content = places.slice(2).map(place => (place === null ? null : parts[place]?.state))
  assert.deepEqual(content, ['INCONCLUSIVE', 'CONTRADICTED', 'INCONCLUSIVE'])
  assert.deepEqual(parts.map(({ tally }) => tally.actors).toSorted(), [1, 1, 2])
})

test('the counting has a bound: past it, judged texts are left out', () => {
  const lines = (from: number): string =>
    Array.from({ length: 500 }, (_, at) => `Line ${at % from === 0 ? from : 0}.${at}`).join('\n')
  const judged = (_: unknown, n: number): HistoryEvent[] => [
    { content: lines(n + 2) },
    ...Array.from({ length: 60 }, (): HistoryEvent => ({ verdict: 'SUPPORTED' })),
  ]
  const { parts } = evidenceOfPieces(evidenceAfter(...Array.from({ length: 16 }, judged).flat()))
  assert.ok(parts.length > 1 && parts.length <= 105, `${parts.length}`)
})
