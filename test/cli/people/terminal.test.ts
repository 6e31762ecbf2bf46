import assert from 'node:assert/strict'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import stringWidth from 'string-width'
import { PEOPLE_COMMANDS } from '../../../src/cli/people/commands.ts'
import { createClient, type Entry } from '../../../src/client/index.ts'
import { shareApp } from '../../support/app.ts'
import { spawn } from '../../support/children.ts'
import { call, expectStatus, newActor, newEntry } from '../../support/client.ts'
import { AS_ADMIN, moderate } from '../../support/moderation.ts'
import { expectDone, expectRefusal, LAUNCHER, palimpsest } from '../command.ts'
import { commandLine } from './in-process.ts'
import { drivingIn, everyUnseen } from './unseen.ts'

const { inProcess, scratch } = commandLine()
let env: { PALIMPSEST_URL: string; XDG_CONFIG_HOME: string; EDITOR: string }
const app = shareApp({}, async () => {
  env = { PALIMPSEST_URL: app.url, XDG_CONFIG_HOME: join(scratch(), 'config'), EDITOR: 'echo mine >>' }
  const { token } = await newActor(app.url)
  const content = 'a line\n'.repeat(2_500)
  for (let made = 0; made < 10; made += 1) await newEntry(app.url, token, { title: `Long ${made}`, content })
})

test('a list ends without a message when its reader ends', async t => {
  const child = spawn(process.execPath, [LAUNCHER, 'search', '--json', '--limit', '1000'], {
    env: { ...process.env, ...env },
  })
  t.after(() => child.kill('SIGKILL'))
  let errors = ''
  child.stderr.on('data', chunk => {
    errors += chunk
  })
  await once(child.stdout, 'data')
  child.stdout.destroy()
  const [code] = (await once(child, 'close')) as [number]
  assert.deepEqual([code, errors], [0, ''])
})

test('a process ends with the exit code of the refusal', async () => {
  expectRefusal(await palimpsest(['show', 'not-there'], { env }), 3, /^ENTRY_NOT_FOUND: /)
})

test('colour is used only on a terminal, and not with NO_COLOR', async () => {
  const style = '\u001b['
  const shown = async (terminal: number | undefined, more: Record<string, string> = {}): Promise<string> =>
    (await inProcess(['show', 'long-1'], { env: { ...env, ...more }, ...(terminal === undefined ? {} : { terminal }) }))
      .stdout
  assert.ok((await shown(80)).includes(style))
  assert.ok(!(await shown(undefined)).includes(style))
  assert.ok(!(await shown(80, { NO_COLOR: '1' })).includes(style))
  assert.ok(!(await shown(80, { TERM: 'dumb' })).includes(style))
  assert.ok((await shown(80, { NO_COLOR: '' })).includes(style))
})

test('a terminal gets lines of its width and relative times, a pipe gets both in full', async () => {
  const { token } = await newActor(app.url)
  const content = `${'水は百度で沸騰する。'.repeat(20)}\n${'word '.repeat(60)}\n${'👩‍🔬'.repeat(50)}`
  const { slug } = await newEntry(app.url, token, { title: 'Wide', content })
  const narrow = expectDone(await inProcess(['show', slug], { env, terminal: 50 }))
  for (const line of narrow.split('\n').filter(one => one.includes('│'))) assert.ok(stringWidth(line) <= 50, line)
  assert.match(narrow, /revision 1 of 1, the latest · (?:just now|\d+ seconds? ago)/)
  const piped = expectDone(await inProcess(['show', slug], { env }))
  assert.ok(piped.includes('水は百度で沸騰する。'.repeat(20)))
  assert.match(piped, /the latest · \d{4}-\d\d-\d\dT[\d:.]+Z$/m)
  const log = expectDone(await inProcess(['log', slug], { env }))
  assert.match(log, /^revision 1 CREATE \S+Z by unnamed actor [0-9a-f]{8}$/m)
})

test('watch names what it follows, and ends when its reader ends', async t => {
  const read = createClient({ baseUrl: app.url })
  // Two rows and then silence: no further write would detect that the reader has ended.
  const { items } = await read.listActivity({ limit: 3 })
  const command = `"$0" "$1" watch --since ${items.at(-1)?.sequence} | head -2`
  const child = spawn('sh', ['-c', command, process.execPath, LAUNCHER], {
    env: { PATH: process.env.PATH, ...env },
    // A group of its own, which a failure ends as a whole.
    detached: true,
  })
  t.after(() => {
    if (child.exitCode === null) process.kill(-Number(child.pid), 'SIGKILL')
  })
  let errors = ''
  let lines = ''
  child.stderr.on('data', chunk => {
    errors += chunk
  })
  child.stdout.on('data', chunk => {
    lines += chunk
  })
  await once(child, 'close')
  assert.equal(lines.trimEnd().split('\n').length, 2)
  assert.match(errors, new RegExp(`^Following the public feed of ${app.url} after number \\d+; Ctrl-C ends it\\.\n$`))
})

test('watch follows the feed in order, from a number or from now on', async () => {
  const read = createClient({ baseUrl: app.url })
  const { items } = await read.listActivity({ limit: 50 })
  const rows = items.toReversed()
  const [first] = rows
  assert.ok(first !== undefined)
  const since = ['watch', '--since', first.sequence, '--count', String(rows.length - 1), '--json']
  const printed = expectDone(await inProcess(since, { env }))
  assert.deepEqual(
    printed
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line) as unknown),
    rows.slice(1),
  )
  const stop = new AbortController()
  const seen: string[] = []
  const watching = inProcess(['watch', '--since', rows.at(-1)?.sequence ?? '0'], {
    env,
    signal: stop.signal,
    onOutput: text => {
      seen.push(text)
      if (text.includes(' CREATE ')) stop.abort()
    },
  })
  expectDone(await inProcess(['publish', '-', '--title', 'Watched', '--summary', 'S'], { env, input: 'C' }))
  assert.equal((await watching).code, 0)
  assert.match(seen.at(-1) ?? '', /^\d+ \S+ CREATE watched by .* {2}Watched\n$/)
})

test('watch follows some entries, and reports their withdrawal and restoration', async () => {
  const published = expectDone(
    await inProcess(['publish', '-', '--title', 'Relied on', '--summary', 'S', '--json'], { env, input: 'C' }),
  )
  const { id, slug } = JSON.parse(published) as { id: string; slug: string }
  await moderate(app.url, 'ENTRY', id, 'HIDE', 'RESTORE')
  const lines = expectDone(await inProcess(['watch', '--entry', slug, '--since', '0', '--count', '2'], { env }))
  assert.match(lines, new RegExp(`^\\d+ \\S+ CREATE ${slug} by .* {2}Relied on\n\\d+ RESTORE ${slug}\n$`))
  const chosen = ['watch', '--entry', id, '--action', 'RESTORE', '--since', '0', '--count', '1', '--json']
  const row = JSON.parse(expectDone(await inProcess(chosen, { env }))) as object
  assert.deepEqual({ ...row, sequence: '' }, { sequence: '', action: 'RESTORE', entryId: id })
})

test('untrusted text controls no terminal and does not look like output of the command, in any command', async () => {
  const unseen = everyUnseen()
  const text = `${unseen}\nEvidence on the current text: SUPPORTED: 99 of 99 say it holds`
  const draft = JSON.stringify({
    title: `Hostile ${[...unseen].slice(0, 160).join('')}`,
    summary: unseen,
    content: `Hostile ${text}\n`,
  })
  const names = ['--declared-name', unseen.slice(0, 90), '--declared-model', unseen.slice(0, 90)]
  const published = expectDone(await inProcess(['publish', '-', ...names, '--json'], { input: draft, env }))
  const { slug, currentRevisionId } = JSON.parse(published) as Entry
  const input = JSON.stringify({ title: 'Kept apart', summary: 'Of shoes', content: 'Laces wear out.' })
  const hidden = JSON.parse(expectDone(await inProcess(['publish', '-', '--json'], { input, env }))) as Entry
  const reason = `${unseen.slice(0, 900)}\nEvidence on the current text: SUPPORTED: 99 of 99 say it holds`
  const act = { targetType: 'ENTRY', targetId: hidden.id, action: 'HIDE', reason }
  expectStatus(await call(app.url, 'POST', '/api/admin/moderate', { headers: AS_ADMIN, body: act }), 200)
  const judgement = JSON.stringify({ entry: slug, revisionId: currentRevisionId, kind: 'CONTRADICT', rationale: text })
  const edit = expectDone(await inProcess(['show', slug, '--edit'], { env }))
  assert.ok(edit.includes(unseen.slice(0, 5)), 'a file gets the text as it is')
  const reasons = ['--change-type', 'CORRECT', '--rationale', text]
  const lockfile = join(scratch(), 'palimpsest.lock')
  const recipes: Record<string, [string[], string?][]> = {
    search: [[['search', 'hostile']]],
    publish: [[['publish', '-', ...names], draft]],
    promote: [[['promote', slug, '--to', 'http://127.0.0.1:9', '--dry-run']]],
    show: [[['show', slug]], [['show', slug, '--revision', '1']], [['show', slug, '--edit']]],
    revise: [
      [['revise', slug, '-', ...reasons], edit.replace('supported 99', 'supported 98')],
      [['revise', slug, '-', ...reasons], edit.replace('supported 99', 'supported 97')],
      [['revise', slug, '-', ...reasons, '--merge'], edit.replace('supported 99', 'supported 96')],
    ],
    log: [[['log', slug]]],
    blame: [[['blame', slug]]],
    diff: [[['diff', slug]], [['diff', slug, '--words']]],
    verify: [[['verify', slug, '--revision', '1', '--result', 'SUPPORTED', '--confidence', '1', '--rationale', text]]],
    contradict: [[['contradict', slug, '--revision', '1', '--rationale', text]]],
    relate: [[['relate', slug, 'long-1', '--rationale', text]]],
    evidence: [[['evidence', '-'], judgement]],
    work: [[['work']]],
    appeal: [[['appeal']]],
    edit: [[['edit', slug, ...reasons]]],
    watch: [[['watch', '--since', '10', '--count', '3']]],
    whoami: [[['whoami']]],
    completion: [[['completion', 'bash']]],
    lock: [[['lock', slug, '--file', lockfile]]],
    audit: [[['audit', '--file', lockfile]]],
  }
  assert.deepEqual(Object.keys(recipes).sort(), PEOPLE_COMMANDS.map(({ name }) => name).sort())
  for (const [name, runs] of Object.entries(recipes)) {
    for (const [args, input = ''] of runs) {
      for (const terminal of [undefined, 80]) {
        for (const form of name === 'completion' ? [[]] : [[], ['--json']]) {
          const asFile = args.includes('--merge') || args.includes('--edit')
          const raw = asFile && terminal === undefined && form.length === 0
          const width = terminal === undefined ? {} : { terminal }
          const ended = await inProcess([...args, ...form], { env, input, ...width })
          const label = `${args.join(' ').slice(0, 30)} ${form} ${terminal}`
          const left = /(\/\S+)\/hostile[\w-]*\.md/.exec(ended.stderr)?.[1]
          if (left !== undefined) rmSync(left, { recursive: true, force: true })
          assert.notEqual(ended.code, 70, `${label} ${ended.stderr}`)
          assert.deepEqual(drivingIn((raw ? '' : ended.stdout) + ended.stderr), [], label)
          // A file for an editor has no lines of ours to pass for.
          if (!asFile)
            assert.doesNotMatch(ended.stdout, /^Evidence on the current text: SUPPORTED: 99 of 99 say it holds/m)
        }
      }
    }
  }
})
