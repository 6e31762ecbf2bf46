import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { ExportLine, Revision } from '../../src/contract/resources.ts'
import { sql } from '../../src/engine/database.ts'
import { evidenceHash } from '../../src/memory/entries/rules.ts'
import { openSource, type Source } from '../../src/mirror/source.ts'
import { type Copy, openCopy } from '../cli/mirror/copy.ts'
import { useApp } from '../support/app.ts'
import { newActor } from '../support/client.ts'
import { editStore } from '../support/edit-store.ts'
import { makeWorld, readExport, signedCheckpoint, type World } from '../support/logged-world.ts'
import { moderate } from '../support/moderation.ts'

const { signal } = new AbortController()

let world: World
let lines: ExportLine[]
/** A mirror that stays as empty as a new one, because everything that it reads is refused. */
let empty: Copy
let stored: unknown
const storedIn = (copy: Copy) =>
  copy.app.store.reader.one(sql`SELECT (SELECT count(*) FROM activity) AS rows, size FROM log`)
const app = useApp({ TLOG_INTERVAL_SECONDS: '0.05' }, async () => {
  const { token } = await newActor(app.url)
  world = await makeWorld(app.url, token)
  await makeWorld(app.url, token)
  await signedCheckpoint(app)
  ;({ lines } = await readExport(app.url))
  empty = await openCopy(app.url)
  stored = await storedIn(empty)
})
after(() => empty.close())

const recordOf = (id: string): number =>
  Number(
    lines.find(line => (line.revision ?? line.verification ?? line.contradiction ?? line.relation)?.id === id)?.record,
  )
/** The number of the first act of moderation. */
const act = (): number => Number(lines.find(({ type }) => type === 'moderation')?.record)

/** Asserts that an empty mirror, and one through `source`, is refused with a sentence, and stores nothing. */
async function assertRefused(sentence: RegExp, source?: Source): Promise<void> {
  await assert.rejects(empty.catchUp(source), (error: Error) => {
    assert.match(error.message, sentence)
    assert.equal(error.constructor.name === 'OperatorError' || error.constructor.name === 'Mismatch', true)
    return true
  })
  assert.deepEqual(await storedIn(empty), stored)
}

type Edit = [what: string, record: () => number, change: () => string, undo: () => string]
const EDITS: readonly Edit[] = [
  [
    'the slug of an entry',
    () => 1,
    () => "UPDATE entry SET slug = 'another' WHERE number = 1",
    () => `UPDATE entry SET slug = '${world.entry.slug}' WHERE number = 1`,
  ],
  [
    'the tags of an entry',
    () => 1,
    () => 'UPDATE entry SET tags = \'["sea"]\' WHERE number = 1',
    () => 'UPDATE entry SET tags = \'["sea","fox"]\' WHERE number = 1',
  ],
  [
    'the confidence of a verification',
    () => recordOf(world.verification.id),
    () => `UPDATE evidence SET confidence = 0.8 WHERE id = '${world.verification.id}'`,
    () => `UPDATE evidence SET confidence = 0.9 WHERE id = '${world.verification.id}'`,
  ],
  [
    'the rationale of a contradiction',
    () => recordOf(world.contradiction.id),
    () => `UPDATE evidence SET rationale = 'It works.' WHERE id = '${world.contradiction.id}'`,
    () => `UPDATE evidence SET rationale = 'It fails.' WHERE id = '${world.contradiction.id}'`,
  ],
  [
    'the type of a relation',
    () => recordOf(world.relation.id),
    () => `UPDATE relation SET relation_type = 'REUSES' WHERE id = '${world.relation.id}'`,
    () => `UPDATE relation SET relation_type = 'CONNECT' WHERE id = '${world.relation.id}'`,
  ],
  [
    'the reason of an act of moderation',
    act,
    () => `UPDATE moderation SET reason = 'Another.' WHERE number = ${act()}`,
    () => `UPDATE moderation SET reason = 'Tested: BLOCK.' WHERE number = ${act()}`,
  ],
]

for (const [what, record, change, undo] of EDITS) {
  test(`a mirror names the record if ${what} was changed in the database`, async () => {
    await editStore(app, change())
    await assertRefused(new RegExp(`^Record ${record()}\\b.* does not match its leaf in the public log.*check --log`))
    await editStore(app, undo())
  })
}

test('a mirror names a revision whose text and hash were changed in the database', async () => {
  const line = lines.find(({ revision }) => revision?.id === world.revised.currentRevisionId)
  const revision = line?.revision as Revision
  const first = lines.find(({ revision: one }) => one?.id === revision.previousRevisionId)?.revision
  const { evidenceHash: own, ...unhashed } = revision
  const forged = evidenceHash({ ...unhashed, content: 'Forged.' }, first?.evidenceHash ?? null)
  const at = `WHERE id = '${revision.id}'`
  await editStore(app, `UPDATE revision SET content = 'Forged.' ${at}`)
  await assertRefused(new RegExp(`^Record ${line?.record} .*${revision.id}.* evidenceHash`))
  await editStore(app, `UPDATE revision SET evidence_hash = '${forged}' ${at}`)
  await assertRefused(new RegExp(`^Record ${line?.record} .*\\(revision\\) does not match its leaf`))
  await editStore(app, `UPDATE revision SET content = '${revision.content}', evidence_hash = '${own}' ${at}`)
})

test('a mirror names a record that is withdrawn without an act, and a changed tombstone', async () => {
  const id = world.verification.id
  await editStore(app, `UPDATE evidence SET withdrawn = 1 WHERE id = '${id}'`)
  await assertRefused(new RegExp(`^Record ${recordOf(id)} .*is withdrawn by no act of moderation`))
  await editStore(app, `UPDATE evidence SET withdrawn = 0 WHERE id = '${id}'`)
  await moderate(app.url, 'ENTRY', world.entry.id, 'HIDE')
  await signedCheckpoint(app)
  await editStore(app, `UPDATE evidence SET rationale = 'Secretly.' WHERE id = '${id}'`)
  await assertRefused(new RegExp(`^Record ${recordOf(id)} .*\\(evidence\\) does not match its leaf`))
  await editStore(app, `UPDATE evidence SET rationale = 'Tried it.' WHERE id = '${id}'`)
  await moderate(app.url, 'ENTRY', world.entry.id, 'RESTORE')
  await signedCheckpoint(app)
})

/** The server with something done to the text of its segments. */
const segmentsThrough = (change: (text: string) => string): Source => {
  const source = openSource(app.url, signal)
  return {
    ...source,
    segment: async from => ({
      bytes: Buffer.from(change((await source.segment(from)).bytes.toString())),
      digest: null,
    }),
  }
}
const withoutLine = (record: number) => (text: string) =>
  text.replace(new RegExp(`^\\{[^\\n]*"record":"${record}"[^\\n]*\\n`, 'm'), '')

test('a mirror names a record of any kind that has no line', async () => {
  for (const record of [recordOf(world.contradiction.id), recordOf(world.relation.id), act()]) {
    const sentence = new RegExp(`^Record ${record} is in the public log .*, and the export has no line for it`)
    await assertRefused(sentence, segmentsThrough(withoutLine(record)))
  }
})

test('a mirror names a line that lacks its salt, or has another kind than its leaf', async () => {
  const record = recordOf(world.verification.id)
  const changed = (from: string | RegExp, to: string) =>
    segmentsThrough(text =>
      text.replace(new RegExp(`^.*"id":"${world.verification.id}".*$`, 'm'), line => line.replace(from, to)),
    )
  await assertRefused(new RegExp(`^Record ${record} .*lacks the salt`), changed(/"salt":"[^"]*"/, '"salt":""'))
  const tombstone = changed(
    /^.*$/,
    `{"type":"withdrawn","sequence":"${record}","withdrawn":"RECORD","record":"${record}","entryRecord":"1","moderation":"${act()}"}`,
  )
  await assertRefused(
    new RegExp(`^Record ${record} .*is a line of a revision, and its leaf in the public log is of a evidence`),
    tombstone,
  )
  const bare = changed(
    /^.*$/,
    `{"type":"withdrawn","sequence":"${record}","withdrawn":"RECORD","record":"${record}","entryRecord":"1","ordinal":1,"moderation":"${act()}"}`,
  )
  await assertRefused(new RegExp(`^Record ${record} .*lacks commitment`), bare)
})

test('a mirror refuses entries and tiles that the checkpoint does not cover', async () => {
  const source = openSource(app.url, signal)
  const tampered: Source = {
    ...source,
    async file(path) {
      const file = await source.file(path)
      if (file !== undefined && path.startsWith('tile/entries/')) {
        const at = file.length - 40
        file[at] = file[at] === 65 ? 66 : 65
      }
      return file
    },
  }
  await assertRefused(
    /^The entries of the records 1 to \d+ of .* are not those of the checkpoint that it signed at \d+/,
    tampered,
  )
})

test('a mirror accepts the database once every change is undone', async () => {
  const whole = await openCopy(app.url)
  assert.ok((await whole.catchUp()) > 0)
  await whole.close()
})
