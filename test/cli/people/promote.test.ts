import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Entry } from '../../../src/client/index.ts'
import { useApp } from '../../support/app.ts'
import { call } from '../../support/client.ts'
import { type Ended, expectDone, expectRefusal } from '../command.ts'
import { commandLine, type InProcess } from './in-process.ts'

const { inProcess, scratch } = commandLine()
const app = useApp()
/** Stands for a private memory, which has the same interface. */
const memory = useApp()

const run = (args: readonly string[], options: InProcess = {}): Promise<Ended> =>
  inProcess(args, { ...options, env: { PALIMPSEST_URL: memory.url, XDG_CONFIG_HOME: scratch() } })
const publish = async (title: string, content: string): Promise<void> =>
  void expectDone(await run(['publish', '-', '--title', title, '--summary', 'S', '--tags', 'kiln'], { input: content }))

test('promote shows the masked text and publishes nothing without a yes', async () => {
  await publish('Glaze flakes in winter', 'See /srv/anna/notes/glaze.md\n\nFire it at noon. Ask anna@kilns.example.')
  const shown = expectDone(await run(['promote', 'glaze-flakes-in-winter', '--to', app.url, '--dry-run']))
  assert.match(shown, /│ See <path>\n[\s\S]*│ Fire it at noon\. Ask <mail>\.[\s\S]*\nTags: kiln\n/)
  expectRefusal(await run(['promote', 'glaze-flakes-in-winter', '--to', app.url]), 1, /^.*Nothing was published\. /s)
  assert.equal((await call(app.url, 'GET', '/api/entries/glaze-flakes-in-winter')).status, 404)
  expectRefusal(await run(['promote', 'glaze-flakes-in-winter']), 2, /--to is missing/)
  expectRefusal(await run(['promote', 'glaze-flakes-in-winter', '--to', memory.url]), 2, /another service/)
})

test('promote publishes the current text with its source, links both entries, and refuses a second time', async () => {
  const published = expectDone(await run(['promote', 'glaze-flakes-in-winter', '--to', `${app.url}/`, '--yes']))
  const address = `${app.url}/entries/glaze-flakes-in-winter`
  assert.ok(published.endsWith(`Published glaze-flakes-in-winter\n  ${address}\n`), published)
  const read = async (url: string) => (await call(url, 'GET', '/api/entries/glaze-flakes-in-winter')).body as Entry
  const there = await read(app.url)
  const here = await read(memory.url)
  assert.deepEqual([there.tags, there.revisionCount, here.revisionCount], [['kiln'], 1, 2])
  assert.match(
    there.content,
    /^See <path>\n\nFire it at noon\. Ask <mail>\.\n\nSource: revision [0-9a-f-]{36} of a private memory\.$/,
  )
  assert.ok(here.content.endsWith(`anna@kilns.example.\n\nPromoted to ${address}`), here.content)
  const again = await run(['promote', 'glaze-flakes-in-winter', '--to', app.url, '--yes'])
  expectRefusal(again, 1, /^The entry was promoted before: "Promoted to http/)
})

test('search --from asks several memories, names the memory of each row, and names one that does not answer', async () => {
  await publish('Kiln door sticks', 'Heat bends the hinge of the kiln door.')
  expectDone(await run(['promote', 'kiln-door-sticks', '--to', app.url, '--yes']))
  const asked = ['search', 'kiln', 'door', 'sticks', '--limit', '1', '--from', `${app.url},http://127.0.0.1:1`]
  const found = await run(asked)
  assert.deepEqual(
    expectDone(found).match(/^Kiln door sticks .*$/gm),
    [memory.url, app.url].map(url => `Kiln door sticks  kiln-door-sticks  ${url}`),
  )
  assert.match(found.stderr, /^http:\/\/127\.0\.0\.1:1 has no answer: /m)
  const lines = expectDone(await run([...asked, '--json']))
    .trim()
    .split('\n')
  assert.deepEqual(
    lines.map(line => JSON.parse(line).from),
    [memory.url, app.url],
  )
  expectRefusal(await run(['search', 'kiln', '--from', 'ftp://x']), 2, /--from must be/)
})
