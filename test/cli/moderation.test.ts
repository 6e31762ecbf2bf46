import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { AdminReport, Entry, ModerationResult } from '../../src/contract/resources.ts'
import { ADMIN_TOKEN, useApp } from '../support/app.ts'
import { call, expectStatus, newActor, newEntry } from '../support/client.ts'
import { adminEvidence, moderate, snapshot } from '../support/moderation.ts'
import { expectDone, expectRefusal } from './command.ts'
import { commandLine } from './people/in-process.ts'

const { inProcess, scratch } = commandLine()
let token: string
let actorId: string
const app = useApp({}, async () => {
  const made = await newActor(app.url, { declaredName: 'Spammer' })
  token = made.token
  actorId = made.actor.id
})

const run = (...args: string[]) => inProcess([...args, '--url', app.url], { env: { ADMIN_TOKEN } })
const linesIn = <T>(stdout: string): T[] =>
  stdout
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line) as T)
const statusOf = async ({ id }: Entry): Promise<string> => (await adminEvidence(app.url, id)).entry.status

test('an entry is hidden with a reason, the act is listed, and the undo restores the entry', async () => {
  const entry = await newEntry(app.url, token)
  const said = expectDone(await run('moderate', 'hide', entry.slug, '--reason', 'A private\u202e address.'))
  assert.match(said, new RegExp(`^HIDE ENTRY ${entry.id}: it is now hidden; also changed: 1 entry, 0 actors$`, 'm'))
  assert.equal(await statusOf(entry), 'HIDDEN')
  const listed = expectDone(await run('decisions', '--limit', '1'))
  assert.match(listed, new RegExp(`HIDE ENTRY ${entry.id}  changed; 1 entry, 0 actors\n`))
  assert.match(listed, /^ {2}│ A private\\u\{202e\} address\.$/m)
  const [row] = linesIn<ModerationResult>(expectDone(await run('decisions', '--limit', '1', '--json')))
  assert.equal(row?.targetId, entry.id)
  expectDone(await run('decisions', row?.id ?? '', '--undo'))
  assert.equal(await statusOf(entry), 'ACTIVE')
  expectRefusal(await run('decisions', row?.id ?? '', '--undo'), 1, /is not the newest change of its target/)
})

test('a dry run shows the states and the consequence, and changes nothing', async () => {
  const entry = await newEntry(app.url, token)
  const acts = (await snapshot(app.url)).audit.length
  const { stdout, stderr } = await run('moderate', 'BLOCK', entry.slug, '--dry-run')
  assert.match(stdout, new RegExp(`^BLOCK ENTRY ${entry.id} ".*": it is not moderated, and would be blocked$`, 'm'))
  assert.match(stdout, /The entry is locked\./)
  assert.match(stderr, /Nothing was changed/)
  const [actor] = linesIn<{ previousState: unknown; state: { quarantined: boolean } }>(
    expectDone(await run('moderate', 'QUARANTINE', actorId, '--type', 'actor', '--dry-run', '--json')),
  )
  assert.equal(actor?.state.quarantined, true)
  assert.equal((await snapshot(app.url)).audit.length, acts)
  assert.equal(await statusOf(entry), 'ACTIVE')
})

test('all entries of an actor are hidden by one command, and one undo restores them', async () => {
  const spammer = await newActor(app.url)
  const made = await Promise.all(['one', 'two', 'three'].map(title => newEntry(app.url, spammer.token, { title })))
  const other = await newEntry(app.url, token)
  await moderate(app.url, 'ENTRY', made[0]?.id ?? '', 'BLOCK')
  const results = linesIn<ModerationResult>(
    expectDone(await run('moderate', 'HIDE', '--by-actor', spammer.actor.id, '--reason', 'Spam wave.', '--json')),
  )
  assert.deepEqual(results.map(({ targetId }) => targetId).sort(), made.map(({ id }) => id).sort())
  for (const entry of made) assert.equal(await statusOf(entry), 'HIDDEN')
  assert.equal(await statusOf(other), 'ACTIVE')
  const about = linesIn<ModerationResult>(expectDone(await run('decisions', '--by-actor', spammer.actor.id, '--json')))
  assert.equal(about.length, 4)
  const shown = await run('decisions', '--undo', '--dry-run')
  assert.match(shown.stderr, /Nothing was changed: 3 actions/)
  expectDone(await run('decisions', '--undo'))
  assert.deepEqual((await Promise.all(made.map(statusOf))).sort(), ['ACTIVE', 'ACTIVE', 'LOCKED'])
  expectRefusal(await run('decisions', '--undo'), 3, /nothing to undo/)
})

test('an entry and a record are erased, the acts are listed, and nothing undoes them', async () => {
  const entry = await newEntry(app.url, token)
  const kept = await newEntry(app.url, token)
  const reason = ['--reason', 'Asked by the person concerned.']
  const dry = await run('moderate', 'erase', entry.slug, '--dry-run')
  assert.match(dry.stdout, /it is not moderated, and would be erased\n/)
  assert.match(dry.stdout, /are destroyed/)
  assert.equal(await statusOf(entry), 'ACTIVE')
  const said = expectDone(await run('moderate', 'ERASE', entry.slug, ...reason))
  assert.match(said, new RegExp(`^ERASE ENTRY ${entry.id}: it is now erased; also changed: 1 entry, 0 actors$`, 'm'))
  const body = { ...kept, previousRevisionId: kept.currentRevisionId, changeType: 'CORRECT', rationale: 'Cleaned.' }
  const { title, summary, content, previousRevisionId, changeType, rationale } = body
  const revised = { title, summary, content: `${content} More.`, previousRevisionId, changeType, rationale }
  expectStatus(await call(app.url, 'POST', `/api/entries/${kept.slug}/revisions`, { body: revised, token }), 201)
  const { revisions } = await adminEvidence(app.url, kept.id)
  const { record = '' } = (revisions.at(-1) ?? {}) as { record?: string }
  assert.match(
    expectDone(await run('moderate', 'ERASE', record, '--type', 'record', ...reason)),
    new RegExp(`^ERASE RECORD ${record}: it is now erased`, 'm'),
  )
  assert.equal(await statusOf(kept), 'ACTIVE')
  expectRefusal(
    await run('moderate', 'HIDE', record, '--type', 'RECORD', ...reason),
    1,
    /HIDE does not apply to a RECORD/,
  )
  const [act] = linesIn<ModerationResult>(expectDone(await run('decisions', '--limit', '1', '--json')))
  assert.deepEqual([act?.action, act?.targetType, act?.targetId], ['ERASE', 'RECORD', record])
  expectRefusal(await run('decisions', '--undo'), 3, /nothing to undo/)
  expectRefusal(await run('decisions', act?.id ?? '', '--undo'), 1, /is an erasure, which nothing undoes/)
})

test('an author lists the acts on its texts and appeals one, and the administrator finds and answers the appeal', async () => {
  const { token: own } = await newActor(app.url)
  const entry = await newEntry(app.url, own)
  const asAuthor = (...args: string[]) => inProcess([...args, '--url', app.url], { env: { PALIMPSEST_TOKEN: own } })
  assert.match((await asAuthor('appeal')).stderr, /No act of moderation/)
  const reason = ['--reason', 'Names a \u202e person.']
  expectDone(await run('moderate', 'HIDE', entry.slug, ...reason, '--ground', 'private_data'))
  const listed = expectDone(await asAuthor('appeal'))
  assert.match(
    listed,
    new RegExp(`HIDE ENTRY ${entry.id} {2}PRIVATE_DATA\n {2}decision [0-9a-f-]{36}, can be appealed\n`),
  )
  assert.match(listed, /^ {2}│ Names a \\u\{202e\} person\.$/m)
  const [decision = ''] = /(?<=decision )[0-9a-f-]{36}/.exec(listed) ?? []
  expectRefusal(await asAuthor('appeal', decision), 1, /rationale/)
  expectRefusal(await asAuthor('appeal', '--rationale', 'Why'), 2, /needs DECISION/)
  assert.match(
    expectDone(await asAuthor('appeal', decision, '--rationale', 'She is public.')),
    /your appeal: open\n {2}│ She is/,
  )
  const open = expectDone(await run('decisions', '--appeals'))
  const [appeal = ''] = /(?<=appeal )[0-9a-f-]{36}/.exec(open) ?? []
  assert.match(open, /She is public\./)
  expectRefusal(await run('decisions', '--appeals', '--undo'), 2, /only lists/)
  expectDone(await run('moderate', 'HIDE', entry.slug, '--reason', 'She is not.', '--appeal', appeal))
  assert.match((await run('decisions', '--appeals')).stderr, /No open appeal\./)
  assert.match(
    expectDone(await asAuthor('appeal')),
    /your appeal: REJECTED\n {2}│ She is public\.\n {2}│ She is not\.\n/,
  )
})

test('reports are listed and closed', async () => {
  const entry = await newEntry(app.url, token)
  const body = { targetType: 'ENTRY', targetId: entry.id, reason: 'SPAM', details: 'Sells \u001b[31mtea.' }
  expectStatus(await call(app.url, 'POST', '/api/reports', { body }), 201)
  const listed = expectDone(await run('reports'))
  assert.match(listed, new RegExp(`SPAM ${entry.slug}  .* ACTIVE\n`))
  assert.match(listed, /│ Sells \\u\{1b\}\[31mtea\.$/m)
  const [report] = linesIn<AdminReport>(expectDone(await run('reports', '--json')))
  const id = report?.id ?? ''
  expectRefusal(await run('reports', id), 2, /need --close/)
  assert.match((await run('reports', id, '--close', 'ACTED', '--dry-run')).stderr, /ACTED of 1 report in a dry run/)
  assert.match(expectDone(await run('reports', id, '--close', 'acted', '--note', 'Hidden.')), /^ACTED report/)
  assert.equal(expectDone(await run('reports')), '')
  const [closed] = linesIn<AdminReport>(expectDone(await run('reports', '--all', '--json')))
  assert.deepEqual([closed?.resolution, closed?.note], ['ACTED', 'Hidden.'])
})

test('the admin token comes from the environment, a file or the data directory, and only the first two leave the machine', async () => {
  const directory = join(scratch(), 'data')
  mkdirSync(directory)
  writeFileSync(join(directory, 'admin-token'), `${ADMIN_TOKEN}\n`)
  const { hostname: HOST, port: PORT } = new URL(app.url)
  const of = (env: Record<string, string>, ...more: string[]) => inProcess(['decisions', ...more], { env })
  expectDone(await of({ HOST, PORT, DATA_DIR: directory }))
  expectDone(await of({ HOST, PORT }, '--data-dir', directory))
  expectDone(await of({ HOST, PORT, ADMIN_TOKEN_FILE: join(directory, 'admin-token') }))
  expectRefusal(
    await of({ DATA_DIR: directory }, '--url', 'https://memory.example'),
    2,
    /is not on this machine: set ADMIN_TOKEN/,
  )
  expectRefusal(await of({ HOST, PORT, DATA_DIR: scratch() }), 2, /admin-token does not exist: set ADMIN_TOKEN_FILE/)
  expectRefusal(
    await of({ HOST, PORT, ADMIN_TOKEN: `${ADMIN_TOKEN}x` }),
    5,
    /not the admin token of this server.* The token is from ADMIN_TOKEN\.$/,
  )
})

test('the status prints one line for each part', async () => {
  const said = expectDone(await run('status'))
  assert.match(said, /^ok {3}ready: the service takes reads and writes$/m)
  for (const line of said.trimEnd().split('\n')) assert.match(line, /^(ok {2}|warn|FAIL) [A-Za-z -]+: \S/)
  assert.ok(
    linesIn<{ what: string }>(expectDone(await run('status', '--json'))).some(({ what }) => what === 'search index'),
  )
})

const MISTAKES: [string[], number, RegExp][] = [
  [['moderate', 'HIDE', 'x'], 2, /--reason is missing/],
  [['moderate', 'HIDE', '--reason', 'r'], 2, /TARGET is missing/],
  [['moderate', 'BAN', 'x', '--reason', 'r'], 2, /ACTION is one of HIDE/],
  [['moderate', 'HIDE', 'x', '--type', 'ORIGIN', '--reason', 'r'], 1, /HIDE does not apply to an ORIGIN/],
  [['moderate', 'HIDE', 'no-such-entry', '--reason', 'r'], 3, /answered 404/],
  [['moderate', 'HIDE', '--by-actor', 'x', '--reason', 'r'], 2, /must be the id of an actor/],
  [['reports', 'x', '--close', 'MAYBE'], 2, /--close is one of ACTED, DISMISSED/],
  [['decisions', '--dry-run'], 2, /need --undo/],
]
for (const [args, code, sentence] of MISTAKES) {
  test(`"${args.join(' ')}" is refused`, async () => expectRefusal(await run(...args), code, sentence))
}
