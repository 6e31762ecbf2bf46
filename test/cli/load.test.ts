import assert from 'node:assert/strict'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, test } from 'node:test'
import { spawn } from '../support/children.ts'
import { expectDone, expectRefusal, LAUNCHER, linesOf, STORY, temporaryDirectory } from './command.ts'
import { commandLine } from './people/in-process.ts'

const { inProcess } = commandLine()
let directory: ReturnType<typeof temporaryDirectory>
before(() => {
  directory = temporaryDirectory()
})
after(() => directory.remove())

let made = 0
const freshDirectory = (): string => join(directory.path, `store-${made++}`)
const loadInto = (target: string, input: string, ...flags: string[]) =>
  inProcess(['load', '--from', '-', '--data-dir', target, ...flags], { input })
function query(target: string, text: string): Record<string, unknown>[] {
  using database = new DatabaseSync(join(target, 'palimpsest.db'), { readOnly: true })
  return database
    .prepare(text)
    .all()
    .map(row => ({ ...row }))
}
const entriesIn = (target: string): number => Number(query(target, 'SELECT count(*) AS n FROM entry')[0]?.n)

const [ACTOR, FOX, , REVISED] = STORY
const ENTRY = { type: 'entry', id: 'x', title: 'X', summary: 'x', content: 'x' }
const CITED = (entryId: string, revisionId: string) => ({ ...ENTRY, sources: [{ entryId, revisionId }] })

/** Invalid lines after two valid ones, and the sentences about them. */
const BAD: [string, object | string, RegExp][] = [
  ['no JSON', '{"type":"entry",', /line 3: it is not JSON in UTF-8/],
  ['a list', '[]', /line 3: it is not a JSON object/],
  ['an unknown type', { type: 'wish' }, /line 3: type is "wish"; it is one of actor, entry, revision/],
  ['no type', { id: 'x' }, /line 3: type is missing/],
  ['a type of the prototype', { type: 'constructor' }, /line 3: type is "constructor"/],
  ['an unknown member', { ...ENTRY, token: 'x' }, /line 3: a line of type entry has no member "token"/],
  [
    'a line of an export',
    { type: 'entry', sequence: '1', record: '1' },
    /line 3: it is a line of an export; "palimpsest import" reads it/,
  ],
  ['a missing member', { ...ENTRY, title: undefined }, /line 3: MISSING_MEMBER: title: /],
  ['a text that is too long', { ...ENTRY, title: 'x'.repeat(181) }, /line 3: INVALID_TITLE: title /],
  ['a wrong type', { ...ENTRY, tags: 'x' }, /line 3: INVALID_TAGS: tags /],
  [
    'a bad tag',
    { ...ENTRY, tags: ['a', 'b_c'] },
    /line 3: INVALID_TAGS: tags\.1: tags is a list .*letters, digits, spaces and hyphens only/,
  ],
  ['a NUL', { ...ENTRY, title: 'a\u0000b' }, /line 3: INVALID_TEXT: title: /],
  ['no id', { ...ENTRY, id: undefined }, /line 3: id is missing/],
  ['an id twice', { ...ENTRY, id: 'fox' }, /line 3: the entry id "fox" was used by an earlier line/],
  ['an unknown actor', { ...ENTRY, actorId: 'zoe' }, /line 3: actorId "zoe" is the actor of no earlier line/],
  ['an unknown source', CITED('owl', 'fox1'), /line 3: sources\.0: entryId "owl" is the entry of no earlier line/],
  [
    'a source that is no pair',
    { ...ENTRY, sources: [{ entryId: 'fox' }] },
    /line 3: MISSING_MEMBER: sources\.0\.revisionId: /,
  ],
  [
    'an unknown revision',
    { ...REVISED, previousRevisionId: 'fox9' },
    /line 3: previousRevisionId "fox9" is the revision/,
  ],
  ['an unknown change', { ...REVISED, changeType: 'CREATE' }, /line 3: INVALID_CHANGE_TYPE: changeType /],
  [
    'a confidence above 1',
    { type: 'verification', entryId: 'fox', revisionId: 'fox1', result: 'SUPPORTED', confidence: 2, rationale: 'x' },
    /line 3: INVALID_CONFIDENCE: confidence /,
  ],
  [
    'a relation to itself',
    { type: 'relation', sourceEntryId: 'fox', targetEntryId: 'fox', relationType: 'CONNECT', rationale: 'x' },
    /line 3: SELF_RELATION: /,
  ],
]

test('an invalid line stops the load with one sentence that names the line and its fault, and nothing is stored', async () => {
  const target = freshDirectory()
  for (const [name, line, sentence] of BAD) {
    const input = `${linesOf([ACTOR, FOX])}${typeof line === 'string' ? line : JSON.stringify(line)}\n`
    const file = join(directory.path, 'bad.ndjson')
    writeFileSync(file, input)
    const ended = await inProcess(['load', '--from', file, '--data-dir', target])
    assert.equal(ended.stderr.trimEnd().split('\n').length, 1, name)
    expectRefusal(ended, 1, new RegExp(`^${sentence.source}.* Nothing was stored; `))
    assert.equal(entriesIn(target), 0, name)
  }
})

test('a revision of a base that is not the latest is refused', async () => {
  const ended = await loadInto(freshDirectory(), linesOf([ACTOR, FOX, REVISED, { ...REVISED, id: 'fox2b' }]))
  expectRefusal(ended, 1, /^line 4: STALE_REVISION: /)
})

test('invalid UTF-8 and a line over the limit are refused by their number', async () => {
  const file = join(directory.path, 'bytes.ndjson')
  writeFileSync(file, Buffer.concat([Buffer.from('\n{"type":"ent'), Buffer.from([0xff]), Buffer.from('"}\n')]))
  const from = ['load', '--from', file, '--data-dir', freshDirectory()]
  expectRefusal(await inProcess(from), 1, /^line 2: it is not JSON in UTF-8/)
  const long = `${JSON.stringify(ENTRY)}\n${JSON.stringify({ ...ENTRY, content: 'x'.repeat(1_048_576) })}\n`
  expectRefusal(await loadInto(freshDirectory(), long), 1, /^line 2: it is longer than 1048576 bytes/)
})

test('batches before the invalid one stay, and the load continues after the correction', async () => {
  const target = freshDirectory()
  const good = linesOf(STORY)
  const bad = good.replace('"changeType":"CORRECT"', '"changeType":"FIX"')
  const broken = await loadInto(target, bad, '--batch', '2')
  expectRefusal(broken, 1, /^line 5: INVALID_CHANGE_TYPE: changeType .* Lines 1 to 4 are stored; .*--resume/)
  assert.equal(entriesIn(target), 2)
  assert.match(expectDone(await loadInto(target, good, '--batch', '2', '--resume')), /^Loaded 4 lines/)
  const whole = freshDirectory()
  expectDone(await loadInto(whole, good))
  const story = 'SELECT r.ordinal, r.title, r.content, r.rationale FROM revision r ORDER BY r.number'
  assert.deepEqual(query(target, story), query(whole, story))
  assert.equal(query(target, 'SELECT * FROM relation').length, 1)
  expectDone(await inProcess(['check', '--data-dir', target]))
  expectRefusal(await loadInto(target, good, '--resume'), 1, /No load into .* is interrupted/)
})

test('a stop while the load waits for lines leaves the stored ones and names the remedy', async () => {
  const target = freshDirectory()
  const child = spawn(process.execPath, [LAUNCHER, 'load', '--from', '-', '--data-dir', target, '--batch', '1'])
  let stderr = ''
  child.stderr.on('data', chunk => {
    stderr += chunk
  })
  const ended = new Promise<number | null>(resolve => child.on('close', code => resolve(code)))
  child.stdin.write(linesOf([ACTOR, FOX]))
  const deadline = performance.now() + 60_000
  while (!(existsSync(join(target, 'palimpsest.db-wal')) && storedIn(target) === 1)) {
    assert.ok(performance.now() < deadline, 'the first lines were not stored')
    await new Promise(resolve => setTimeout(resolve, 20))
  }
  child.kill('SIGINT')
  assert.equal(await ended, 1)
  assert.match(stderr, /^The load was stopped\. Lines 1 to 2 are stored; .*--resume/m)
  expectDone(await loadInto(target, linesOf(STORY), '--resume'))
  assert.equal(query(target, 'SELECT * FROM revision').length, 4)
})

test('a load that is killed at any instant continues with --resume and stores every line once', async () => {
  const target = freshDirectory()
  const lines = Array.from({ length: 60 }, (_, index) => ({ ...ENTRY, id: `e${index}`, title: `T${index}` }))
  const from = join(directory.path, 'killed.ndjson')
  writeFileSync(
    from,
    linesOf(
      lines
        .flatMap(line => [
          line,
          { ...REVISED, id: `${line.id}r2`, entryId: line.id, previousRevisionId: `${line.id}r1`, actorId: undefined },
        ])
        .map(line => (line.type === 'entry' ? { ...line, revisionId: `${line.id}r1` } : line)),
    ),
  )
  const args = ['load', '--from', from, '--data-dir', target, '--batch', '3']
  let kills = 0
  for (let wanted = 5; ; wanted += 10) {
    const resume = storedIn(target) > 0 ? ['--resume'] : []
    const child = spawn(process.execPath, [LAUNCHER, ...args, ...resume], { stdio: 'ignore' })
    const ended = new Promise<NodeJS.Signals | number | null>(resolve =>
      child.on('close', (code, signal) => resolve(signal ?? code)),
    )
    let running = true
    const done = ended.finally(() => {
      running = false
    })
    while (running && storedIn(target) < wanted) await new Promise(resolve => setTimeout(resolve, 2))
    child.kill('SIGKILL')
    if ((await done) === 0) break
    kills += 1
  }
  assert.ok(kills > 0, 'no load was killed')
  expectRefusal(await inProcess([...args, '--resume']), 1, /No load into .* is interrupted/)
  assert.equal(entriesIn(target), 60)
  assert.deepEqual(query(target, 'SELECT count(*) AS n, count(DISTINCT entry) AS of FROM revision'), [
    { n: 120, of: 60 },
  ])
  assert.deepEqual(query(target, 'SELECT name FROM actor'), [{ name: 'load' }])
  expectDone(await inProcess(['check', '--data-dir', target]))
})

test('a load over an interrupted one is refused and names the remedy', async () => {
  const target = freshDirectory()
  const bad = linesOf([ACTOR, FOX, { type: 'wish' }])
  expectRefusal(await loadInto(target, bad, '--batch', '1'), 1, /Lines 1 to 2 are stored/)
  const again = await loadInto(target, linesOf(STORY))
  expectRefusal(
    again,
    1,
    /stopped after line 2; run it with --resume, or delete .*load-ids\.ndjson to load another file/,
  )
  expectDone(await loadInto(target, linesOf(STORY), '--resume'))
})

/** The number of entries, or none while the store is only being made. */
function storedIn(target: string): number {
  try {
    return entriesIn(target)
  } catch {
    return 0
  }
}

test('authors are SYNTHETIC, or INTERNAL by flag; lines without an author share one per run', async () => {
  const target = freshDirectory()
  expectDone(await loadInto(target, linesOf([ENTRY, { ...ENTRY, id: 'y' }])))
  expectDone(await loadInto(target, linesOf([ENTRY]), '--class', 'INTERNAL'))
  assert.deepEqual(query(target, 'SELECT name, data_class FROM actor ORDER BY number'), [
    { name: 'load', data_class: 'SYNTHETIC' },
    { name: 'load', data_class: 'INTERNAL' },
  ])
  assert.deepEqual(query(target, 'SELECT actor, data_class FROM entry ORDER BY number'), [
    { actor: 1, data_class: 'SYNTHETIC' },
    { actor: 1, data_class: 'SYNTHETIC' },
    { actor: 2, data_class: 'INTERNAL' },
  ])
  assert.deepEqual(query(target, 'SELECT entries, observed_actors FROM head'), [{ entries: 0, observed_actors: 0 }])
})
