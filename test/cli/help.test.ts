import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { EXIT } from '../../src/cli/command.ts'
import { COMMANDS } from '../../src/cli/commands.ts'
import { expectDone, expectRefusal, palimpsest } from './command.ts'
import { commandLine } from './people/in-process.ts'

const { inProcess } = commandLine()
test('help names every command and the exit codes', async () => {
  const help = expectDone(await palimpsest(['help']))
  for (const { name } of COMMANDS) assert.match(help, new RegExp(`^  ${name} `, 'm'))
  for (const code of Object.values(EXIT)) assert.match(help, new RegExp(`^  ${code} `, 'm'))
  assert.equal(expectDone(await inProcess(['--help'])), help)
})

test('the help of each command lists its flags with their defaults, in both forms of the call', async () => {
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
    const [before = '', examples = ''] = help.split(/^(?=Examples$)/m)
    for (const line of before.split('\n')) assert.ok(line.length <= 100, line)
    assert.match(examples, new RegExp(`^ {2}palimpsest ${name}\\b`, 'm'), `${name} has no example`)
  }
})

test('the version is printed on each way to ask for it', async () => {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string
  }
  assert.equal(expectDone(await palimpsest(['--version'])), `${version}\n`)
  for (const asked of ['version', '-v', '-V']) assert.equal(expectDone(await inProcess([asked])), `${version}\n`, asked)
  assert.match(expectDone(await inProcess(['help'])), /^ {2}version {2,}Print the version\.$/m)
})

test('help is as wide as the terminal', async () => {
  for (const terminal of [60, 80, 250]) {
    const help = expectDone(await inProcess(['help', 'revise'], { terminal })).split(/^Examples$/m)[0] ?? ''
    const widest = Math.max(...help.split('\n').map(line => line.length))
    assert.ok(widest <= Math.min(100, terminal) && widest > Math.min(100, terminal) - 15, `${widest} of ${terminal}`)
  }
})

test('a command lists its exit codes', async () => {
  const codes = async (name: string): Promise<string[]> => {
    const exits = expectDone(await inProcess(['help', name])).split(/^Exit codes$/m)[1] ?? ''
    return [...exits.matchAll(/^ {2}(\d+) /gm)].map(([, code = '']) => code)
  }
  assert.deepEqual(await codes('backup'), ['0', '1', '2', '70'])
  assert.deepEqual(await codes('search'), ['0', '1', '2', '5', '6', '70'])
  assert.deepEqual(await codes('revise'), ['0', '1', '2', '3', '4', '5', '6', '70'])
})

test('every setting except secrets is a flag of serve', async () => {
  const help = expectDone(await inProcess(['serve', '--help']))
  for (const flag of ['host', 'port', 'data-dir', 'cooldown-seconds', 'trusted-proxies', 'log-level']) {
    assert.match(help, new RegExp(`^  --${flag} `, 'm'))
  }
  assert.doesNotMatch(help, /--admin-token|--origin-key/)
})

test('without a command the help is printed, and the exit code is not 0', async () => {
  const { code, stdout } = await palimpsest([])
  assert.equal(code, 2)
  assert.match(stdout, /^Usage: palimpsest/m)
})

const MISTAKES: [string[], RegExp][] = [
  [['serf'], /no command "serf"/],
  [['help', 'serf'], /no command "serf"/],
  [['serve', '--prot', '1'], /--prot/],
  [['serve', '--admin-token', 'x'], /--admin-token/],
  [['check', 'store.db'], /store\.db/],
  [['check', '--data-dir'], /--data-dir/],
  [['backup'], /--to is missing/],
  [['restore'], /--from is missing/],
  [['load'], /--from is missing/],
  [['load', '--from', '-', '--class', 'EXTERNAL'], /--class must be SYNTHETIC or INTERNAL/],
  [['load', '--from', '-', '--batch', '0'], /--batch must be a whole number/],
  [['show'], /^SLUG is missing: .*palimpsest show SLUG/],
  [['show', 'a', 'b'], /"b" is an extra argument/],
  [['verify', 'slug', '--file', 'store.db'], /--file/],
  [['verify', '--result', 'SUPPORTED'], /^SLUG is missing/],
  [['verify', 'slug', '--reslut', 'SUPPORTED'], /^verify has no flag --reslut\. Did you mean --result\?/],
  [['verfy', 'slug'], /^There is no command "verfy"\. Did you mean verify\?/],
  [['relate', 'a', 'b', '--type', 'conect'], /not "conect"\. Did you mean CONNECT\?$/],
  [['backup', '--to'], /^--to needs a value, FILE\./],
  [['backup', '--to', '--data-dir', 'x'], /^--to needs a value, FILE; one that begins with - is written --to=FILE\./],
  [['mirror', 'http://x', '--once=yes'], /^--once takes no value\./],
  [['serve', 'now'], /^serve takes no argument, and "now" is one\./],
  [
    ['contradict', 'a', '--revision', '1', '--rationale', 'R', '--source', '/'],
    /^--source must be the slug or the id of an entry, not "\/"/,
  ],
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
  test(`an invalid command line ends with one sentence: ${args.join(' ')}`, async () => {
    const ended = await inProcess(args)
    expectRefusal(ended, 2, sentence)
    assert.equal(ended.stderr.trimEnd().split('\n').length, 1)
  })
}
