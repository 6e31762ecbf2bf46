import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import type { Entry, Stats } from '../../src/contract/resources.ts'
import { ADMIN_TOKEN, startApp, useApp } from '../support/app.ts'
import { call, expectProblem, expectStatus, newActor, newEntry, revisionOf } from '../support/client.ts'

let author: Awaited<ReturnType<typeof newActor>>
let secret: string
let entry: Entry
const app = useApp({}, async () => {
  author = await newActor(app.url)
  secret = (await newActor(app.url)).token
  entry = await newEntry(app.url, author.token)
})

const stats = async (): Promise<Stats> => expectStatus(await call<Stats>(app.url, 'GET', '/api/stats'), 200)
const text = { title: 'T', summary: 'S', content: 'C' }

/** Every operation with texts, with a valid body and the members that have texts. */
function writes(): [path: string, body: object, members: readonly string[]][] {
  const { id, slug, currentRevisionId: revisionId } = entry
  const at = `/api/entries/${slug}`
  const report = { targetType: 'ENTRY', targetId: id, reason: 'SPAM', details: 'D' }
  const relation = { sourceEntryId: id, targetEntryId: id, relationType: 'CONNECT', rationale: 'R' }
  return [
    ['/api/actors', {}, ['declaredName', 'declaredModel', 'declaredProvider']],
    ['/api/entries', text, ['title', 'summary', 'content']],
    [`${at}/revisions`, revisionOf(entry), ['title', 'summary', 'content', 'rationale']],
    [`${at}/verify`, { revisionId, result: 'SUPPORTED', confidence: 1, rationale: 'R' }, ['rationale']],
    [`${at}/contradict`, { revisionId, rationale: 'R' }, ['rationale']],
    ['/api/relations', { ...relation, targetEntryId: id }, []],
    ['/api/reports', report, ['details']],
  ]
}

test('an actor token in any text of any write is 422, and nothing is stored or logged', async () => {
  const earlier = await stats()
  for (const [path, body, members] of writes()) {
    for (const member of members) {
      const spoilt = { ...body, [member]: `see ${secret}!` }
      const answer = await call(app.url, 'POST', path, { token: author.token, body: spoilt })
      const { headers } = expectProblem(answer, 422, 'SECRET_IN_TEXT')
      assert.equal(headers.get('link'), `</docs/errors#SECRET_IN_TEXT>; rel="help"; member="${member}"`)
    }
  }
  const other = await newEntry(app.url, author.token)
  const relation = { sourceEntryId: entry.id, targetEntryId: other.id, relationType: 'CONNECT', rationale: secret }
  expectProblem(
    await call(app.url, 'POST', '/api/relations', { token: author.token, body: relation }),
    422,
    'SECRET_IN_TEXT',
  )
  const later = await stats()
  assert.deepEqual(
    [later.revisions, later.verifications, later.contradictions, later.relations],
    [earlier.revisions + 1, earlier.verifications, earlier.contradictions, earlier.relations],
  )
  assert.equal(later.observedActors, earlier.observedActors)
  const reports = await call<{ items: object[] }>(app.url, 'GET', '/api/admin/reports', {
    headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
  })
  assert.deepEqual(expectStatus(reports, 200).items, [])
  assert.ok(!app.log().includes(secret), 'the log has the token')
})

test('a refused secret begins no cooldown and takes no slug', async () => {
  await using slow = await startApp({ COOLDOWN_SECONDS: '60' })
  const { token } = await newActor(slow.url)
  const create = (content: string) =>
    call<Entry>(slow.url, 'POST', '/api/entries', { token, body: { ...text, title: 'Quiet', content } })
  expectProblem(await create(`token: ${token}`), 422, 'SECRET_IN_TEXT')
  assert.equal(expectStatus(await create('C'), 201).slug, 'quiet')
})

test('a private key in PEM is refused; a mistyped token, a public key and words about keys are stored', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const create = (content: string) =>
    call<Entry>(app.url, 'POST', '/api/entries', { token: author.token, body: { ...text, content } })
  for (const content of [pem, `The key:\n\n    ${pem.replaceAll('\n', '\n    ')}`, JSON.stringify({ pem })]) {
    expectProblem(await create(content), 422, 'SECRET_IN_TEXT')
  }
  const mistyped = secret.slice(0, -1) + (secret.endsWith('0') ? '1' : '0')
  const open = publicKey.export({ type: 'spki', format: 'pem' }).toString()
  for (const content of [
    mistyped,
    open,
    `It begins with -----BEGIN ${'PRIVATE'} KEY-----.`,
    'plm_ and 33 characters',
  ]) {
    expectStatus(await create(content), 201)
  }
})

test('a secret that the page shows whole is refused however it is written', async () => {
  const { privateKey } = generateKeyPairSync('ed25519')
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const [begin, end] = [secret.slice(0, 9), secret.slice(9)]
  for (const written of [
    secret.replaceAll('_', '\\_'),
    `${begin}\u200b${end}`,
    `${begin}\u00ad${end}`,
    `${begin}\u2060${end}`,
    key.replace(/^/gm, '| '),
    key.replace('-----\n', '-----\u200b\n\u200b'),
  ]) {
    const body = { ...text, content: `see ${written}` }
    expectProblem(await call(app.url, 'POST', '/api/entries', { token: author.token, body }), 422, 'SECRET_IN_TEXT')
  }
})
