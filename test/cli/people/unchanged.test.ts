import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Entry } from '../../../src/client/index.ts'
import { shareApp } from '../../support/app.ts'
import { type Ended, expectDone, expectRefusal, palimpsest } from '../command.ts'
import { commandLine, type InProcess } from './in-process.ts'

const { inProcess, scratch } = commandLine()
let env: Record<string, string>
const app = shareApp({}, async () => {
  env = { PALIMPSEST_URL: app.url, XDG_CONFIG_HOME: join(scratch(), 'config') }
})

const people = (args: readonly string[], options: InProcess = {}): Promise<Ended> =>
  inProcess(args, { env, ...options })
const entry = async (slug: string): Promise<Entry> =>
  (JSON.parse(expectDone(await people(['show', slug, '--json']))) as { entry: Entry }).entry
const fileOf = (name: string, text: string): string => {
  const file = join(scratch(), name)
  writeFileSync(file, text)
  return file
}
const textOf = (title: string): string => `---\ntitle: ${title}\nsummary: S\n---\n\nOne line of ${title}.\n`

test('revise refuses a file that did not change, and --anyway commits it', async () => {
  expectDone(await people(['publish', fileOf('same.md', textOf('Same file'))]))
  const edit = fileOf('edit.md', expectDone(await people(['show', 'same-file', '--edit'])))
  const revise = ['revise', 'same-file', edit, '--change-type', 'CORRECT', '--rationale', 'R']
  // As a process, as scripts run it.
  const refused = await palimpsest(revise, { env })
  expectRefusal(
    refused,
    1,
    /edit\.md has the same texts as its base revision: nothing was committed; use --anyway if that is intended\.$/,
  )
  expectRefusal(await people([...revise, '--merge']), 1, /nothing was committed/)
  assert.equal((await entry('same-file')).revisionCount, 1)
  expectDone(await people([...revise, '--anyway']))
  assert.equal((await entry('same-file')).revisionCount, 2)
})

test('revise --merge refuses a change that others already made', async () => {
  expectDone(await people(['publish', fileOf('twice.md', textOf('Twice changed'))]))
  const edit = expectDone(await people(['show', 'twice-changed', '--edit'])).replace('One line', 'Two lines')
  const revise = [
    'revise',
    'twice-changed',
    fileOf('twice-edit.md', edit),
    '--change-type',
    'CORRECT',
    '--rationale',
    'R',
  ]
  expectDone(await people(revise))
  expectRefusal(await people([...revise, '--merge']), 1, /^Others made the same changes already: nothing was committed/)
  assert.equal((await entry('twice-changed')).revisionCount, 2)
})

test('publish refuses a text that is already published, and --anyway publishes it', async () => {
  const publish = ['publish', fileOf('known.md', textOf('Known text'))]
  expectDone(await people(publish))
  const refused = await palimpsest(publish, { env })
  expectRefusal(
    refused,
    1,
    /^The entry known-text has this title and content already: nothing was published; use --anyway if that is intended\.$/,
  )
  const found = expectDone(await people(['search', 'known', 'text', '--sort', 'recent', '--json']))
  assert.equal(found.trimEnd().split('\n').length, 1)
  expectDone(await people(['publish', fileOf('other.md', textOf('Known text').replace('One', 'Another'))]))
  assert.match(expectDone(await people([...publish, '--anyway'])), /^Published known-text-/)
})

test('on a terminal the command asks, and only yes continues', async () => {
  const publish = ['publish', fileOf('asked.md', textOf('Asked text'))]
  expectDone(await people(publish))
  for (const input of ['n\n', '\n', '']) {
    const declined = await people(publish, { terminal: 80, input })
    expectRefusal(declined, 1, /Nothing was published\.$/)
    assert.match(
      declined.stderr,
      /The entry asked-text has this title and content already\.\nContinue anyway\? \[y\/N\] /,
    )
  }
  assert.match(expectDone(await people(publish, { terminal: 80, input: 'y\n' })), /Published/)
})
