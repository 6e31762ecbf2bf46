import assert from 'node:assert/strict'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { startApp, type TestApp } from '../support/app.ts'
import { expectRefusal, palimpsest, temporaryDirectory } from './command.ts'
import { commandLine } from './people/in-process.ts'

let app: TestApp
let directory: ReturnType<typeof temporaryDirectory>
before(async () => {
  directory = temporaryDirectory()
  app = await startApp()
})
after(async () => {
  await app.close()
  directory.remove()
})

const path = (name: string): string => join(directory.path, name)
const QUIET = { LOG_LEVEL: 'silent', PORT: '0' }

const { inProcess } = commandLine()

/** A server whose settings are valid is run as a process, because it takes over the streams and signals of its process. */
const runOf = ([name]: readonly string[]) => (name === 'serve' ? palimpsest : inProcess)

/** Runs a command that must refuse in exactly one line. */
async function expectOneSentence(
  args: string[],
  env: Record<string, string>,
  sentence: RegExp,
  run: typeof inProcess | typeof palimpsest = runOf(args),
): Promise<void> {
  const ended = await run(args, { env: { ...QUIET, ...env } })
  expectRefusal(ended, 1, sentence)
  assert.equal(ended.stderr.trimEnd().split('\n').length, 1, ended.stderr)
  assert.equal(ended.stdout, '')
}

test('a second process on a served directory is refused', async () => {
  for (const args of [['serve', '--host', '0.0.0.0'], ['migrate'], ['load', '--from', '-']]) {
    await expectOneSentence(
      args,
      { DATA_DIR: app.dataDir },
      /in use by another palimpsest process; stop that one first/,
    )
  }
})

const WRONG: [Record<string, string>, RegExp][] = [
  [{ PORT: '80 80' }, /^PORT must be a whole number from 0 to 65535, not "80 80"\.$/],
  [{ LOG_LEVEL: 'loud' }, /^LOG_LEVEL must be one of .*, not "loud"\.$/],
  [{ TRUSTED_PROXIES: '10.0.0.0/99' }, /^TRUSTED_PROXIES must be a list of networks/],
  [{ PUBLIC_URL: 'ftp://x' }, /^PUBLIC_URL must be an http or https address without a path/],
  [{ PUBLIC_URL: 'https://memory.example/wiki' }, /^PUBLIC_URL must be .* without a path, like .*\/wiki"\.$/],
  [{ CONTENT_LICENSE: 'CC-BY-9.0' }, /^CONTENT_LICENSE must be .*SPDX identifier like CC-BY-4\.0, not "CC-BY-9\.0"\.$/],
  [
    { DATABASE_READ_URL: 'postgres://h/d' },
    /^DATABASE_READ_URL needs DATABASE_URL, .*; set DATABASE_URL too, or unset /,
  ],
  [
    { ADMIN_TOKEN: 'an-admin-token-0123456789', ADMIN_TOKEN_FILE: '/none' },
    /^ADMIN_TOKEN and ADMIN_TOKEN_FILE are both set; unset one of them\.$/,
  ],
  [{ TLOG_WITNESSES: '/none' }, /^TLOG_WITNESSES /],
  [{ TLOG_KEY: 'no key' }, /^TLOG_KEY /],
  [{ HOST: '192.0.2.1' }, /^HOST 192\.0\.2\.1 is no address of this machine; set HOST to one/],
  [{ METRICS_PORT: '0', METRICS_HOST: '192.0.2.1' }, /^METRICS_HOST 192\.0\.2\.1 is no address of this machine; set /],
  [{ COOLDOWN_SECONDS: '-1' }, /^COOLDOWN_SECONDS must be /],
  [{ SHARED_CACHE_SECONDS: '86401' }, /^SHARED_CACHE_SECONDS must be a whole number from 0 to 86400, not "86401"\.$/],
  [{ PURGE_URL: 'cache:6081' }, /^PURGE_URL must be a list of at most 10 http or https addresses without a user/],
]
for (const [env, sentence] of WRONG) {
  test(`a wrong setting stops the start with one sentence: ${Object.keys(env).join()}`, async () => {
    await expectOneSentence(
      ['serve'],
      { DATA_DIR: path('settings'), ...env },
      sentence,
      'PORT' in env ? palimpsest : inProcess,
    )
    assert.ok(!existsSync(path('settings')), 'a start that fails on its settings makes nothing')
  })
}

const ADMIN_TOKEN_RULE = /^ADMIN_TOKEN must be at least 16 characters of printable ASCII without spaces\.$/

test('an invalid secret is refused and not repeated', async () => {
  const sentences = {
    ORIGIN_KEY: [/^ORIGIN_KEY must be at least 16 characters long\.$/, 'hunter2'],
    ADMIN_TOKEN: [ADMIN_TOKEN_RULE, 'hunter2-hunter2'],
    PURGE_HEADER: [/^PURGE_HEADER must be a field like "Authorization: Bearer …"\.$/, 'hunter2'],
  } as const
  for (const [name, [sentence, value]] of Object.entries(sentences)) {
    const ended = await inProcess(['serve'], { env: { ...QUIET, DATA_DIR: path('settings'), [name]: value } })
    expectRefusal(ended, 1, sentence)
    assert.ok(!`${ended.stderr}${ended.stdout}`.includes(value))
  }
  const spaced = { ...QUIET, DATA_DIR: path('settings'), ADMIN_TOKEN: 'sixteen letters or more' }
  expectRefusal(await inProcess(['serve'], { env: spaced }), 1, ADMIN_TOKEN_RULE)
})

test('a flag takes precedence over its variable', async () => {
  const env = { DATA_DIR: path('settings'), PORT: '0' }
  await expectOneSentence(['serve', '--port', 'high'], env, /^--port must be .*, not "high"\.$/, inProcess)
})

test('other commands read only the setting of the data directory', async () => {
  const env = { DATA_DIR: path('nowhere'), PORT: 'wrong' }
  await expectOneSentence(['check'], env, /^There is no store in .*nowhere; set DATA_DIR/)
})

test('a port in use ends with one sentence that has the remedy, and makes nothing', async () => {
  const taken = createServer()
  await new Promise<void>(resolve => taken.listen(0, '127.0.0.1', resolve))
  try {
    const { port } = taken.address() as { port: number }
    for (const [settings, run] of [
      [{ PORT: String(port) }, palimpsest],
      [{ METRICS_PORT: String(port) }, inProcess],
    ] as const) {
      const [name] = Object.keys(settings)
      const sentence = new RegExp(`^${name} ${port} on 127\\.0\\.0\\.1 is taken; stop what uses it or set ${name} to`)
      await expectOneSentence(['serve'], { DATA_DIR: path('taken'), ...settings }, sentence, run)
    }
  } finally {
    taken.close()
  }
  const same = { DATA_DIR: path('taken'), PORT: '64999', METRICS_PORT: '64999' }
  await expectOneSentence(['serve'], same, /^METRICS_PORT 64999 on .* is taken; /, inProcess)
  assert.ok(!existsSync(path('taken')))
})

test('a variable that nearly has the name of a setting is reported, and others are not', async () => {
  const env = { ADMIN_TOKN: 'x', PUBLIC_URL_FILE: 'x', READ_LIMIT: '9', HOSTNAME: 'h', DATABASE: 'd', PORTS: '1' }
  const { stdout } = await inProcess(['doctor'], { env: { DATA_DIR: path('near'), ...env } })
  assert.deepEqual(stdout.match(/^warn configuration.*$/gm), [
    'warn configuration: ADMIN_TOKN is no setting and has no effect; did you mean ADMIN_TOKEN?',
    'warn configuration: PUBLIC_URL_FILE is no setting and has no effect; did you mean PUBLIC_URL?',
    'warn configuration: READ_LIMIT is no setting and has no effect; did you mean READ_LIMIT_PER_MINUTE?',
  ])
})

test('an unusable data directory ends with one sentence', async () => {
  writeFileSync(path('file'), '')
  for (const args of [['serve'], ['load', '--from', '-']]) {
    await expectOneSentence(args, { DATA_DIR: path('file') }, /^The data directory .* cannot be used .*set DATA_DIR/)
  }
})

test('a store that is not a database ends with one sentence, not a stack', async () => {
  mkdirSync(path('broken'))
  writeFileSync(join(path('broken'), 'palimpsest.db'), 'this is no database at all '.repeat(100))
  for (const args of [['serve'], ['migrate'], ['check'], ['export'], ['load', '--from', '-']]) {
    await expectOneSentence(args, { DATA_DIR: path('broken') }, /not a (readable|database)/)
  }
})

test('a missing file to load ends with one sentence', async () => {
  const args = ['load', '--from', path('none.ndjson')]
  await expectOneSentence(args, { DATA_DIR: path('unmade') }, /none\.ndjson cannot be read/)
})
