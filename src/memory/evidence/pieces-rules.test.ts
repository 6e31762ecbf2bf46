import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasWritten, PAIRS_MAX, Texts } from './pieces-rules.ts'

const texts = new Texts()
const cut = (content: string, title = 'A title') => texts.cut({ title, summary: 'A summary.', content })
const lines = (from: number, count: number): string[] => Array.from({ length: count }, (_, at) => `Line ${from + at}.`)
const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))

/** The contents of the pieces that a diff leaves unchanged. */
const kept = (judged: string, current: string): string[] => {
  const now = cut(current)
  const { ofCurrent } = now.comparedWith(cut(judged))
  return now.piecesAt().flatMap(({ section, text }, at) => (section === 'CONTENT' && ofCurrent[at] ? [text] : []))
}

test('pieces are compared after NFC, without the blank space at their end, with their indentation', () => {
  const isSame = (one: string, other: string): boolean => cut(one).comparedWith(cut(other)).same
  assert.ok(isSame('Caf\u00e9 is open.  \nSecond.', 'Cafe\u0301 is open.\n\nSecond.\n'))
  for (const [one, other] of [
    ['if x:\n    go()', 'if x:\n  go()'],
    ['one two', 'one\u200b two'],
    ['one two', 'one  two'],
    ['# One. two()', '# One.\ntwo()'],
    ['one \\\n--two', 'one \\ \n--two'],
    ['# One.\u2028two()', '# One.\ntwo()'],
    ['Stra\u00dfe', 'Strasse'],
    ['paypal', 'p\u0430ypal'],
  ] as const)
    assert.ok(!isSame(one, other), JSON.stringify([one, other]))
})

test('a moved, added or removed piece is a changed piece; the others stay unchanged', () => {
  assert.deepEqual(kept('One is. Two is. Three is.', 'One is. Three is.'), ['One is.', 'Three is.'])
  assert.deepEqual(kept('One is. Two is. Three is.', 'Two is. Three is. One is.'), ['Two is.', 'Three is.'])
  assert.deepEqual(kept('One is. Two is.', 'One is. New is. Two is.'), ['One is.', 'Two is.'])
  assert.deepEqual(kept('# One. Two is.', '# One.\nTwo is.'), ['# One.'], 'a line break after an unchanged piece')
  assert.deepEqual(kept('One is. Two is. Three is.', 'Two is. Three is.'), ['Two is.', 'Three is.'])
  const block = (name: string): string => `begin\n  ${name}()\nend.\n`
  assert.equal(kept(block('one') + block('two'), block('zero') + block('one') + block('two')).length, 6)
})

test('a piece in another section is another piece', () => {
  const { ofCurrent, ofJudged } = cut('Other.', 'The claim.').comparedWith(cut('The claim.', 'A title'))
  assert.deepEqual(
    [[...ofCurrent], [...ofJudged]],
    [
      [0, 1, 0],
      [0, 1, 0],
    ],
  )
})

test('past the bound of equal pairs everything between the common beginning and end is changed', () => {
  const text = (middle: string[]): string => ['First is here.', ...middle, 'Last is here.'].join('\n')
  const many = ['Own of one.', ...Array.from({ length: Math.sqrt(PAIRS_MAX) + 1 }, () => 'Equal.'), 'Own end.']
  assert.deepEqual(kept(text(many), text(many.map(one => one.replace('Own', 'Other')))), [
    'First is here.',
    'Last is here.',
  ])
  const few = lines(100, 4_000)
  assert.equal(kept(text(few), text([...few.slice(2_000), ...few.slice(0, 2_000)])).length, 2_002)
})

test('the diff is a longest common subsequence, as the quadratic one finds it', t => {
  t.diagnostic(`SEED=${seed}`)
  let state = seed
  const below = (limit: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
  for (let round = 0; round < 500; round++) {
    const text = (): string[] => Array.from({ length: below(12) }, () => `Line ${below(5)}.`)
    const [a, b] = [text(), text()]
    const rows = [new Array<number>(b.length + 1).fill(0)]
    for (const [i, one] of a.entries()) {
      const row = [0]
      for (const [j, other] of b.entries())
        row.push(one === other ? (rows[i]?.[j] ?? 0) + 1 : Math.max(rows[i]?.[j + 1] ?? 0, row[j] ?? 0))
      rows.push(row)
    }
    assert.equal(kept(a.join('\n'), b.join('\n')).length, rows.at(-1)?.at(-1), `SEED=${seed} ${JSON.stringify([a, b])}`)
  }
})

test('a quote names the pieces that it touches, and a text has the claim while it has all of one occurrence', () => {
  const text = cut('Set it to 2 s. Never mix them.\nThe end.')
  const [touched = []] = text.claimOf('to 2 s. Never')
  assert.deepEqual(
    text.piecesAt(touched.map(number => text.numbers.indexOf(number))),
    ['Set it to 2 s.', 'Never mix them.'].map(piece => ({ section: 'CONTENT', text: piece })),
  )
  assert.deepEqual(text.claimOf('to 3 s'), [])
  const claim = text.claimOf('to 2 s')
  assert.ok(cut('The end.\nSet it to 2 s.').hasClaim(claim), 'a moved claim is still there')
  assert.ok(!cut('Set it to 3 s. Never mix them.').hasClaim(claim))
})

test('only what no earlier revision had makes an author', () => {
  const [first, vandalised] = [cut('One is odd. Two is even.'), cut('Vandalised. Two is even.')]
  assert.ok(hasWritten(first, [], first))
  assert.ok(!hasWritten(first, [vandalised, first], first), 'an exact restore writes nothing')
  assert.ok(hasWritten(cut('Two is even. One is odd.'), [first], cut('Two is even. One is odd.')), 'a new order is new')
  assert.ok(hasWritten(cut('Two is even.'), [first], cut('Two is even.')), 'a removal is new')
  assert.ok(!hasWritten(vandalised, [first], cut('One is odd. Two is even. Three.')), 'its piece is gone')
})
