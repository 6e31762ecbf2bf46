import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, test } from 'node:test'
import { LIMITS } from '../../src/contract/limits.ts'
import type { Actor, Entry, ExportLine, ExportManifest } from '../../src/contract/resources.ts'
import type { Observation } from '../../src/memory/activity/observe.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { spawn } from '../support/children.ts'
import { call, expectStatus, newActor, newEntry, revisionOf } from '../support/client.ts'
import { signedCheckpoint } from '../support/logged-world.ts'
import { moderate } from '../support/moderation.ts'
import { expectDone, expectRefusal, LAUNCHER, linesOf, palimpsest, STORY, temporaryDirectory } from './command.ts'
import { commandLine } from './people/in-process.ts'

const HOUR = 3_600_000
const ORIGINAL = 'https://memory.example'
const { inProcess } = commandLine()

let app: TestApp
let directory: ReturnType<typeof temporaryDirectory>
/** The answers of the service, and the file that the command wrote. */
let served: string
let exported: string
let withdrawn: Entry
const path = (name: string): string => join(directory.path, name)
const linesIn = (text: string): ExportLine[] =>
  text
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line) as ExportLine)

/** All answers of the export, one after another, as `curl` would append them to a file. */
async function readExport(base: string): Promise<string> {
  let text = ''
  for (let next: string | undefined = '1'; next !== undefined; ) {
    const answer: string = (await call(base, 'GET', `/api/export?from=${next}`)).text
    const end = linesIn(answer).at(-1)
    text += answer
    next = end?.head === undefined ? end?.next : undefined
  }
  return text
}

const importInto = (target: string, input: string, ...flags: string[]) =>
  inProcess(['import', '--from', '-', '--original', ORIGINAL, '--data-dir', path(target), ...flags], { input })

/** Rows of reads that fill the first segment and begin the second. */
async function fillSegment(): Promise<void> {
  const rows = Array.from({ length: LIMITS.exportSegment }, (_, n): Observation => {
    // Two rows of one actor have the same time, which the service never turns back, and different hours.
    const at = Date.parse('2026-11-20T12:00:00Z') - (n % 2) * HOUR
    const origin = {
      id: `fingerprint ${n >> 1}`,
      day: '2026-11-20',
      networkKey: `network ${n >> 1}`,
      voice: `voice ${n >> 1}`,
    }
    const read = { action: 'READ', entry: 1, revision: 1, metadata: null } as const
    const by = { actor: null, userAgent: 'x', origin, requestId: crypto.randomUUID() }
    return { ...read, ...by, at, lastAt: at, times: 1, counted: false }
  })
  await app.store.maintain('recordObservations', rows, { at: Date.now(), cooldown: 0, dataClass: 'EXTERNAL' })
}

before(async () => {
  directory = temporaryDirectory()
  app = await startApp({ TLOG_INTERVAL_SECONDS: '0.05' })
  const write = async <T>(as: string, where: string, body: object): Promise<T> =>
    expectStatus(await call<T>(app.url, 'POST', where, { body, token: as }), 201)
  const ann = await newActor(app.url, { actorType: 'AGENT', declaredName: 'Ann', declaredProvider: 'Acme' })
  const bob = await newActor(app.url, { actorType: 'HUMAN', declaredName: 'Hidden Bob' })
  const eve = await newActor(app.url, { declaredName: 'Quarantined Eve' })
  const fox = await newEntry(app.url, ann.token, {
    title: 'Füchse "quoted"',
    content: 'Line one\n\u2028two\t\\',
    tags: ['Fauna', 'red fur'],
  })
  withdrawn = await newEntry(app.url, bob.token, { title: 'Withdrawn secret', content: 'Not to be seen' })
  const sources = [fox, withdrawn].map(({ id, currentRevisionId }) => ({ entryId: id, revisionId: currentRevisionId }))
  const owl = await newEntry(app.url, bob.token, { title: 'Owls', sources })
  const first = await write<Entry>(
    bob.token,
    `/api/entries/${fox.slug}/revisions`,
    revisionOf(fox, { title: 'Foxes 2', sources: sources.slice(0, 1) }),
  )
  await write(
    ann.token,
    `/api/entries/${fox.slug}/revisions`,
    revisionOf(first, { changeType: 'CORRECT', title: 'Foxes 3' }),
  )
  const judged = { revisionId: fox.currentRevisionId, rationale: 'Tried it' }
  await write(bob.token, `/api/entries/${fox.slug}/verify`, { ...judged, result: 'UNSUPPORTED', confidence: 0.25 })
  await write(ann.token, `/api/entries/${fox.slug}/contradict`, { ...judged, sourceEntryId: owl.id })
  await write(ann.token, `/api/entries/${fox.slug}/contradict`, { ...judged, sourceEntryId: withdrawn.id })
  await write(eve.token, `/api/entries/${fox.slug}/contradict`, { ...judged, rationale: 'Eve was here' })
  const relation = { relationType: 'REUSES', rationale: 'Both hunt' }
  await write(ann.token, '/api/relations', { ...relation, sourceEntryId: fox.id, targetEntryId: owl.id })
  await write(ann.token, '/api/relations', {
    ...relation,
    sourceEntryId: fox.id,
    targetEntryId: withdrawn.id,
    rationale: 'To be gone',
  })
  await fillSegment()
  await moderate(app.url, 'ENTRY', withdrawn.id, 'HIDE')
  await moderate(app.url, 'ACTOR', bob.actor.id, 'HIDE')
  await moderate(app.url, 'ACTOR', eve.actor.id, 'QUARANTINE')
  // An export has the checkpoint of the log, which changes until the log has every record.
  await signedCheckpoint(app)
  served = await readExport(app.url)
  exported = expectDone(await palimpsest(['export', '--data-dir', app.dataDir]))
})
after(async () => {
  await app.close()
  directory.remove()
})

/** The first line of a file. */
const FORMAT = '{"type":"export","format":1}\n'

test('an export is a line that names its format, then the answers of GET /api/export, one after another', async () => {
  assert.equal(exported, FORMAT + served)
  assert.equal(
    expectStatus(await call<ExportManifest>(app.url, 'GET', '/api/export/manifest'), 200).format,
    JSON.parse(FORMAT).format,
  )
  const ends = linesIn(exported).filter(({ type }) => type === 'end')
  assert.deepEqual(
    ends.map(({ next, head }) => [next, head === undefined]),
    [
      ['1001', true],
      [ends[1]?.next, false],
    ],
  )
})

test('an export has no withdrawn or hidden text', () => {
  for (const secret of [withdrawn.id, 'Withdrawn', 'Not to be seen', 'Hidden Bob', 'Eve', 'To be gone', 'plm_']) {
    // A revision names its sources, because its hash has them.
    const cited = JSON.stringify({ entryId: withdrawn.id, revisionId: withdrawn.currentRevisionId })
    assert.ok(!exported.replaceAll(cited, '').includes(secret), secret)
  }
})

test('an export names the licence of the content in its last line, as the service does', async () => {
  const to = path('licensed.ndjson')
  const env = { DATA_DIR: app.dataDir, CONTENT_LICENSE: 'CC-BY-4.0' }
  expectDone(await inProcess(['export', '--to', to], { env }))
  const lines = linesIn(readFileSync(to, 'utf8'))
  assert.equal(lines.at(-1)?.head?.license, 'https://spdx.org/licenses/CC-BY-4.0.html')
  assert.deepEqual(lines.slice(0, -1), linesIn(exported).slice(0, -1))
})

/** The lines that a copy has: those of its own rows, without the members that only the original has. */
const keptLines = (text: string) =>
  linesIn(text)
    .filter(({ type }) => !['export', 'withdrawn', 'moderation', 'moderated', 'end'].includes(type))
    .map(line => JSON.stringify(line))

const rootOf = async (dataDir: string): Promise<string> => {
  const sentence = expectDone(await inProcess(['check', '--log', '--data-dir', dataDir]))
  return /has (\d+ records with the root \S+);/.exec(sentence)?.[1] ?? sentence
}

/** Everything that an entry shows. */
const shownAt = async (base: string, slug: string): Promise<object[]> => {
  const shown: object[] = []
  for (const what of ['', '/revisions', '/evidence', '/relations', '/standing', '/blame']) {
    shown.push(expectStatus(await call<object>(base, 'GET', `/api/entries/${slug}${what}`), 200))
  }
  return shown
}

test('an import has the ids, times, numbers, hashes, standings and log of the exported store', async () => {
  const printed = expectDone(await importInto('copy', exported))
  assert.match(printed, /^Imported \d+ lines in .* all hashes are correct; the copy now contains\n/)
  expectDone(await inProcess(['export', '--to', path('again.ndjson'), '--data-dir', path('copy')]))
  const again = readFileSync(path('again.ndjson'), 'utf8')
  assert.deepEqual(keptLines(again), keptLines(exported))
  assert.deepEqual(linesIn(again).at(-1)?.head?.totals, linesIn(exported).at(-1)?.head?.totals)
  const root = await rootOf(app.dataDir)
  assert.equal(await rootOf(path('copy')), root)
  assert.ok(printed.includes(String(root.split(' ').at(-1))), printed)

  await using copy = await startApp({ DATA_DIR: path('copy') })
  const slugs = linesIn(exported).flatMap(({ slug }) => slug ?? [])
  assert.equal(slugs.length, 2)
  for (const slug of slugs) assert.deepEqual(await shownAt(copy.url, slug), await shownAt(app.url, slug))
  for (const { actor } of linesIn(exported).filter(({ type }) => type === 'entry')) {
    const typeAt = async (base: string) =>
      expectStatus(await call<Actor>(base, 'GET', `/api/actors/${actor?.id}`), 200).actorType
    assert.equal(await typeAt(copy.url), await typeAt(app.url))
  }
  expectStatus(await call(copy.url, 'GET', `/api/entries/${withdrawn.id}`), 404)
  const write = await fetch(`${copy.url}/api/actors`, { method: 'POST', redirect: 'manual' })
  assert.deepEqual([write.status, write.headers.get('location')], [307, `${ORIGINAL}/api/actors`])
})

test('an import is no place for another import, a load or the mirror of another service', async () => {
  expectRefusal(await importInto('copy', exported), 1, /is a copy of https:\/\/memory\.example; import into an empty/)
  const load = await inProcess(['load', '--from', '-', '--data-dir', path('copy')], { input: linesOf(STORY) })
  expectRefusal(load, 1, /is a read-only mirror of https:\/\/memory\.example; load into another directory/)
  expectDone(await inProcess(['load', '--from', '-', '--data-dir', path('own')], { input: linesOf(STORY) }))
  expectRefusal(await importInto('own', exported), 1, /has its own store; import into an empty directory/)
})

test('a file that is no export of this format is refused with what to do instead', async () => {
  for (const line of [STORY[0], STORY[1], { type: 'license', url: 'x' }, 'text', linesIn(served)[0]]) {
    const refused = await importInto('none', `${JSON.stringify(line)}\n`)
    expectRefusal(refused, 1, /names its format; write it with "palimpsest export", or read .*load"\.$/)
  }
  for (const [format, named] of [
    ['2', 'format 2'],
    ['"1"', 'an unknown format'],
  ] as const) {
    const refused = await importInto('none', `{"type":"export","format":${format}}\n${served}`)
    const sentence = `^The file has an export of ${named}, and this version reads format 1; use the version of palimpsest`
    expectRefusal(refused, 1, new RegExp(sentence))
  }
  const load = await inProcess(['load', '--from', '-', '--data-dir', path('unloaded')], { input: exported })
  expectRefusal(load, 1, /^line 1: it begins an export; "palimpsest import" reads it/)
})

test('half a file is refused, and the whole file continues where it ended', async () => {
  const lines = exported.trimEnd().split('\n')
  const half = (count: number) => `${lines.slice(0, count).join('\n')}\n`
  expectRefusal(await importInto('half', half(5)), 1, /^The file is incomplete: it does not end with the newest row/)
  const first = lines.findIndex(line => line.startsWith('{"type":"end"')) + 1
  for (const count of [first, first + 3]) {
    const refused = await importInto('half', half(count))
    expectRefusal(refused, 1, /is incomplete: .* Rows before sequence 1001 are stored; the same command continues/)
  }
  const mirrored = await inProcess(['mirror', ORIGINAL, '--once', '--data-dir', path('half')])
  expectRefusal(mirrored, 1, /The import into .*half is not finished; run it again/)
  expectDone(await importInto('half', exported))
  assert.equal(await rootOf(path('half')), await rootOf(app.dataDir))
  expectDone(await inProcess(['check', '--data-dir', path('half')]))
})

test('a changed text, a missing line and a line at the wrong place are refused, and name the record', async () => {
  const lines = exported.trimEnd().split('\n')
  const changed = exported.replace('Line one', 'Line two')
  expectRefusal(
    await importInto('changed', changed),
    1,
    /^Record 1 .*its evidenceHash is .*, but its content results in/,
  )
  const swapped = [lines[0], lines[2], lines[1], ...lines.slice(3)].join('\n')
  expectRefusal(await importInto('swapped', swapped), 1, /is out of order|was never sent/)
  const cut = lines.filter(line => !line.startsWith('{"type":"entry"')).join('\n')
  expectRefusal(await importInto('cut', cut), 1, /was never sent/)
  const continued = `{"type":"continuation","record":"1","salt":"${'A'.repeat(22)}==","statement":"null"}`
  expectRefusal(
    await importInto(
      'unreadable',
      `${FORMAT}${continued}\n${(lines.at(-1) ?? '').replace(/"next":"\d+"/, '"next":"1001"')}\n`,
    ),
    1,
    /^Record 1 names no log that it continues/,
  )
  expectRefusal(await importInto('twice', exported + served), 1, /continues after the newest row/)
})

const storedIn = (target: string): number => {
  if (!existsSync(join(target, 'palimpsest.db-wal'))) return 0
  const database = new DatabaseSync(join(target, 'palimpsest.db'), { readOnly: true })
  try {
    return Number(database.prepare('SELECT count(*) AS n FROM activity').get()?.n)
  } catch {
    return 0
  } finally {
    database.close()
  }
}

test('an import that is killed continues when it is run again', async () => {
  const target = path('killed')
  const args = [LAUNCHER, 'import', '--from', '-', '--original', ORIGINAL, '--data-dir', target]
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'ignore', 'ignore'] })
  const ended = new Promise(resolve => child.on('close', resolve))
  child.stdin.on('error', () => {})
  // The last line does not come, so the command waits.
  child.stdin.write(exported.slice(0, -10))
  const deadline = performance.now() + 60_000
  while (storedIn(target) < LIMITS.exportSegment / 2) {
    assert.ok(performance.now() < deadline, 'the first answer was not stored')
    await new Promise(resolve => setTimeout(resolve, 20))
  }
  child.kill('SIGKILL')
  await ended
  writeFileSync(path('whole.ndjson'), exported)
  const again = await inProcess([...args.slice(1, 3), path('whole.ndjson'), ...args.slice(4)])
  expectDone(again)
  assert.equal(await rootOf(target), await rootOf(app.dataDir))
  expectDone(await inProcess(['check', '--data-dir', target]))
})

test('an export to a file overwrites no file and leaves no partial file', async () => {
  const to = ['export', '--data-dir', app.dataDir, '--to', path('once.ndjson')]
  expectDone(await inProcess(to))
  const whole = readFileSync(path('once.ndjson'), 'utf8')
  expectRefusal(await inProcess(to), 1, /once\.ndjson exists already/)
  assert.equal(readFileSync(path('once.ndjson'), 'utf8'), whole)
  assert.equal(existsSync(path('once.ndjson.partial')), false)
})

test('the mirror of the original continues an import, and compares all of it with the public log', async () => {
  const flags = ['--data-dir', path('continued')]
  expectDone(await inProcess(['import', '--from', path('whole.ndjson'), '--original', app.url, ...flags]))
  const later = await newEntry(app.url, (await newActor(app.url)).token, { title: 'Later' })
  const printed = expectDone(await inProcess(['mirror', app.url, '--once', ...flags]))
  assert.match(printed, /records are those of its public log/)
  await using copied = await startApp({ DATA_DIR: path('continued') })
  expectStatus(await call(copied.url, 'GET', `/api/entries/${later.slug}`), 200)
})
