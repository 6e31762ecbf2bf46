import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { EXIT } from '../../src/cli/command.ts'
import { COMMANDS } from '../../src/cli/commands.ts'
import { expectDone, expectRefusal, palimpsest } from './command.ts'
import { inProcess } from './people/in-process.ts'

test('help names every command and the exit codes', async () => {
  const help = expectDone(await palimpsest(['help']))
  for (const { name } of COMMANDS) assert.match(help, new RegExp(`^  ${name} `, 'm'))
  for (const code of Object.values(EXIT)) assert.match(help, new RegExp(`^  ${code} `, 'm'))
  assert.equal(expectDone(await palimpsest(['--help'])), help)
})

test('the help of each command tells its flags with their defaults, asked for in either way', async () => {
  for (const { name, flags, args = [] } of COMMANDS) {
    const [asked, flagged] = await Promise.all([inProcess(['help', name]), inProcess([name, '--help'])])
    const help = expectDone(asked)
    assert.equal(expectDone(flagged), help)
    for (const flag of flags) {
      assert.match(help, new RegExp(`^  --${flag.name} `, 'm'))
      if (flag.byDefault !== undefined) {
        assert.ok(help.replaceAll(/\s+/g, ' ').includes(`Default: ${flag.byDefault}.`), `${name} --${flag.name}`)
      }
    }
    for (const arg of args) assert.match(help, new RegExp(`^  ${arg.name} `, 'm'))
    for (const line of help.split('\n')) assert.ok(line.length <= 100, line)
  }
})

test('every setting that is no secret is a flag of serve, and no secret is one', async () => {
  const help = expectDone(await palimpsest(['serve', '--help']))
  for (const flag of ['host', 'port', 'data-dir', 'cooldown-seconds', 'trusted-proxies', 'log-level']) {
    assert.match(help, new RegExp(`^  --${flag} `, 'm'))
  }
  assert.doesNotMatch(help, /--admin-token|--origin-key/)
})

test('--version is the version of the package', async () => {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string
  }
  assert.equal(expectDone(await palimpsest(['--version'])), `${version}\n`)
})

test('without a command the help is shown, and the exit code says that nothing was done', async () => {
  const { code, stdout } = await palimpsest([])
  assert.equal(code, 2)
  assert.match(stdout, /^Usage: palimpsest/m)
})

const MISTAKES: [string[], RegExp][] = [
  [['serf'], /no command "serf"/],
  [['help', 'serf'], /no command "serf"/],
  [['serve', '--prot', '1'], /--prot/],
  [['serve', '--admin-token', 'x'], /--admin-token/],
  [['verify', 'store.db'], /store\.db/],
  [['verify', '--data-dir'], /--data-dir/],
  [['backup'], /--to is missing/],
  [['restore'], /--from is missing/],
  [['import'], /--from is missing/],
  [['import', '--from', '-', '--class', 'EXTERNAL'], /--class must be SYNTHETIC or INTERNAL/],
  [['import', '--from', '-', '--batch', '0'], /--batch must be a whole number/],
  [['show'], /^SLUG is missing: .*palimpsest show SLUG/],
  [['show', 'a', 'b'], /"b" is one word too many/],
  [['verify', 'slug', '--file', 'store.db'], /--file/],
  [['verify', '--result', 'SUPPORTED'], /--result/],
  [['verify', 'slug'], /--result is missing/],
  [['verify', 'slug', '--result', 'maybe'], /--result is one of SUPPORTED, UNSUPPORTED, INCONCLUSIVE, not "maybe"/],
  [['verify', 'slug', '--result', 'supported', '--confidence', '2'], /--confidence must be a number from 0 to 1/],
  [['relate', 'a', 'b', '--type', 'hates'], /--type is one of CONNECT/],
  [['search', '--limit', 'all'], /--limit must be a whole number/],
  [['search', '--sort', 'best'], /--sort is one of recent, evolution, relevance/],
  [['watch', '--since', '-1'], /--since/],
  [['completion', 'csh'], /bash, zsh, fish/],
  [['show', 'a', '--url', 'ftp://user:secret@host'], /^--url must be an http or https address/],
]
for (const [args, sentence] of MISTAKES) {
  test(`a command line that is not understood is one sentence: ${args.join(' ')}`, async () => {
    const ended = await inProcess(args)
    expectRefusal(ended, 2, sentence)
    assert.equal(ended.stderr.trimEnd().split('\n').length, 1)
  })
}
