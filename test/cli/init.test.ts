import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { freePort } from '../support/ports.ts'
import { makeDirectory } from '../support/process.ts'
import { missing, pathOf } from '../support/programs.ts'
import { selfSigned } from '../support/self-signed.ts'
import { expectDone, expectRefusal, palimpsest } from './command.ts'
import { commandLine } from './people/in-process.ts'

const { inProcess } = commandLine()
const ROOT = join(import.meta.dirname, '../..')
const HOST = 'notes.example.org'
const directory = makeDirectory()
process.on('exit', () => directory.remove())

/** Writes the files of an installation into a new directory, and returns its path, the texts by name and the output. */
async function init(name: string, ...flags: string[]) {
  const path = join(directory.path, name)
  const output = expectDone(await inProcess(['init', HOST, '--to', path, ...flags]))
  const texts = new Map(readdirSync(path).map(file => [file, readFileSync(join(path, file), 'utf8')]))
  return { path, texts, output }
}
/** The settings of a file that systemd, Compose and a shell read. */
const settingsOf = (text: string): Record<string, string> =>
  Object.fromEntries([...text.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]))

test('init writes the settings, the units and the proxy of a host name, and prints three commands', async () => {
  const { path, texts, output } = await init('systemd')
  assert.deepEqual([...texts.keys()].sort(), [
    'environment',
    'nginx.conf',
    'palimpsest-backup.service',
    'palimpsest-backup.timer',
    'palimpsest-failed@.service',
    'palimpsest.service',
  ])
  const { PUBLIC_URL, TRUSTED_PROXIES } = settingsOf(texts.get('environment') ?? '')
  assert.deepEqual({ PUBLIC_URL, TRUSTED_PROXIES }, { PUBLIC_URL: `https://${HOST}`, TRUSTED_PROXIES: '127.0.0.1' })
  for (const [name, text] of texts) assert.doesNotMatch(text, /memory\.example|\/opt\/palimpsest/, name)
  assert.match(texts.get('palimpsest.service') ?? '', new RegExp(`^ExecStart=${ROOT}/.* --allow-fs-read=${ROOT} `, 'm'))
  assert.match(texts.get('nginx.conf') ?? '', new RegExp(`server_name ${HOST};[\\s\\S]*/live/${HOST}/fullchain\\.pem`))
  const commands = output.split('\n').filter(line => line.startsWith('  '))
  assert.equal(commands.length, 3, output)
  for (const [at, part] of [
    'systemctl enable --now palimpsest ',
    `certbot certonly --standalone -d ${HOST} `,
    'doctor',
  ].entries())
    assert.ok(commands[at]?.includes(part), output)
  assert.ok(output.includes(path))
})

test('systemd accepts the written units without a remark', { skip: missing('systemd-analyze') }, async () => {
  const { path } = await init('verified')
  const units = readdirSync(path).filter(name => /\.(?:service|timer)$/.test(name))
  const named = units.map(unit => join(path, unit.replace('@.', '@one.')))
  const { status, stderr } = spawnSync(String(pathOf('systemd-analyze')), ['verify', '--man=no', ...named], {
    encoding: 'utf8',
  })
  const remarks = stderr.split('\n').filter(line => line.includes('palimpsest'))
  assert.deepEqual({ status, remarks }, { status: 0, remarks: [] })
})

test('nginx accepts the written proxy, once its certificate is there', { skip: missing('nginx') }, async () => {
  const { path, texts } = await init('proxied')
  const { key, cert } = selfSigned()
  for (const folder of ['live', 'body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']) mkdirSync(join(path, folder))
  writeFileSync(join(path, 'live/privkey.pem'), key)
  writeFileSync(join(path, 'live/fullchain.pem'), cert)
  const site = (texts.get('nginx.conf') ?? '').replaceAll(`/etc/letsencrypt/live/${HOST}/`, `${path}/live/`)
  const ports: Record<string, number> = { 80: await freePort(), 443: await freePort() }
  const free = site.replaceAll(/listen (\d+)/g, (_, port: string) => `listen 127.0.0.1:${ports[port]}`)
  writeFileSync(join(path, 'site.conf'), free)
  const paths = ['proxy', 'fastcgi', 'uwsgi', 'scgi'].map(one => `${one}_temp_path ${path}/${one};`).join(' ')
  const http = `access_log off; client_body_temp_path ${path}/body; ${paths} include ${path}/site.conf;`
  writeFileSync(join(path, 'whole.conf'), `pid ${path}/pid; events { } http { ${http} }\n`)
  const args = ['-t', '-p', path, '-e', join(path, 'error.log'), '-c', join(path, 'whole.conf')]
  const { status, stderr } = spawnSync(String(pathOf('nginx')), args, { encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  assert.doesNotMatch(stderr, /\[(?:warn|error|emerg)\] (?!.*"user" directive)/)
})

test('init writes a compose file with its settings, and a Caddyfile', async () => {
  const { texts, output } = await init('compose', '--for', 'compose', '--proxy', 'caddy')
  assert.deepEqual([...texts.keys()].sort(), ['.env', 'Caddyfile', 'compose.yaml'])
  assert.match(texts.get('compose.yaml') ?? '', new RegExp(`^ +build: ${ROOT}$`, 'm'))
  // Compose passes on what it names, and nothing else.
  for (const [, name = ''] of (texts.get('.env') ?? '').matchAll(/^#?([A-Z_]+)=/gm))
    assert.match(texts.get('compose.yaml') ?? '', new RegExp(`^ +${name}:`, 'm'))
  assert.match(texts.get('Caddyfile') ?? '', new RegExp(`^${HOST} \\{$`, 'm'))
  assert.match(output, /docker compose .* up .*systemctl reload caddy.* doctor\n$/s)
})

test('init overwrites nothing, and writes nothing if one file is there', async () => {
  const path = join(directory.path, 'present')
  mkdirSync(path)
  writeFileSync(join(path, 'nginx.conf'), 'mine')
  expectRefusal(await inProcess(['init', HOST, '--to', path]), 1, /nginx\.conf exists and is not overwritten; name/)
  assert.deepEqual(readdirSync(path), ['nginx.conf'])
  assert.equal(readFileSync(join(path, 'nginx.conf'), 'utf8'), 'mine')
})

test('without a host name init asks on a terminal, and is refused elsewhere', async () => {
  const path = join(directory.path, 'asked')
  const asked = await inProcess(['init', '--to', path], { terminal: 80, input: `${HOST}\n` })
  assert.match(asked.stderr, /^The host name of the service/)
  assert.match(expectDone(asked), /These commands follow/)
  assert.ok(existsSync(join(path, 'environment')))
  expectRefusal(await inProcess(['init', '--to', path]), 2, /HOST is missing/)
})

for (const host of [
  'localhost',
  'https://memory.example',
  'memory.example:8080',
  '192.0.2.7',
  'a b.example',
  '-x.example',
])
  test(`init refuses ${host} as a host name`, async () =>
    expectRefusal(await inProcess(['init', '--', host]), 2, /HOST must be a name/))

test('a start reads the written settings, and doctor says which are missing', async () => {
  const { texts } = await init('read')
  const env = { ...settingsOf(texts.get('environment') ?? ''), DATA_DIR: join(directory.path, 'data') }
  const said = (await palimpsest(['doctor'], { env })).stdout
  assert.match(said, /^ok {3}configuration: all settings are valid$/m)
  assert.match(said, /^warn public service: unset are SECURITY_CONTACT: .*; CONTENT_LICENSE: .*; set them before/m)
  const whole = (texts.get('environment') ?? '').replaceAll(/^#([A-Z_]+=)/gm, '$1').replace('refused', 'allowed')
  const complete = (await palimpsest(['doctor'], { env: { ...settingsOf(whole), DATA_DIR: env.DATA_DIR } })).stdout
  assert.match(complete, /^ok {3}public service: its proxy, its contact and its licence are set$/m)
})
