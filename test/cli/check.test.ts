import assert from 'node:assert/strict'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, test } from 'node:test'
import { startApp } from '../support/app.ts'
import { call, newActor, newEntry } from '../support/client.ts'
import { eventually } from '../support/process.ts'
import { expectDone, expectRefusal, linesOf, palimpsest, STORY, temporaryDirectory } from './command.ts'
import { commandLine } from './people/in-process.ts'

const { inProcess } = commandLine()
let directory: ReturnType<typeof temporaryDirectory>
let backup: string
before(async () => {
  directory = temporaryDirectory()
  const data = ['--data-dir', join(directory.path, 'data')]
  expectDone(await inProcess(['load', '--from', '-', ...data], { input: linesOf(STORY) }))
  backup = join(directory.path, 'whole.db')
  expectDone(await inProcess(['backup', '--to', backup, ...data]))
})
after(() => directory.remove())

/** Changes a copy of the backup. Returns its path, with the result of a query before the change. */
function tampered(name: string, change: string): { file: string; rows: Record<string, string>[] } {
  const file = join(directory.path, name)
  copyFileSync(backup, file)
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: false })
  const rows = database
    .prepare(
      'SELECT e.id, e.slug, r.id AS revision FROM revision r JOIN entry e ON e.number = r.entry ORDER BY r.number',
    )
    .all() as Record<string, string>[]
  database.exec(change)
  database.close()
  return { file, rows }
}

/** The data directory of a store with a public log. */
async function servedOnce(name: string): Promise<string> {
  const app = await startApp({ DATA_DIR: join(directory.path, name) }, { engine: 'embedded' })
  await newEntry(app.url, (await newActor(app.url)).token)
  await eventually('the record is in the log', 60_000, async () =>
    (await call(app.url, 'GET', '/log/checkpoint')).text.split('\n')[1] === '1' ? true : undefined,
  )
  await app.close()
  return app.dataDir
}

test('an intact store is reported as intact, with its counts', async () => {
  for (const where of [
    ['--data-dir', join(directory.path, 'data')],
    ['--file', backup],
  ]) {
    const ended = await palimpsest(['check', ...where])
    const said = expectDone(ended)
    assert.match(said, /is intact/)
    const steps = ['tables and indexes', 'numbers of the records', 'totals', 'hashes of 2 entries', 'rows that repeat']
    assert.match(ended.stderr, new RegExp(steps.map(step => `Checking the ${step}.*\n`).join('')))
    for (const line of [/entries +2$/m, /revisions +4$/m, /evidence +2$/m, /relations +1$/m, /last record +7$/m]) {
      assert.match(said, line)
    }
  }
})

test('verify names the data that no hash covers, unless a checksum covers the whole file', async () => {
  const ofStore = expectDone(await inProcess(['check', '--data-dir', join(directory.path, 'data')]))
  assert.match(ofStore, /integrity check of SQLite/)
  for (const what of ['verifications', 'contradictions', 'relations', 'tags', 'slugs', 'names', 'activity']) {
    assert.match(ofStore, new RegExp(`^No hash covers .*\\b${what}\\b`, 'm'))
  }
  const ofLog = expectDone(await inProcess(['check', '--log', '--data-dir', await servedOnce('logged')]))
  const last = ofLog.trimEnd().split('\n').at(-1) ?? ''
  assert.match(last, /^No hash covers .+ is not detected\.$/)
  for (const what of ['Idempotency-Key', 'names', 'tokens', 'networks', 'blocks', 'reads', 'searches', 'reports']) {
    assert.match(last, new RegExp(`\\b${what}\\b`))
  }
  const ofBackup = expectDone(await inProcess(['check', '--file', backup]))
  assert.match(ofBackup, /^The checksum of the file is right: SHA-256 [0-9a-f]{64}\.$/m)
  assert.doesNotMatch(ofBackup, /No hash covers/)
})

test('one changed byte of a content is found, with the names of entry, slug and revision', async () => {
  const { file, rows } = tampered(
    'byte.db',
    "UPDATE revision SET content = 'Red and quicK.' WHERE content = 'Red and quick.'",
  )
  const [, , second] = rows
  assert.ok(second !== undefined)
  const sentence = `^Entry ${second.id} \\(${second.slug}\\) is damaged: revision ${second.revision} \\(number 2\\) has evidenceHash [0-9a-f]{64}, but its stored data results in [0-9a-f]{64}\\.$`
  expectRefusal(await inProcess(['check', '--file', file]), 1, new RegExp(sentence))
})

test('a replaced hash is found at its own revision, not at the next one', async () => {
  const { file, rows } = tampered(
    'hash.db',
    `UPDATE revision SET evidence_hash = '${'0'.repeat(64)}' WHERE content = 'Red.'`,
  )
  expectRefusal(
    await inProcess(['check', '--file', file]),
    1,
    new RegExp(`revision ${rows[0]?.revision} \\(number 1\\)`),
  )
})

const HASHED = ['title', 'summary', 'rationale', 'change_type', 'id']
for (const column of HASHED) {
  test(`a changed ${column} of a revision is found`, async () => {
    const { file } = tampered(
      `${column}.db`,
      `UPDATE revision SET ${column} = '${column}' WHERE content = 'Red and quick.'`,
    )
    expectRefusal(await inProcess(['check', '--file', file]), 1, /^Entry .* is damaged: revision /)
  })
}

const DAMAGES: [string, string, RegExp][] = [
  ['author', 'UPDATE revision SET actor = 2 WHERE number = 1', /^Entry .* revision .* \(number 1\)/],
  ['time', 'UPDATE revision SET created_at = created_at + 1 WHERE number = 1', /^Entry .* revision .* \(number 1\)/],
  ['sources', "UPDATE revision SET sources = '[' WHERE number = 2", /^Entry .* cannot be served/],
  ['latest', 'UPDATE entry SET revision = 1 WHERE number = 1', /^Entry .* the entry names another one/],
  ['fewer', 'UPDATE entry SET revisions = 2, revision = 3 WHERE number = 1', /^Entry .* is above the 2/],
  [
    'gone',
    'DELETE FROM revision WHERE number = 3; UPDATE revision SET number = 3 WHERE number = 7',
    /refers to a row|is missing/,
  ],
  ['ordinal', 'UPDATE revision SET ordinal = 9 WHERE number = 3', /^Entry .* revision 2 of 3 is missing/],
  ['record', 'UPDATE head SET record = 8', /^The last record is 7, but the head has 8\.$/],
  ['hole', 'DELETE FROM evidence WHERE number = 5', /^Record 5 is missing/],
  ['sequence', 'UPDATE head SET sequence = 2', /above the last sequence of the head, 2\.$/],
  ['total', 'UPDATE head SET revisions = 9', /^The head counts 9 as revisions, and 0 exist\.$/],
  ['reader', 'UPDATE head SET interactions = 1', /^The head counts 1 as interactions, and 0 exist\.$/],
  [
    'feed',
    'DELETE FROM activity WHERE sequence = 3',
    /^The activity has 6 rows of writes, but 7 records were written\.$/,
  ],
  ['topic', "INSERT INTO topic VALUES ('x', 'X', 1, 0)", /^The topics count 1 tags, but public entries have 0\.$/],
  [
    'tags',
    "UPDATE entry SET data_class = 'EXTERNAL', tags = '[' WHERE number = 1; UPDATE head SET entries = 1",
    /^The tags of entry .* cannot be read\.$/,
  ],
  [
    'counter',
    'UPDATE entry SET evidence = evidence + 1 WHERE number = 1',
    /^Entry .* stores wrong numbers of evidence or relations/,
  ],
  [
    'state',
    `UPDATE entry SET standing = replace(standing, '"changed":0', '"changed":1')`,
    /^Entry .* its standing is stored as/,
  ],
  [
    'change',
    'UPDATE revision SET changed = 0 WHERE ordinal = 2',
    /^Entry .* stored wrongly as a change or as no change/,
  ],
  ['changes', 'UPDATE entry SET changes = 1 WHERE number = 1', /^Entry .* stores 1 changes up to .* have 3 up to/],
  [
    'signals',
    'UPDATE revision SET signals = 5 WHERE ordinal = 2',
    /^Entry .* stored as DESTRUCTIVE_COMMAND, INSTRUCTION_LIKE, but its text has none/,
  ],
  ['slug', "UPDATE entry SET slug = 'foxez' WHERE slug = 'foxes'", /^The checksum of the file is wrong/],
  ['ends', 'DELETE FROM relation_end; UPDATE entry SET relations = 0', /^There are 0 ends of 1 relations/],
  ['end', 'UPDATE relation SET target_entry = source_entry', /^Relation 7 has an end that is not its own\.$/],
  ['creator', 'UPDATE entry SET actor = 2 WHERE number = 1', /^Entry 1 has another author or time/],
  ['creation', 'UPDATE entry SET created_at = created_at - 1 WHERE number = 1', /^Entry 1 has another author or time/],
  ['target', 'UPDATE activity SET target = entry WHERE target IS NOT NULL', /^The activity of record 7 has another/],
  ['feed', "UPDATE activity SET actor = 3 - actor WHERE action = 'VERIFY'", /^The activity of record \d has another/],
  ['act', "UPDATE activity SET action = 'CORRECT' WHERE action = 'EXPAND'", /^The activity of record \d has another/],
  ['reference', 'UPDATE evidence SET actor = 99 WHERE number = 5', /of table evidence refers to a row of actor/],
]
for (const [name, change, sentence] of DAMAGES) {
  test(`damage is found: ${name}`, async () => {
    expectRefusal(await inProcess(['check', '--file', tampered(`${name}-damage.db`, change).file]), 1, sentence)
  })
}

test('a file that is not a store is refused with one sentence', async () => {
  const text = join(directory.path, 'text.db')
  writeFileSync(text, 'no database at all '.repeat(100))
  expectRefusal(await inProcess(['check', '--file', text]), 1, /text\.db is not a readable Palimpsest store/)
  const other = join(directory.path, 'other.db')
  new DatabaseSync(other).exec('CREATE TABLE t (a)')
  expectRefusal(await inProcess(['check', '--file', other]), 1, /other\.db is not a readable Palimpsest store/)
  expectRefusal(await inProcess(['check', '--file', join(directory.path, 'none.db')]), 1, /none\.db is not a readable/)
  expectRefusal(await inProcess(['check', '--data-dir', directory.path]), 1, /There is no store in /)
})

const OTHER_SCHEMAS: [name: string, change: string, sentence: RegExp][] = [
  ['a later step', "INSERT INTO migration VALUES (999, 'later', 0)", /step 999 \(later\), which/],
  ['no such table', 'DROP TABLE purge_progress', /its schema has no column purge_progress\.cache, so/],
  ['no such column', 'ALTER TABLE head DROP COLUMN interactions', /its schema has no column head\.interactions, so/],
  ['another column', 'ALTER TABLE evidence ADD COLUMN extra TEXT', /its schema has the column evidence\.extra, which/],
]
for (const [name, change, sentence] of OTHER_SCHEMAS) {
  test(`a backup of another schema is not read or changed; one sentence names the remedy: ${name}`, async () => {
    const { file } = tampered(`${name}.db`, change)
    const before = readFileSync(file)
    const target = join(directory.path, name)
    for (const args of [
      ['check', '--file', file],
      ['restore', '--ignore-checksum', '--from', file, '--data-dir', target],
    ]) {
      const ended = await inProcess(args)
      expectRefusal(ended, 1, sentence)
      expectRefusal(
        ended,
        1,
        /\.db is not a readable Palimpsest store of this version: .*; run the version that wrote it, or write its records/,
      )
    }
    assert.deepEqual(readFileSync(file), before)
  })
}

test('migrate changes nothing on the newest schema, and needs a store', async () => {
  const done = await inProcess(['migrate', '--data-dir', join(directory.path, 'data')])
  assert.match(expectDone(done), /^Nothing to do/)
  expectRefusal(await inProcess(['migrate', '--data-dir', join(directory.path, 'nowhere')]), 1, /There is no store in /)
})
