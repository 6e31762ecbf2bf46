import assert from 'node:assert/strict'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import type { Entry, Revision } from '../../../src/client/index.ts'
import { useApp } from '../../support/app.ts'
import { call, expectStatus, newActor, newEntry, revisionOf } from '../../support/client.ts'
import { type Ended, expectDone, expectRefusal, palimpsest } from '../command.ts'
import { commandLine } from './in-process.ts'

const { scratch } = commandLine()
let rival = ''
const app = useApp({}, async () => {
  rival = (await newActor(app.url)).token
})

const begin = (title: string): Promise<Entry> =>
  newEntry(app.url, rival, { title, summary: 'S', content: 'first line of it\nsecond line of it' })
const path = ({ slug }: Entry): string => `/api/entries/${slug}/revisions`
const revisionsOf = async (entry: Entry): Promise<Revision[]> =>
  expectStatus(await call<{ items: Revision[] }>(app.url, 'GET', path(entry)), 200).items

/** Runs edit with an editor that runs this program over the file, which it finds in `file`. */
function edit(entry: Entry, program: string, ...flags: string[]): Promise<Ended> {
  const script = join(scratch(), 'editor.mjs')
  writeFileSync(
    script,
    `import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
const file = process.argv[2]
const change = edit => writeFileSync(file, edit(readFileSync(file, 'utf8')))
${program}`,
  )
  const env = {
    PALIMPSEST_URL: app.url,
    XDG_CONFIG_HOME: join(scratch(), 'config'),
    EDITOR: `"${process.execPath}" "${script}"`,
  }
  return palimpsest(['edit', entry.slug, ...flags], { env })
}
const REASONS = ['--change-type', 'correct', '--rationale', 'Counts.']
const keptFile = ({ stderr }: Ended): string => /(\/\S+\.md)/.exec(stderr)?.[1] ?? ''

test('edit opens the latest revision in the editor and commits the saved text', async () => {
  const entry = await begin('Edited')
  const reasons = "text.replace('changeType:', 'changeType: EXPAND').replace('rationale:', 'rationale: Says more.')"
  const ended = await edit(entry, `change(text => ${reasons}.replace('first', '1st'))`)
  assert.equal(expectDone(ended), `Revised edited, now revision 2\n  ${app.url}/entries/edited\n`)
  const [latest] = await revisionsOf(entry)
  assert.deepEqual(
    [latest?.content, latest?.changeType, latest?.rationale],
    ['1st line of it\nsecond line of it', 'EXPAND', 'Says more.'],
  )
  const flagged = await edit(entry, `change(text => text.replace('second', '2nd'))`, ...REASONS)
  assert.match(expectDone(flagged), /now revision 3/)
})

test('edit commits nothing when nothing was saved, or when the editor fails', async () => {
  const entry = await begin('Left alone')
  expectRefusal(await edit(entry, ''), 1, /^The text is unchanged\. Nothing was committed\.$/)
  expectRefusal(
    await edit(entry, `change(text => text + 'x')\nprocess.exit(3)`, ...REASONS),
    1,
    /^The editor .* ended with exit code 3; nothing was committed\. Set VISUAL or EDITOR to another editor\.$/,
  )
  assert.equal((await revisionsOf(entry)).length, 1)
})

test('a text that cannot be committed stays in its file', async () => {
  const entry = await begin('Kept')
  const refused = await edit(entry, `change(text => text.replace('first', '1st'))`)
  expectRefusal(refused, 1, /^changeType is missing; use --change-type/)
  assert.match(refused.stderr, /^Your text is in \S+kept\.md; "palimpsest revise kept \S+ --merge" commits it\.$/m)
  assert.match(readFileSync(keptFile(refused), 'utf8'), /1st line of it/)
  rmSync(dirname(keptFile(refused)), { recursive: true })
})

test('edit merges a concurrent revision, and leaves both versions where both changed the same words', async () => {
  const entry = await begin('Contested')
  const theirs = { content: 'first line of it\nsecond line of theirs', changeType: 'CORRECT', rationale: 'R' }
  const commitTheirs = `await fetch('${app.url}${path(entry)}', { method: 'POST', body: JSON.stringify(${JSON.stringify(revisionOf(entry, theirs))}),
    headers: { 'content-type': 'application/json', 'x-actor-token': '${rival}' } })`
  const merged = await edit(entry, `${commitTheirs}\nchange(text => text.replace('first', '1st'))`, ...REASONS)
  assert.match(expectDone(merged), /now revision 3/)
  assert.equal((await revisionsOf(entry))[0]?.content, '1st line of it\nsecond line of theirs')

  const again = await begin('Contested again')
  const both = `${commitTheirs.replaceAll(entry.slug, again.slug).replaceAll(entry.currentRevisionId, again.currentRevisionId)}
change(text => text.replace('line of it\\n', 'line of mine\\n').replace('second line of it', 'second line of mine'))`
  const open = await edit(again, both, ...REASONS)
  expectRefusal(
    open,
    4,
    /^You and another writer changed the same words in 1 place: both versions are in \S+, between markers/,
  )
  const file = keptFile(open)
  assert.ok(existsSync(file))
  assert.match(
    readFileSync(file, 'utf8'),
    /first line of mine\n<<<<<<< yours\nsecond line of mine\n=======\nsecond line of theirs\n>>>>>>> theirs\n/,
  )
  rmSync(dirname(file), { recursive: true })
})
