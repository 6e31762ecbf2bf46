import assert from 'node:assert/strict'
import { test } from 'node:test'
import canonicalize from 'canonicalize'
import * as fc from 'fast-check'
import { type Client, createClient, type Revision } from '../../src/client/index.ts'
import { canonicalJson, evidenceHashOf } from '../../src/client/log.ts'
import { shareApp } from '../support/app.ts'
import { columnOf } from '../support/client.ts'

let client: Client
let revisions: Revision[]
const app = shareApp({}, async () => {
  client = createClient({ baseUrl: app.url })
  await client.createActor()
  const content = 'Größe \u2028 𝄞 "x" \\ \u0007 e\u0301'
  const source = await client.createEntry({ title: 'Source', summary: 'S', content: 'S' })
  const sources = [{ entryId: source.id, revisionId: source.currentRevisionId }]
  await client.createEntry({ title: 'Hash', summary: 'Of all.', content, sources })
  for (const rationale of ['Second.', 'Third.']) {
    await client.reviseWithRetry('hash', latest => ({ content: `${latest.content}.`, changeType: 'EXPAND', rationale }))
  }
  revisions = await Array.fromAsync(client.all.listRevisions('hash'))
})

/** The client of a service whose answers are changed on the way. */
const through = (change: (text: string) => string): Client =>
  createClient({
    baseUrl: app.url,
    fetch: async (url, init) => {
      const answer = await fetch(url, init)
      return new Response(change(await answer.text()), { status: answer.status })
    },
  })

test('the hashes of every revision and of the entry are valid as served', async () => {
  assert.equal(revisions.length, 3)
  for (const revision of revisions) {
    const { holds, revisionId, evidenceHash, recomputed } = await client.verifyHash(revision)
    assert.deepEqual([holds, revisionId, evidenceHash], [true, revision.id, recomputed])
  }
  const check = await client.verifyHash(await client.readEntry('hash'))
  assert.deepEqual([check.holds, check.revisionId], [true, revisions[0]?.id])
  assert.deepEqual(await client.verifyHistory('hash'), { holds: true, revisions: 3, broken: [] })
})

test('a change of any member is found', async () => {
  const [newest] = revisions as [Revision]
  const id = newest.entryId
  for (const name of Object.keys(newest) as (keyof Revision)[]) {
    // These two members determine where the previous revision is read. A missing one is refused.
    if (name === 'entryId' || name === 'previousRevisionId') continue
    const changed = { ...newest, [name]: name === 'sources' ? [{ entryId: id, revisionId: id }] : `${newest[name]}x` }
    assert.equal((await client.verifyHash(changed as Revision)).holds, false, name)
  }
  assert.equal((await client.verifyHash({ ...newest, previousRevisionId: null })).holds, false)
  const skipped = revisions[2]?.id ?? ''
  assert.equal((await client.verifyHash({ ...newest, previousRevisionId: skipped })).holds, false)
})

test('an entry whose text is not that of its revision is found', async () => {
  const entry = await client.readEntry('hash')
  for (const name of ['title', 'summary', 'content'] as const) {
    assert.equal((await client.verifyHash({ ...entry, [name]: `${entry[name]} ` })).holds, false, name)
  }
})

test('a changed byte in an old revision, or a missing revision, is found', async () => {
  const oldest = revisions[2] as Revision
  const forged = await through(text => text.replace('Initial revision', 'Initial revisioN')).verifyHistory('hash')
  assert.deepEqual([forged.holds, forged.revisions], [false, 3])
  assert.deepEqual(columnOf(forged.broken, 'revisionId'), [oldest.id])
  // Rehashing the forged one breaks the next.
  const rehashed = await evidenceHashOf({ ...oldest, rationale: 'Initial revisioN' }, null)
  const chained = await through(text =>
    text.replace('Initial revision', 'Initial revisioN').replaceAll(oldest.evidenceHash, rehashed),
  ).verifyHistory('hash')
  assert.deepEqual(columnOf(chained.broken, 'revisionId'), [revisions[1]?.id])
  const without = (text: string) => {
    const page = JSON.parse(text) as { items?: Revision[] }
    return page.items === undefined ? text : JSON.stringify({ ...page, items: page.items.toSpliced(1, 1) })
  }
  assert.equal((await through(without).verifyHistory('hash')).holds, false)
})

test('the canonical form is that of RFC 8785', () => {
  const seed = Math.trunc(Math.random() * 2 ** 31)
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary' }), value => {
      // Through JSON, as values come from the wire.
      const parsed = JSON.parse(JSON.stringify(value)) as unknown
      assert.equal(canonicalJson(parsed), canonicalize(parsed), `seed ${seed}`)
    }),
    { seed, numRuns: 500 },
  )
  const names = { '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\ud83d\ude00': 5, '\u0080': 6, '\u00f6': 7 }
  assert.equal(
    canonicalJson({ ...names, deep: [1e21, -0, 0.000001] }),
    '{"\\r":2,"1":4,"deep":[1e+21,0,0.000001],"\u0080":6,"\u00f6":7,"\u20ac":1,"\ud83d\ude00":5,"\ufb33":3}',
  )
})
