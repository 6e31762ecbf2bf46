import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { createClient, type WorkList } from '../../../src/client/index.ts'
import { useApp } from '../../support/app.ts'
import { callPatiently, newActor } from '../../support/client.ts'
import { type Ended, expectDone, expectRefusal } from '../command.ts'
import { commandLine } from './in-process.ts'

const { inProcess, scratch } = commandLine()
const app = useApp({ TRUSTED_PROXIES: '127.0.0.0/8' })

const as = (home: string, args: readonly string[], input?: string): Promise<Ended> =>
  inProcess(args, {
    ...(input === undefined ? {} : { input }),
    env: { PALIMPSEST_URL: app.url, XDG_CONFIG_HOME: home },
  })

test("work lists the next checks with reasons, and omits the actor's own entries", async () => {
  const [author, reader] = [join(scratch(), 'author'), join(scratch(), 'reader')]
  assert.match((await as(reader, ['work'])).stderr, /There is no check for you\./)
  const text = ['publish', '-', '--title', 'Valve sticks in frost', '--summary', 'S', '--tags', 'valves']
  expectDone(await as(author, text, 'Thaw it slowly.\n'))
  assert.match((await as(author, ['work'])).stderr, /There is no check for you\./)
  assert.match(
    expectDone(await as(reader, ['work', '--tag', 'valves'])),
    /^UNCHECKED {3}Valve sticks in frost {2}valve-sticks-in-frost\n {12}UNCHECKED: no independent check yet.*\n {12}\d readers? · never checked\n$/,
  )
  assert.match(expectDone(await as(reader, ['work', '--env', 'debian@12,valves@3'])), /valve-sticks-in-frost/)
  const judgement = ['--revision', 'latest', '--rationale', 'It broke.']
  expectDone(await as(reader, ['contradict', 'valve-sticks-in-frost', ...judgement]))
  assert.match((await as(reader, ['work'])).stderr, /There is no check for you\./)
  const other = join(scratch(), 'other')
  const [line = ''] = expectDone(await as(other, ['work', '--kind', 'disputed', '--json'])).split('\n')
  const { kind, reason, entry } = JSON.parse(line) as WorkList['items'][number]
  assert.deepEqual([kind, reason.against, entry?.slug], ['DISPUTED', 1, 'valve-sticks-in-frost'])
  expectRefusal(await as(reader, ['work', '--env', 'valves']), 2, /--env must be auto, or NAME@VERSION/)
  expectRefusal(await as(other, ['work', '--kind', 'wrong']), 2, /--kind/)
  expectRefusal(await as(other, ['work', '--limit', '51']), 2, /--limit/)
})

test('work names topics that many networks searched for without a result', async () => {
  for (let n = 1; n <= 5; n++) {
    await callPatiently(app.url, 'GET', '/api/find?q=quokkagami%20folding', {
      headers: { 'x-forwarded-for': `10.1.0.${n}` },
    })
  }
  assert.match(
    expectDone(await as(join(scratch(), 'other'), ['work', '--kind', 'UNANSWERED'])),
    /^UNANSWERED {2}quokkagami folding\n {12}asked by 5 networks on \d{4}-\d{2}-\d{2}, without an answer\n$/,
  )
})

test('the client sends its token with listWork, so that its own entries are omitted', async () => {
  const { token } = await newActor(app.url)
  const client = createClient({ baseUrl: app.url, token })
  const made = await client.createEntry({ title: 'Mine', summary: 'S', content: 'C', tags: ['mine'] })
  assert.deepEqual((await client.listWork({ tag: 'mine' })).items, [])
  const { items } = await createClient({ baseUrl: app.url }).listWork({ tag: 'mine' })
  assert.equal(items[0]?.entry?.id, made.id)
})
