import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { PEOPLE_COMMANDS } from '../../../src/cli/people/commands.ts'
import { OPERATIONS, type Operation } from '../../../src/contract/operations.ts'
import { NAMED_RESOURCES } from '../../../src/contract/resources.ts'
import { commandLine } from './in-process.ts'
import { drivingIn, everyUnseen } from './unseen.ts'

const { inProcess, scratch } = commandLine()
/** The texts of a hostile server in every member: lone surrogates and U+0000 too. */
const POISON = `${everyUnseen()}\0\ud800\u001b]0;owned\u0007\nEvidence on the current text: SUPPORTED: 99 of 99 say it holds`

type Schema = {
  anyOf?: Schema[]
  type?: string
  items?: Schema
  properties?: Record<string, Schema>
}

const UUID = '01a1fe70-f771-7000-8000-00735f02cd26'
/** The ids that a write needs before its answer can do harm. */
const NEEDED = ['Entry.id', 'Entry.currentRevisionId', 'Revision.id', 'Revision.entryId']

/** A resource of the right shape. Every text is hostile, except the ids, cursors and tokens that the commands use. */
function poisoned(schema: Schema, name = '', resource = ''): unknown {
  if (NEEDED.includes(`${resource}.${name}`)) return UUID
  if (name === 'nextCursor') return null
  if (name === 'sequence') return '7'
  if (name === 'token') return 'plm_stub'
  if (schema.anyOf !== undefined) return poisoned(schema.anyOf[0] ?? {})
  if (schema.type === 'array') return [poisoned(schema.items ?? {})]
  if (schema.type === 'number' || schema.type === 'integer') return 1
  if (schema.properties === undefined) return schema.type === 'object' ? { slug: POISON, title: POISON } : POISON
  return Object.fromEntries(Object.entries(schema.properties).map(([key, one]) => [key, poisoned(one, key, resource)]))
}

const answers = Object.values<Operation>(OPERATIONS).map(({ method, path, response, media }) => ({
  method,
  media,
  pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}(?:\\?|$)`),
  body: poisoned(NAMED_RESOURCES[response as keyof typeof NAMED_RESOURCES] as Schema, '', response),
}))

const hostileAnswers: RequestListener = (request, answer) => {
  const found = answers.find(({ method, pattern }) => method === request.method && pattern.test(request.url ?? ''))
  const json = JSON.stringify(found?.body ?? {})
  const media = found?.media ?? 'application/json'
  answer.writeHead(found === undefined ? 404 : 200, { 'content-type': media })
  answer.end(media === 'text/event-stream' ? `id: 7\ndata: ${json}\n\n` : json)
}
const refusals: RequestListener = (_, answer) => {
  answer.writeHead(418, { 'x-request-id': '\u009b2J' })
  answer.end(JSON.stringify({ error: { code: POISON, requestId: POISON } }))
}
const redirects: RequestListener = (_, answer) => {
  answer.writeHead(302, { location: 'http://x/\u009b31m\u0085' })
  answer.end()
}
const noise: RequestListener = (_, answer) => answer.end(`${POISON}{`)

const servers: Server[] = []
const urls: Record<string, string> = {}
before(async () => {
  const pin = `x@${UUID}#${'0'.repeat(64)}`
  writeFileSync(
    join(scratch(), 'palimpsest.lock'),
    `palimpsest-lock 1\nservice http://127.0.0.1:9\nsequence 4\n\n${pin}\n`,
  )
  for (const [name, listener] of Object.entries({ hostileAnswers, refusals, redirects, noise })) {
    const server = createServer(listener)
    servers.push(server)
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    urls[name] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }
})
after(() => {
  for (const server of servers) {
    server.closeAllConnections()
    server.close()
  }
})

const DRAFT = '{"title":"T","summary":"S","content":"C","sources":[]}'
const JUDGEMENT = JSON.stringify({ entry: 'x', revisionId: UUID, kind: 'CONTRADICT', rationale: 'R' })
const JUDGE = ['--revision', 'latest', '--rationale', 'R']
const ARGS: Record<string, string[]> = {
  search: ['x'],
  show: ['x'],
  log: ['x'],
  blame: ['x'],
  diff: ['x', 'latest', 'latest'],
  promote: ['x', '--to', 'http://127.0.0.1:9', '--dry-run'],
  publish: ['-', '--title', 'T', '--summary', 'S'],
  revise: ['x', '-', '--previous', 'latest', '--change-type', 'EXPAND', '--rationale', 'R'],
  edit: ['x', '--change-type', 'EXPAND', '--rationale', 'R'],
  verify: ['x', ...JUDGE, '--result', 'SUPPORTED', '--confidence', '1'],
  contradict: ['x', ...JUDGE],
  relate: ['x', 'y', '--rationale', 'R'],
  lock: ['x', '--file', join(scratch(), 'new.lock')],
  audit: ['--verify', '--file', join(scratch(), 'palimpsest.lock')],
  watch: ['--since', '1', '--count', '1'],
  evidence: ['-'],
  work: [],
  appeal: [],
  whoami: [],
  completion: ['fish'],
}

/** The exit code of a command if every text of the service is false; 0 by default. */
const HOSTILE_EXIT_CODES: Record<string, number> = { edit: 1, lock: 1, audit: 1, evidence: 1 }

/** The first write makes the actor that these commands need. */
const NEED_ACTOR = ['appeal', 'whoami']
const BY_NEED = [...PEOPLE_COMMANDS].sort(
  (one, other) => Number(NEED_ACTOR.includes(one.name)) - Number(NEED_ACTOR.includes(other.name)),
)

for (const { name, flags } of BY_NEED) {
  test(`a hostile server controls no terminal through ${name}`, async () => {
    const forms = flags.some(flag => flag.name === 'json') ? [[], ['--json']] : [[]]
    for (const [kind, url] of Object.entries(urls)) {
      for (const form of forms) {
        const env = { PALIMPSEST_URL: url, XDG_CONFIG_HOME: join(scratch(), kind), EDITOR: 'echo mine >>' }
        const waits = name === 'completion' ? [] : ['--no-wait']
        const at = name === 'audit' ? ['--url', url] : []
        const args = [name, ...(ARGS[name] ?? []), ...at, ...waits, ...form]
        const input = name === 'evidence' ? JUDGEMENT : DRAFT
        const { stdout, stderr, code } = await inProcess(args, { env, input, terminal: 100 })
        assert.deepEqual(drivingIn(stdout + stderr), [], `${kind} ${form}`)
        assert.doesNotMatch(stdout, /^Evidence on the current text: SUPPORTED: 99 of 99 say it holds/m)
        assert.doesNotMatch(stderr, /^\s+at /m, kind)
        const left = /(\/\S+)\/x\.md/.exec(stderr)?.[1]
        if (left !== undefined) rmSync(left, { recursive: true, force: true })
        if (kind === 'hostileAnswers') assert.equal(code, HOSTILE_EXIT_CODES[name] ?? 0, stderr)
        else if (name !== 'whoami' && name !== 'completion') assert.notEqual(code, 0, kind)
      }
    }
  })
}
