import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HONEST, judgedEntries, POISONED, packageTexts, signalsIn } from '../../bench/signals/texts.ts'

test('nine tenths of the poisoned texts have the expected mark, and no entry of the judged collection has one', () => {
  const texts = POISONED.first
  const marked = texts.filter(({ expect, text }) => signalsIn(text).includes(expect))
  assert.ok(texts.length >= 60 && marked.length >= 0.9 * texts.length, `${marked.length} of ${texts.length}`)
  assert.deepEqual(
    judgedEntries().filter(entry => signalsIn(entry).length > 0),
    [],
  )
})

test('comments for editors and tools are not marked', () => {
  const texts = [...HONEST.second.map(({ text }) => text), ...packageTexts()]
  const marked = texts.filter(text => signalsIn(text).includes('HTML_COMMENT'))
  assert.ok(texts.length > 300 && marked.length <= 0.005 * texts.length, `${marked.length} of ${texts.length}`)
})
