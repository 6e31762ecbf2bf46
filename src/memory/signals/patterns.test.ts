import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HONEST, judgedEntries, POISONED, packageTexts } from '../../../bench/signals/texts.ts'
import { seededRandom } from '../../../test/support/random.ts'
import { SIGNALS } from '../../contract/vocabulary.ts'
import { readPatterns } from './pattern.ts'
import { PATTERNS } from './patterns.ts'
import { signalsOfText } from './signals.ts'
import { commentsOf, isMixed, proseOf } from './text.ts'
import { Triggers } from './triggers.ts'

const EVERY_PATTERN = readPatterns(PATTERNS)
/** Signs that are left out of words, divide them or replace letters, and letters of other alphabets. */
const SIGNS = [...'\'`*_~$@-/.,:;("\n\t x10é’\\|&=#<\u0301', '  ']

const searchedIn = (text: string, over: string): string[] =>
  over === 'code' ? [text] : proseOf(over === 'prose' ? text : commentsOf(text).join('\n\n'))

test('each pattern finds its example, and its counterexample has no such signal', () => {
  for (const { name, signal, over, expression, example, counterexample } of EVERY_PATTERN) {
    const found = searchedIn(example.normalize('NFKC'), over).some(text => expression.test(text))
    assert.ok(found, `${name}: the expression does not find ${example}`)
    assert.ok(signalsOfText(example).includes(signal), `${name}: ${example} has ${signalsOfText(example)}`)
    assert.ok(!signalsOfText(counterexample).includes(signal), `${name}: ${counterexample} has ${signal}`)
  }
})

test('each pattern has a name of its own and a signal, and searches only texts with words that it needs', () => {
  const names = EVERY_PATTERN.map(({ signal, name }) => `${signal} ${name}`)
  assert.equal(new Set(names).size, names.length)
  for (const { signal, expression } of EVERY_PATTERN) {
    assert.ok(SIGNALS.includes(signal), signal)
    assert.doesNotMatch(expression.source, /<[A-Z_]{2,}>/)
  }
  const always = EVERY_PATTERN.filter(({ over, needs }) => over !== 'comment' && needs.length === 0)
  assert.deepEqual(
    always.map(({ name }) => name),
    ['a fork bomb of a shell'],
  )
})

const patterns = EVERY_PATTERN.filter(({ over }) => over !== 'comment')
const triggers = new Triggers(patterns)

/** Asserts that each pattern that matches a text is tried on it. Returns the number of matches. */
function assertTried(text: string): number {
  if (isMixed(text)) return 0
  const has = [...triggers.of(text)]
  const prose = proseOf(text)
  let matches = 0
  patterns.forEach(({ name, over, expression }, at) => {
    if (!(over === 'code' ? [text] : prose).some(one => expression.test(one))) return
    matches += 1
    assert.equal(has[at], 1, `${name} is not tried on ${JSON.stringify(text.slice(0, 200))}`)
  })
  return matches
}

test('a text that a pattern matches has the words that the pattern needs', () => {
  const texts = [
    ...patterns.flatMap(({ example, counterexample }) => [example, counterexample]),
    ...[POISONED.first, POISONED.second, POISONED.third, HONEST.second, HONEST.third].flat().map(({ text }) => text),
    ...judgedEntries(),
    ...packageTexts(),
  ].map(text => text.normalize('NFKC'))
  let matches = 0
  for (const text of texts) matches += assertTried(text)
  assert.ok(matches > 400, `${matches} matches`)
})

test('a pattern is tried on each text that it matches, whatever signs are put between the letters', () => {
  const random = seededRandom('patterns')
  const examples = patterns.flatMap(({ example, counterexample }) => [example, counterexample])
  let matches = 0
  for (let count = 0; count < 2_000; count++) {
    const characters = [...random.pick(examples)]
    for (let changes = random.below(4); changes > 0; changes--) {
      characters.splice(random.below(characters.length), random.below(2), random.pick(SIGNS))
    }
    matches += assertTried(characters.join('').normalize('NFKC'))
  }
  assert.ok(matches > 100, `${matches} matches`)
})

test('a line that is no pattern with its examples is named', () => {
  const list = '\n[CLAIMS_TRUST prose]\nNAME = surely\nsurely: <NAME> safe\n  + Surely safe.  - Safely sure.\n'
  assert.match(' surely safe ', readPatterns(list)[0]?.expression ?? /^$/)
  assert.throws(() => readPatterns(`${list}other: safe\n`), /not a pattern with its examples: other: safe/)
  assert.throws(() => readPatterns('other: safe\n  + a  - b'), /not a pattern/)
})
