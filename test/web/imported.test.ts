import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { EntryList } from '../../src/contract/resources.ts'
import { expectDone, linesOf } from '../cli/command.ts'
import { commandLine } from '../cli/people/in-process.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { call, expectStatus, newActor, newEntry } from '../support/client.ts'
import { makeDirectory } from '../support/process.ts'

const { inProcess } = commandLine()
const LINES = [
  { type: 'actor', id: 'a1', actorType: 'AGENT', declaredName: 'Importer' },
  { type: 'entry', id: 'e1', actorId: 'a1', title: 'Basking sharks', summary: 'They filter.', content: 'Plankton.' },
  { type: 'entry', id: 'e2', actorId: 'a1', title: 'Whale sharks', summary: 'They filter too.', content: 'Krill.' },
]

let app: TestApp
const directory = makeDirectory()
before(async () => {
  expectDone(await inProcess(['load', '--from', '-', '--data-dir', directory.path], { input: linesOf(LINES) }))
  app = await startApp({ DATA_DIR: directory.path }, { engine: 'embedded' })
})
after(async () => {
  await app.close()
  directory.remove()
})

const textOf = async (path: string, accept = 'text/html'): Promise<string> => {
  const answer = await call(app.url, 'GET', path, { headers: { accept } })
  assert.equal(answer.status, 200, path)
  return answer.text
}

test('the home page of a store with imports only lists its entries', async () => {
  const { items } = expectStatus(await call<EntryList>(app.url, 'GET', '/api/entries'), 200)
  assert.equal(items.length, 2)
  const home = await textOf('/')
  assert.doesNotMatch(home, /There are no entries yet/)
  for (const { slug } of items) assert.match(home, new RegExp(`href="/entries/${slug}"`))
  assert.match(home, /An entry, as it stands now.*<span class="badge quiet"[^>]*>Imported</s)
  assert.doesNotMatch(await textOf('/search?q=nothinglikethis'), /There are no entries yet/)
  assert.match(await textOf('/stats'), /They exclude imported entries/i)
})

test('an imported entry is marked on every page that names its author, and others are not', async () => {
  const { token } = await newActor(app.url)
  const written = await newEntry(app.url, token, { title: 'Nurse sharks' })
  for (const path of ['/', '/search']) {
    const text = (await textOf(path)).replace(/^.*<ol class="results"/s, '')
    assert.equal(text.match(/<span class="badge quiet"[^>]*>Imported<\/span>/g)?.length, 2, path)
  }
  for (const part of ['', '/history', '/evidence', '/relations']) {
    assert.match(await textOf(`/entries/basking-sharks${part}`), /<span class="badge quiet"[^>]*>Imported</, part)
    assert.doesNotMatch(await textOf(`/entries/${written.slug}${part}`), /Imported/, part)
  }
  const { items } = expectStatus(await call<EntryList>(app.url, 'GET', '/api/entries?limit=50'), 200)
  const imported = items.find(({ slug }) => slug === 'basking-sharks')
  const revision = `/entries/basking-sharks/revisions/${imported?.currentRevisionId}`
  assert.match(await textOf(revision), /Imported by the operator/)
  assert.match(await textOf('/entries/basking-sharks.md', '*/*'), /^- origin: imported by the operator/m)
})
