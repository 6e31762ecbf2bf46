import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createNames } from './names.ts'

const ID = '019a9b1c-0c40-7a10-8f3e-2b8a51d0c999'
const OTHER = '019a9b1c-0c40-7a10-8f3e-2b8a51d0c000'

test('a value that an engine made up is named by its first appearance, and is sent back unchanged', () => {
  const { named, actual } = createNames()
  const hash = 'ab'.repeat(32)
  assert.equal(named(`${OTHER} ${ID} ${hash} ${ID.toUpperCase()}`), '~1~ ~2~ ~3~ ~2~')
  assert.equal(actual('/a/~2~/~3~/~9~'), `/a/${ID}/${hash}/~9~`)
})

test('a slug that ends in a part of its id is named, one that only looks so is not', () => {
  const { named, actual } = createNames()
  const renamed = named(`{"id":"${ID}","slug":"fox-c999","x":1}`)
  assert.equal(renamed, '{"id":"~2~","slug":"fox-~1~","x":1}')
  assert.equal(named('/api/entries/fox-c999'), '/api/entries/fox-~1~')
  assert.equal(actual('/api/entries/fox-~1~'), '/api/entries/fox-c999')
  assert.equal(named(`{"id":"${OTHER}","slug":"fox-beef"}`), '{"id":"~3~","slug":"fox-beef"}')
})
