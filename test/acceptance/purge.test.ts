import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startApp, type TestApp } from '../support/app.ts'
import { type PurgedCache, startPurgedCache } from '../support/cache.ts'
import { call, expectStatus, newActor, newEntry, revisionOf } from '../support/client.ts'
import { moderate } from '../support/moderation.ts'
import { eventually, makeDirectory, startServer } from '../support/process.ts'

const PATIENCE = 60_000
let cache: PurgedCache
let app: TestApp
let token: string
let actor: string
before(async () => {
  cache = await startPurgedCache()
  app = await startApp({
    ...{ SHARED_CACHE_SECONDS: '60', PURGE_URL: cache.url, PURGE_HEADER: 'Authorization: Bearer of the cache' },
  })
  const made = await newActor(app.url)
  token = made.token
  actor = made.actor.id
})
after(async () => {
  await app.close()
  cache.close()
})

/** Resolves once all of these tags were purged in requests after the first `from` of them. */
const purged = (tags: readonly string[], from = 0) =>
  eventually(`a purge of ${tags}`, PATIENCE, async () => {
    const sent = new Set(cache.purges.slice(from).flatMap(purge => purge.tags))
    return tags.every(tag => sent.has(tag)) ? sent : undefined
  })

const tagOf = async (slug: string): Promise<string> => {
  const { headers } = await call(app.url, 'GET', `/api/entries/${slug}`)
  return /e\d+/.exec(headers.get('surrogate-key') ?? '')?.[0] ?? ''
}

test('a revision, evidence and a relation purge their entries, their author and the lists', async () => {
  const [entry, other] = [await newEntry(app.url, token), await newEntry(app.url, token)]
  const [tag, otherTag] = [await tagOf(entry.slug), await tagOf(other.slug)]
  await purged([tag, otherTag, 'l', `a-${actor}`])
  const writes = [
    { path: `/api/entries/${entry.slug}/verify`, body: judgementOf(entry.currentRevisionId), tags: [tag] },
    { path: `/api/entries/${entry.slug}/revisions`, body: revisionOf(entry), tags: [tag] },
    {
      path: '/api/relations',
      body: { sourceEntryId: entry.id, targetEntryId: other.id, relationType: 'CONNECT', rationale: 'r' },
      tags: [tag, otherTag],
    },
  ]
  for (const { path, body, tags } of writes) {
    const from = cache.purges.length
    expectStatus(await call(app.url, 'POST', path, { body, token }), 201)
    const sent = await purged([...tags, 'l', `a-${actor}`], from)
    assert.ok(!sent.has('e'), 'a write does not purge all entries')
  }
  const last = cache.purges.at(-1)
  assert.equal(last?.headers.authorization, 'Bearer of the cache')
  assert.equal(last?.headers['surrogate-key'], last?.tags.join(' '))
  assert.equal(cache.most, 1, 'one purge at a time')
})

const judgementOf = (revisionId: string) => ({ revisionId, result: 'SUPPORTED', confidence: 1, rationale: 'r' })

test('an act on an entry purges it, its relations and the class of moderation; an act on an actor purges everything', async () => {
  const other = await newActor(app.url)
  const [entry, related] = [await newEntry(app.url, other.token), await newEntry(app.url, token)]
  const relation = { sourceEntryId: related.id, targetEntryId: entry.id, relationType: 'CONNECT', rationale: 'r' }
  expectStatus(await call(app.url, 'POST', '/api/relations', { body: relation, token }), 201)
  const tags = [await tagOf(entry.slug), await tagOf(related.slug)]
  await purged(tags)
  for (const action of ['HIDE', 'RESTORE', 'BLOCK'] as const) {
    const from = cache.purges.length
    await moderate(app.url, 'ENTRY', entry.id, action)
    await purged(action === 'BLOCK' ? [tags[0] ?? '', 'l', 'm'] : [...tags, 'l', 'm'], from)
  }
  const from = cache.purges.length
  await moderate(app.url, 'ACTOR', other.actor.id, 'QUARANTINE')
  await purged(['e', 'l', 'm'], from)
})

test('a purge is repeated, because a cache may store an answer that it requested before the commit', async () => {
  const from = cache.purges.length
  const entry = await newEntry(app.url, token)
  const tag = await tagOf(entry.slug)
  // The repetition may be one with that of an earlier change of any answer, which purges the class of entries.
  const concerned = (tags: readonly string[]) => tags.includes(tag) || tags.includes('e')
  await eventually('two purges', PATIENCE, async () =>
    cache.purges.slice(from).filter(({ tags }) => concerned(tags)).length >= 2 ? true : undefined,
  )
})

test('a refused purge is tried again with pauses until the cache accepts it, and is logged once', async () => {
  const entry = await newEntry(app.url, token)
  const tag = await tagOf(entry.slug)
  await purged([tag])
  cache.status = 500
  const from = cache.purges.length
  await moderate(app.url, 'ENTRY', entry.id, 'HIDE')
  await eventually('three tries', PATIENCE, async () => (cache.purges.length >= from + 3 ? true : undefined))
  assert.ok(cache.purges.length < from + 10, 'the tries have pauses')
  const failures = () =>
    app
      .log()
      .split('\n')
      .filter(line => line.includes('a purge of the cache failed'))
  assert.equal(failures().length, 1)
  assert.match(failures()[0] ?? '', /it answered 500/)
  cache.status = 204
  const accepted = cache.purges.length
  await purged([tag, 'l', 'm'], accepted)
  await eventually('it is logged', PATIENCE, async () =>
    app.log().includes('the cache accepts purges again') ? true : undefined,
  )
})

test('a change whose purge was interrupted by a kill is purged after the restart', async () => {
  const own = await startPurgedCache()
  const { path, remove } = makeDirectory()
  after(remove)
  const env = { SHARED_CACHE_SECONDS: '60', PURGE_URL: own.url }
  let server = await startServer(path, { env })
  const { token: writer } = await newActor(server.url)
  const entry = await newEntry(server.url, writer)
  const { headers } = await call(server.url, 'GET', `/api/entries/${entry.slug}`)
  const tag = /e\d+/.exec(headers.get('surrogate-key') ?? '')?.[0] ?? 'none'
  own.status = 503
  await moderate(server.url, 'ENTRY', entry.id, 'HIDE')
  server.kill('SIGKILL')
  await server.ended
  const from = own.purges.length
  own.status = 204
  server = await startServer(path, { env })
  await eventually('a purge of the withdrawn entry', PATIENCE, async () => {
    const sent = own.purges.slice(from).flatMap(({ tags }) => tags)
    return [tag, 'l', 'm'].every(one => sent.includes(one)) ? true : undefined
  })
  assert.equal((await server.stop()).code, 0)
  own.close()
})

test('SHARED_CACHE_SECONDS without PURGE_URL is reported in the log', async () => {
  const alone = await startApp({ SHARED_CACHE_SECONDS: '60' })
  assert.match(alone.log(), /PURGE_URL is not set: caches may serve withdrawn texts/)
  await alone.close()
})
