import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { openIndex, putEntries, saveIndexedRecord } from '../index/file.ts'
import { type SearchReply, searchIndex } from './query.ts'

const directory = mkdtempSync(join(tmpdir(), 'palimpsest-repair-'))
const index = openIndex(join(directory, 'index.db'), { storeId: 'store', record: 0, storeEpoch: 0 })
after(() => {
  index.close()
  rmSync(directory, { recursive: true, force: true })
})

/** Many write about currents, one of them misspelt it; about nine kinds of birds, and once about ducks; one about a project. */
const TEXTS = [
  ...Array.from({ length: 40 }, (_, n) => `current directory number ${n}`),
  'the curent of a river in spring',
  ...[...'bcfghlmpr'].map(letter => `${letter}uck is a name of a bird of the lake`),
  ...Array.from({ length: 9 }, (_, n) => `a duck on pond ${n}`),
  'open a project in the editor',
  'time for an item on the list of them all',
]
for (const [at, title] of TEXTS.entries()) {
  const number = at + 1
  const numbers = { number, revision: number, change: number, updated_at: number, revisions: 1 }
  putEntries(index, [{ ...numbers, withdrawn: 0, id: `id-${number}`, title, summary: '', content: '', tags: '[]' }])
}
saveIndexedRecord(index, TEXTS.length)

const search = (q: string): SearchReply => searchIndex(index, { q, tag: null, sort: 'fit', limit: 50, offset: 0 })
const titles = (q: string): string[] => search(q).entries.map(number => TEXTS[number - 1] ?? '')

test('of many words at one edit, the one that most entries have is chosen', () => {
  assert.deepEqual(search('dduck').corrected, [{ from: 'dduck', to: 'duck' }])
  assert.deepEqual(search('xuck lake').corrected[0]?.from, 'xuck')
  assert.match(titles('ducj')[0] ?? '', /duck/)
})

test('a word that one entry misspells also finds the entries with the correct spelling', () => {
  const found = titles('curent directory')
  assert.equal(found.filter(title => title.startsWith('current directory')).length, 40)
  assert.ok(found.includes('the curent of a river in spring'))
  assert.deepEqual(search('curent directory').corrected, [])
})

test('a word cut in two is joined, and two words written as one are split', () => {
  assert.deepEqual(search('open pro ject').corrected, [{ from: 'pro ject', to: 'project' }])
  assert.deepEqual(search('openproject').corrected, [{ from: 'openproject', to: 'open project' }])
  assert.deepEqual(search('projectin').corrected, [{ from: 'projectin', to: 'project in' }])
  assert.equal(titles('pro ject editor')[0], 'open a project in the editor')
})

test('a score is never more than 1, with any candidates for a word', () => {
  for (const q of ['tiem', 'lsit', 'curent', 'ducj pnod', 'curretn direcotry']) {
    const { scores, match } = search(q)
    assert.ok(
      [...scores, match].every(score => score >= 0 && score <= 1),
      `${q}: ${scores} ${match}`,
    )
  }
})
