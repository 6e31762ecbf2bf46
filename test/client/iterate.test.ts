import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Client, createClient, type Entry } from '../../src/client/index.ts'
import { useApp } from '../support/app.ts'
import { allPages } from '../support/client.ts'

const ROWS = 7
const PAGE = 3

let client: Client
let entry: Entry
let requests = 0
const app = useApp({}, async () => {
  client = createClient({
    baseUrl: app.url,
    fetch: (url, init) => {
      requests += 1
      return fetch(url, init)
    },
  })
  await client.createActor()
  const entries: Entry[] = []
  for (let index = 0; index < ROWS + 1; index += 1) {
    entries.push(
      await client.createEntry({ title: `Row ${index}`, summary: 'A row.', content: 'start', tags: ['row'] }),
    )
  }
  entry = entries[0] as Entry
  for (let index = 1; index <= ROWS; index += 1) {
    const changed = { content: `version ${index}`, changeType: 'EXPAND' as const, rationale: 'Goes on.' }
    const { currentRevisionId: revisionId } = await client.reviseWithRetry(entry.slug, () => changed)
    const rationale = `Look ${index}`
    await client.verifyRevision(entry.slug, { revisionId, result: 'SUPPORTED', confidence: 1, rationale })
    if (index % 2 === 0) await client.contradictRevision(entry.slug, { revisionId, rationale })
    const ends = { sourceEntryId: entry.id, targetEntryId: (entries[index] as Entry).id }
    await client.relateEntries({ ...ends, relationType: 'CONNECT', rationale })
  }
})

type Row = { id: string }
const ids = async (rows: AsyncIterable<Row>): Promise<string[]> => (await Array.fromAsync(rows)).map(({ id }) => id)
/** The rows of the pages by plain HTTP, and that there are more than two pages. */
async function expected(path: string): Promise<string[]> {
  const rows = await allPages<Row>(app.url, `/api${path}`)
  assert.ok(rows.length > 2 * PAGE, `${rows.length} rows`)
  return rows.map(({ id }) => id)
}

test('history, relations and timeline are iterated to their end', async () => {
  const { all } = client
  const { slug } = entry
  const limit = { limit: PAGE }
  assert.deepEqual(await ids(all.listRevisions(slug, limit)), await expected(`/entries/${slug}/revisions`))
  assert.deepEqual(await ids(all.listRelations(slug, limit)), await expected(`/entries/${slug}/relations`))
  assert.deepEqual(await ids(all.listTimeline(slug, limit)), await expected(`/entries/${slug}/timeline`))
})

test('activity is iterated to its end', async () => {
  const writes = (await Array.fromAsync(client.all.listActivity({ limit: PAGE }))).filter(
    ({ action }) => action !== 'READ' && action !== 'SEARCH',
  )
  const sequences = writes.map(({ sequence }) => Number(sequence))
  assert.deepEqual(
    sequences,
    sequences.toSorted((one, other) => other - one),
  )
  assert.equal(writes.length, ROWS + 1 + 3 * ROWS + Math.floor(ROWS / 2))
})

test('evidence is one stream of both kinds, newest first', async () => {
  const rows = await Array.fromAsync(client.all.listEvidence(entry.slug, { limit: PAGE }))
  const listed = rows.map(({ kind, rationale }) => `${kind} ${rationale}`)
  const oldestFirst = Array.from({ length: ROWS }, (_, at) => [
    `verification Look ${at + 1}`,
    ...(at % 2 === 1 ? [`contradiction Look ${at + 1}`] : []),
  ])
  assert.deepEqual(listed, oldestFirst.flat().reverse())
})

test('entries and search are iterated by offset, from the offset of the caller', async () => {
  const everything = (await client.listEntries({ limit: 50 })).items.map(({ id }) => id)
  assert.equal(everything.length, ROWS + 1)
  assert.deepEqual(await ids(client.all.listEntries({ limit: PAGE })), everything)
  assert.deepEqual(await ids(client.all.listEntries({ limit: PAGE, offset: 2 })), everything.slice(2))
  assert.deepEqual(new Set(await ids(client.all.searchEntries({ q: 'row', limit: PAGE }))), new Set(everything))
  assert.deepEqual(await ids(client.all.searchEntries({ tag: 'nothing' })), [])
})

test('an entry that moves to a later page during the iteration is returned once', async () => {
  const seen: string[] = []
  for await (const { id } of client.all.listEntries({ limit: PAGE })) {
    seen.push(id)
    if (seen.length === PAGE) await client.createEntry({ title: 'New', summary: 'Pushes.', content: 'all down' })
  }
  assert.equal(seen.length, ROWS + 1)
  assert.equal(new Set(seen).size, seen.length)
})

test('a loop that ends early reads no further page', async () => {
  requests = 0
  for await (const revision of client.all.listRevisions(entry.slug, { limit: 2 })) {
    assert.ok(revision.id)
    break
  }
  assert.equal(requests, 1)
})

test('a list that is longer than the maximum offset throws instead of ending', async () => {
  const page = { items: [entry], limit: 1, offset: 0, dataClass: 'EXTERNAL' }
  const asked: (string | null)[] = []
  const long = createClient({
    baseUrl: app.url,
    fetch: async url => {
      asked.push(new URL(url).searchParams.get('offset'))
      return Response.json(page)
    },
  })
  const given: string[] = []
  await assert.rejects(
    async () => {
      for await (const { id } of long.all.listEntries({ offset: 9_998, limit: 1 })) given.push(id)
    },
    { code: 'BEYOND_OFFSET' },
  )
  assert.deepEqual(given, [entry.id])
  assert.deepEqual(asked, ['9998', '9999', '10000'])
})
