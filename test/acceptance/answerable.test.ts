import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FoundList } from '../../src/contract/resources.ts'
import { useApp } from '../support/app.ts'
import { callPatiently, expectStatus, newActor, newEntry } from '../support/client.ts'

const WAL = 'SQLite in WAL mode: one writer, many readers'
const PARSER = 'parseUserNames drops empty lines'

const app = useApp({}, async () => {
  const { token } = await newActor(app.url)
  await newEntry(app.url, token, {
    title: WAL,
    summary: 'Readers do not block the writer.',
    content: 'In WAL mode readers see the last commit while one writer appends to the log.',
  })
  await newEntry(app.url, token, {
    title: PARSER,
    summary: 'The helper getUserNames depends on it.',
    content: 'Call parseUserNames(text, { keepEmpty: true }) from version v20.11.1 on.',
  })
  for (let n = 0; n < 20; n++) {
    await newEntry(app.url, token, {
      title: `Tea ${n}`,
      summary: 'About tea',
      content: `Brew tea number ${n} at 80 degrees.`,
    })
  }
})

const find = async (q: string): Promise<FoundList> =>
  expectStatus(
    await callPatiently<FoundList>(app.url, 'GET', `/api/find?${new URLSearchParams({ q, limit: '10' })}`),
    200,
  )

test('a long description may match less than a short question', async () => {
  const long = await find(
    'Since this morning our nightly import for accounting stops after roughly forty minutes: several hundred readers poll a dashboard, the importing writer appends rows to SQLite, WAL grows past gigabytes, and colleagues suspect locks, virtual disks or the scheduler of that hypervisor.',
  )
  const short = await find('which helper polishes silver spoons')
  assert.equal(long.items[0]?.title, WAL)
  assert.equal(long.answerable, true, `${long.match}`)
  assert.equal(short.items[0]?.title, PARSER)
  assert.equal(short.answerable, false, `${short.match}`)
  assert.ok(long.match < short.match, `${long.match} and ${short.match}`)
})

test('addresses, times, UUIDs and hashes of a message are not missing, and its port is', async () => {
  const { items, missing, answerable } = await find(
    '2024-05-11 08:14:33.120 [9f1c2e4ab77d] WAL mode: writer blocks readers, 10.4.0.9:5433, 2024-05-11T08:14:33Z, 30206f5d-f94e-4ef1-7d63-2c6f23ee458b',
  )
  assert.equal(items[0]?.title, WAL)
  assert.deepEqual(missing, ['5433'])
  assert.equal(answerable, true)
})

test('a code of an error that no entry has decides, and is not replaced by a similar word', async () => {
  const { token } = await newActor(app.url)
  const message = 'unable to resolve the dependency tree of the project'
  const title = `npm stops: ERESOLVE ${message}`
  await newEntry(app.url, token, {
    title,
    summary: 'A peer is too old.',
    content: `ERR_OSSL_EVP_UNSUPPORTED is another. ${message}`,
  })
  for (const [known, unknown] of [
    [`npm error code ERESOLVE ${message}`, `npm error code ERESPONSE ${message}`],
    [`ERESOLVE: ${message}`, `EREVOLVE: ${message}`],
    [`[ERR_OSSL_EVP_UNSUPPORTED] ${message}`, `[ERR_OSSL_EVP_SUPPORTED] ${message}`],
    [message, `npm error code E404 ${message}`],
    [message, `${message} TS2345`],
    [message, `${message} ORA-01555`],
    [`${message} at 0x7ffd80070005`, `${message}: 0x80070005`],
  ] as const) {
    assert.equal((await find(known)).answerable, true, known)
    const { answerable, corrected, items } = await find(unknown)
    assert.deepEqual([answerable, items[0]?.title], [false, title], unknown)
    assert.ok(!corrected.some(({ from }) => /^er/i.test(from)), unknown)
  }
})
