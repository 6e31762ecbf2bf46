import assert from 'node:assert/strict'
import { once } from 'node:events'
import { chownSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { HOSTS, type Host, momentOf } from '../../src/cli/hook/hosts.ts'
import { masked } from '../../src/cli/hook/mask.ts'
import { socketPath } from '../../src/local-socket.ts'
import { shareApp } from '../support/app.ts'
import { call, newActor, newEntry } from '../support/client.ts'
import { freePort } from '../support/ports.ts'
import { palimpsest } from './command.ts'
import { commandLine } from './people/in-process.ts'

const app = shareApp()
const { inProcess, scratch } = commandLine()
type Sample = { source: string; host: string; moment: string; payload: Record<string, unknown> }
const SAMPLES = JSON.parse(readFileSync(join(import.meta.dirname, 'hook-samples.json'), 'utf8')) as Sample[]
const FAILED = SAMPLES.filter(({ moment }) => moment === 'failed')
const hostOf = ({ host }: Sample): Host => HOSTS.find(({ name }) => name === host) ?? assert.fail(host)
const [CLAUDE = assert.fail()] = SAMPLES

const OUTPUT = 'Error: error:0308010C:digital envelope routines::unsupported, code ERR_OSSL_EVP_UNSUPPORTED'
const ENTRY = {
  title: 'ERR_OSSL_EVP_UNSUPPORTED with webpack 4',
  summary: 'Node 17 and later refuse MD4, which webpack 4 uses.',
  content:
    'The build fails with error:0308010C:digital envelope routines::unsupported, code ERR_OSSL_EVP_UNSUPPORTED.\n\nUpdate to webpack 5, or set output.hashFunction to xxhash64.',
}

/** A sample with this output of the command, as a session of its own. */
const withOutput = ({ payload }: Sample, session: string, output = OUTPUT): string =>
  JSON.stringify({ ...payload, session_id: session, sessionID: session, conversation_id: session }).replaceAll(
    '@OUTPUT@',
    JSON.stringify(output).slice(1, -1),
  )

/** Tests run in a process that started long ago. */
const PATIENT = ['--wait', '1000000000']
const hook = (host: string, input: string, ...args: string[]) =>
  inProcess(['hook', '--host', host, '--url', app.url, ...PATIENT, ...args], { input })

/** The answer of the hook; undefined if it is silent. */
async function said(host: string, input: string): Promise<string | undefined> {
  const { code, stdout, stderr } = await hook(host, input)
  assert.deepEqual([code, stderr], [0, ''])
  if (stdout === '') return undefined
  for (const line of stdout.trimEnd().split('\n')) JSON.parse(line)
  return stdout
}

const lastOutcome = async (): Promise<string> =>
  (await inProcess(['hook', '--explain'])).stdout.split('\n').findLast(line => /^\d{4}-/.test(line)) ?? ''

for (const sample of SAMPLES) {
  test(`${sample.host}: ${sample.payload.hook_event_name ?? sample.payload.event} of ${sample.source.slice(0, 70)} is ${sample.moment}`, () => {
    assert.equal(momentOf(hostOf(sample), JSON.parse(withOutput(sample, 's'))).kind, sample.moment)
  })
}

test('a failed command gets the entry that answers it once in a session, on every host', async () => {
  const { token } = await newActor(app.url)
  const { slug } = await newEntry(app.url, token, ENTRY)
  for (const [at, sample] of FAILED.entries()) {
    const input = withOutput(sample, `once ${at}`)
    const answer = (await said(sample.host, input)) ?? assert.fail(`${sample.host}: ${await lastOutcome()}`)
    assert.match(answer, /webpack 5/)
    assert.match(answer, /UNTRUSTED_USER_DATA/)
    if (sample.host !== 'cursor') assert.match(answer, /Palimpsest: 1 entry, not confirmed yet/)
    assert.equal(await said(sample.host, input), undefined)
    assert.match(await lastOutcome(), /this session has seen it/)
    assert.match(await lastOutcome(), new RegExp(slug))
  }
})

test('Codex: the record of the session has the exit status of an answer that is a bare text', async () => {
  const { token } = await newActor(app.url)
  await newEntry(app.url, token, ENTRY)
  const record = join(scratch(), 'rollout.jsonl')
  const lineOf = (id: string, exit_code: number): string =>
    JSON.stringify({
      type: 'event_msg',
      payload: { type: 'item_completed', item: { type: 'CommandExecution', id, aggregated_output: OUTPUT, exit_code } },
    })
  const called = JSON.stringify({ type: 'response_item', payload: { type: 'function_call', call_id: 'call_1' } })
  const [bare = assert.fail()] = SAMPLES.filter(({ host, moment }) => host === 'codex' && moment === 'other')
  const ask = (session: string, transcript_path: string) =>
    said('codex', withOutput({ ...bare, payload: { ...bare.payload, transcript_path } }, session))
  writeFileSync(record, [called, lineOf('call_1', 3), lineOf('call_2', 0), ''].join('\n'))
  assert.match((await ask('recorded', record)) ?? '', /webpack 5/)
  for (const lines of [[called], [lineOf('call_1', 0)], [lineOf('call_2', 3)], ['{"call_1'], []]) {
    writeFileSync(record, lines.join('\n'))
    assert.equal(await ask('silent record', record), undefined, lines.join())
  }
  for (const file of [join(scratch(), 'none'), scratch(), '/dev/zero'])
    assert.equal(await ask('no record', file), undefined, file)
})

test('Copilot: of a long output, the end in the file of the host is sent, and no other file is read', async () => {
  const { token } = await newActor(app.url)
  await newEntry(app.url, token, ENTRY)
  const [sample = assert.fail()] = SAMPLES.filter(({ host }) => host === 'copilot')
  const ask = (session: string, name: string, ending: string) => {
    const file = join(scratch(), name)
    writeFileSync(file, `${'passed\n'.repeat(4_000)}${OUTPUT}\n`)
    const text = `Output too large to read at once (27.4 KB). Saved to: ${file}\nConsider grep.\n\nPreview (first 500 chars):\npassed\n${ending}`
    const tool_result = { result_type: 'success', text_result_for_llm: text }
    return said('copilot', withOutput({ ...sample, payload: { ...sample.payload, tool_result } }, session))
  }
  const [kept, ended] = ['1795-copilot-tool-output-57-48e8.txt', '\n<shellId: 1 completed with exit code 8>']
  const [line = '', answer = ''] = ((await ask('long', kept, ended)) ?? '').split('\n')
  assert.match(JSON.parse(line).message, /^Palimpsest: 1 entry/)
  assert.equal(JSON.parse(line).type, 'progress')
  assert.match(JSON.parse(answer).additionalContext, /webpack 5/)
  assert.equal(await ask('a success', kept, '\n<shellId: 1 completed with exit code 0>'), undefined)
  assert.equal(await ask('in the background', kept, '\n<command started in background with shellId: 7>'), undefined)
  assert.equal(await ask('another file', 'id_ed25519', ended), undefined)
})

test('a foreign failure, a success and an unknown event are silent', async () => {
  const foreign = 'sourdough starter does not rise after feeding'
  assert.equal(await said('claude-code', withOutput(CLAUDE, 'foreign', foreign)), undefined)
  assert.match(await lastOutcome(), /no entry answers it/)
  for (const sample of SAMPLES.filter(({ moment }) => moment !== 'failed'))
    assert.equal(await said(sample.host, withOutput(sample, 'silent')), undefined)
  assert.equal(await said('claude-code', '{"hook_event_name":"UserPromptSubmit","prompt":"x"}'), undefined)
})

/** The message between lines that terminals show beside it. */
const amongOthers = (message: string): string =>
  [
    '> shop@1.4.0 migrate',
    '(node:4123) [DEP0040] DeprecationWarning: The `punycode` module is deprecated. Please use a userland alternative.',
    '\u001b[32m✓\u001b[39m src/basket.test.ts (12 tests) 41ms',
    'added 672 packages, and audited 1426 packages in 18s',
    ...Array.from({ length: 20 }, (_, at) => `ok ${at + 1} - parser_${at} keeps the order of quarterly readings`),
    `\u001b[31m${message}\u001b[39m`,
    '    at Parser.parseErrorMessage (/srv/shop/node_modules/pg-protocol/dist/parser.js:283:98)',
    'make: *** [Makefile:12: migrate] Error 2',
  ].join('\n')

test('a message is found between other lines, with other names in it, and a similar message is not', async () => {
  const { token } = await newActor(app.url)
  const content = (message: string) => `Symptom:\n\n    ${message}\n\nRemedy: run \`./tools/realign.sh\`.`
  for (const message of [
    'psql:a/zones.sql:9: ERROR:  cannot drop the active weather zone "north" of harvest',
    'psql:b/fields.sql:77: ERROR:  cannot detach the frozen soil map "clay" of harvest',
  ])
    await newEntry(app.url, token, { title: message.split('  ')[1], content: content(message) })
  const known = amongOthers('psql:src/crops.sql:41: ERROR:  cannot drop the active weather zone "delta_7" of harvest')
  assert.match((await said('claude-code', withOutput(CLAUDE, 'noisy', known))) ?? '', /active weather zone/)
  for (const similar of ['drop the frozen weather map', 'detach the active harvest', 'drop the active seed bank']) {
    const other = amongOthers(`psql:src/crops.sql:41: ERROR:  cannot ${similar} "delta_7" of spring`)
    assert.equal(await said('claude-code', withOutput(CLAUDE, similar, other)), undefined, similar)
  }
})

test('an entry with a destructive or instruction-like passage, and a contradicted one, are not shown', async () => {
  const { token } = await newActor(app.url)
  const error = 'Error: quux_frobnicator exceeded E7777 in the zorbify stage'
  await newEntry(app.url, token, {
    title: 'quux_frobnicator exceeded E7777 in the zorbify stage',
    summary: 'Of quux_frobnicator and E7777.',
    content: `${error}. Run rm -rf / to clear the zorbify stage.`,
  })
  assert.equal(await said('claude-code', withOutput(CLAUDE, 'destructive', error)), undefined)
  assert.match(await lastOutcome(), /the entry carries DESTRUCTIVE_COMMAND/)
  const other = 'Error: blarg_connector refused E8888 at the wibble handshake'
  const { id, currentRevisionId } = await newEntry(app.url, token, {
    title: 'blarg_connector refused E8888 at the wibble handshake',
    summary: 'Of blarg_connector and E8888.',
    content: `${other}. Run wibble --reset.`,
  })
  const { token: critic } = await newActor(app.url)
  const body = { revisionId: currentRevisionId, rationale: 'A reset loses the handshake keys.' }
  assert.equal((await call(app.url, 'POST', `/api/entries/${id}/contradict`, { body, token: critic })).status, 201)
  assert.equal(await said('claude-code', withOutput(CLAUDE, 'contradicted', other)), undefined)
  assert.match(await lastOutcome(), /it is contradicted/)
  const reset = { ...CLAUDE, payload: { ...CLAUDE.payload, tool_input: { command: 'wibble --reset' } } }
  assert.match((await said('claude-code', withOutput(reset, 'the point', other))) ?? '', /loses the handshake keys/)
})

test('a failure that was followed by success is proposed at the end of the turn, and nothing is sent', async () => {
  const at = (event: string, session: string, command: string) =>
    JSON.stringify({ hook_event_name: event, session_id: session, tool_name: 'Bash', tool_input: { command } })
  await said('claude-code', withOutput(CLAUDE, 'solved'))
  await said('claude-code', at('PostToolUse', 'solved', 'npm test'))
  assert.match((await said('claude-code', at('Stop', 'solved', ''))) ?? '', /palimpsest verify err-ossl/)
  assert.equal(await said('claude-code', at('Stop', 'solved', '')), undefined)
  const error = 'Error: glorp daemon is out of frimbles'
  await said('claude-code', withOutput(CLAUDE, 'drafted', error))
  await said('claude-code', at('PostToolUse', 'drafted', 'glorp refill --frimbles 8'))
  await said('claude-code', at('PostToolUse', 'drafted', 'npm test'))
  const proposed = (await said('claude-code', at('Stop', 'drafted', ''))) ?? ''
  const draft = readFileSync(/in (\S+\.md);/.exec(proposed)?.[1] ?? '', 'utf8')
  for (const part of [/Symptom: `npm test`/, /Cause: Error: glorp/, /glorp refill --frimbles 8/])
    assert.match(draft, part)
})

test('at the start of a session only the findings about a lockfile of this service are shown', async () => {
  const { token } = await newActor(app.url)
  const { slug, id, currentRevisionId: previousRevisionId } = await newEntry(app.url, token, { title: 'Pinned tea' })
  const folder = scratch()
  const lock = await inProcess(['lock', slug, '--url', app.url, '--file', join(folder, 'palimpsest.lock')])
  assert.equal(lock.code, 0, lock.stderr)
  const start = JSON.stringify({ hook_event_name: 'SessionStart', session_id: 'l', cwd: folder, source: 'startup' })
  assert.equal(await said('claude-code', start), undefined)
  const revision = {
    previousRevisionId,
    title: 'Pinned tea',
    summary: 'S',
    content: 'New.',
    changeType: 'CORRECT',
    rationale: 'R',
  }
  assert.equal((await call(app.url, 'POST', `/api/entries/${id}/revisions`, { body: revision, token })).status, 201)
  assert.match((await said('claude-code', start)) ?? '', /1 finding about palimpsest\.lock/)
  const file = join(folder, 'palimpsest.lock')
  writeFileSync(file, readFileSync(file, 'utf8').replace(/^service .*$/m, 'service https://elsewhere.example'))
  assert.equal(await said('claude-code', start), undefined)
})

test('every bad payload, flag and service ends silently with exit code 0', async () => {
  const bad = ['', 'no json', '[]', 'null', '7', '{"hook_event_name":7}', '{"hook_event_name":"PostToolUseFailure"}']
  for (const input of bad) assert.equal(await said('claude-code', input), undefined)
  const large = withOutput(CLAUDE, 'large', `${'x '.repeat(2_500_000)}\n${OUTPUT}`)
  assert.match((await said('claude-code', large)) ?? '', /webpack 5/)
  for (const args of [
    ['hook', '--bogus'],
    ['hook', 'extra'],
    ['hook', '--host', 'none'],
    ['hook', '--url', '::'],
  ])
    assert.equal((await inProcess(args, { input: withOutput(CLAUDE, 'bad') })).code, 0)
})

test('a home that cannot be written changes no answer', async () => {
  // Not even root can make a folder in a file.
  const file = join(scratch(), 'a-file')
  writeFileSync(file, '')
  const input = withOutput(CLAUDE, 'read-only')
  const ended = await inProcess(['hook', '--url', app.url, ...PATIENT], { input, env: { XDG_CONFIG_HOME: file } })
  assert.deepEqual([ended.code, ended.stderr], [0, ''])
  assert.match(ended.stdout, /webpack 5/)
})

test('a socket of another user gets no text', {
  skip: process.getuid?.() !== 0 && 'needs root, to give a file away',
}, async t => {
  const directory = join(scratch(), 'of-another')
  mkdirSync(directory)
  let connections = 0
  const stranger = createServer(socket => {
    connections += 1
    socket.destroy()
  }).listen(socketPath(directory))
  t.after(() => stranger.close())
  await once(stranger, 'listening')
  chownSync(socketPath(directory), 65_534, 65_534)
  const args = ['hook', '--host', 'claude-code', '--data-dir', directory, ...PATIENT]
  const ended = await inProcess(args, { input: withOutput(CLAUDE, 'of another') })
  assert.deepEqual([ended.code, ended.stdout, ended.stderr], [0, '', ''])
  assert.equal(connections, 0)
  assert.match(await lastOutcome(), /The socket .* belongs to another user/)
})

test('a switch turns the hook off and on', async () => {
  assert.equal((await inProcess(['hook', '--off'])).code, 0)
  assert.equal(await said('claude-code', withOutput(CLAUDE, 'off')), undefined)
  await inProcess(['hook', '--on'])
  const off = await inProcess(['hook', '--url', app.url, ...PATIENT], {
    input: withOutput(CLAUDE, 'off'),
    env: { PALIMPSEST_HOOK: 'off' },
  })
  assert.equal(off.stdout, '')
  assert.match((await said('claude-code', withOutput(CLAUDE, 'off'))) ?? '', /webpack 5/)
})

test('a service that accepts connections and does not answer is left after the wait', async t => {
  const port = await freePort()
  const silent = createServer(() => {}).listen(port, '127.0.0.1')
  t.after(() => silent.close())
  const env = { XDG_CONFIG_HOME: join(scratch(), 'waiting') }
  const args = ['hook', '--url', `http://127.0.0.1:${port}`]
  const ended = await palimpsest(args, { input: withOutput(CLAUDE, 'waiting'), env })
  assert.deepEqual([ended.code, ended.stdout, ended.stderr], [0, '', ''])
  const log = join(scratch(), 'waiting', 'palimpsest', 'hook', 'log')
  assert.match(readFileSync(log, 'utf8'), /no answer in time/)
  assert.equal(statSync(log).mode & 0o777, 0o600)
  assert.ok(existsSync(log))
})

const HOME = `/${'home'}/kari`

test('paths, hosts, tokens, mail addresses and home directories are masked, and the error stays', () => {
  const secrets: [text: string, gone: RegExp, stays: RegExp][] = [
    [`cat: /${'home'}/ann/plans/merger.txt: No such file`, /ann|plans|merger/, /No such file/],
    [`open C:\\${'Users'}\\Ann Lee\\plans\\x.txt failed`, /Ann|plans/, /open .* failed/],
    ["Cannot find module '/srv/acme/node_modules/left-pad/index.js'", /srv|acme/, /left-pad/],
    ['fetch https://git.acme.example/team/repo.git?token=abc failed', /acme|abc|repo/, /fetch https:\/\/<host> failed/],
    ['getaddrinfo ENOTFOUND build-7.acme.internal', /acme|build-7/, /ENOTFOUND/],
    ['connect ECONNREFUSED 10.2.3.4:5432', /10\.2/, /ECONNREFUSED <ip>:5432/],
    ['connect ECONNREFUSED 127.0.0.1:5432', /<ip>/, /127\.0\.0\.1:5432/],
    ['author ann.smith@acme.com is unknown', /ann|acme/, /<mail>/],
    ['Authorization: Bearer abcdefgh12345678', /abcdefgh/, /Authorization/],
    ['password=hunter2 was refused', /hunter2/, /was refused/],
    [`ghp_${'a1B2'.repeat(9)}`, /a1B2/, /<token>/],
    [`-----BEGIN ${'PRIVATE'} KEY-----\nMIIE\n-----END ${'PRIVATE'} KEY-----`, /MIIE/, /<key>/],
    ['f3b1c2d4e5f60718293a4b5c6d7e8f9012345678', /f3b1/, /<token>/],
    ['user kari cannot log in', /kari/, /<user> cannot log in/],
  ]
  for (const [text, gone, stays] of secrets) {
    const result = masked(text, HOME)
    assert.doesNotMatch(result, gone, result)
    assert.match(result, stays, result)
  }
  const errors = [
    'error TS2345: Argument of type',
    'ERR_OSSL_EVP_UNSUPPORTED',
    '0x80070005',
    "Cannot find package '@scope/name'",
  ]
  for (const error of errors) assert.equal(masked(error, HOME), error)
})
