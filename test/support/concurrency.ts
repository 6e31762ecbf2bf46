import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import type { Activity, Entry, Revision } from '../../src/contract/resources.ts'
import { allPages } from './client.ts'
import { type Client, createClient, issueToken, startWriters } from './load.ts'
import { makeDirectory, startServer } from './process.ts'

const RIVALS = 50

/** Starts a service of its own, runs `work` against it and stops it. */
async function withServer(work: (url: string) => Promise<void>): Promise<void> {
  const directory = makeDirectory()
  try {
    const server = await startServer(directory.path)
    try {
      await work(server.url)
    } finally {
      server.kill('SIGTERM')
    }
    assert.equal((await server.ended).code, 0)
  } finally {
    directory.remove()
  }
}

/** `rounds` times, 50 revisions of one base at once: exactly one is taken, the others are told which. The chain ends without a fork. */
export const raceRounds = (rounds: number): Promise<void> =>
  withServer(async url => {
    const client = createClient(url, RIVALS)
    const tokens = await Promise.all(Array.from({ length: RIVALS }, () => issueToken(client)))
    const text = { title: 'One base', summary: 'A summary', content: 'Content' }
    const created = await client.send('POST', '/api/entries', text, tokens[0])
    let latest = JSON.parse(created.text) as Entry
    const chain = [latest.currentRevisionId]
    for (let round = 0; round < rounds; round++) {
      const base = { previousRevisionId: latest.currentRevisionId, changeType: 'EXPAND', rationale: 'A race' }
      const answers = await Promise.all(
        tokens.map((token, rival) => {
          const body = { ...text, ...base, content: `round ${round} rival ${rival}` }
          return client.send('POST', `/api/entries/${latest.id}/revisions`, body, token)
        }),
      )
      const won = answers.filter(({ status }) => status === 201)
      const lost = answers.filter(({ status }) => status === 409)
      assert.deepEqual([won.length, lost.length], [1, RIVALS - 1], `round ${round}`)
      latest = JSON.parse(won[0]?.text ?? '') as Entry
      for (const { headers } of lost) assert.equal(headers.etag, `"${latest.currentRevisionId}"`)
      chain.push(latest.currentRevisionId)
    }
    client.close()
    assert.equal(latest.revisionCount, rounds + 1)
    const revisions = (await allPages<Revision>(url, `/api/entries/${latest.id}/revisions`)).reverse()
    assert.deepEqual(
      revisions.map(({ id }) => id),
      chain,
    )
    for (const [index, revision] of revisions.entries()) {
      assert.equal(revision.previousRevisionId, chain[index - 1] ?? null)
    }
  })

const FEED_WRITERS = 12
const FEED_READERS = 3

/** What one reader has seen of the feed: all rows from the first to `top`. */
type Seen = { top: number; named: Set<string> }

/** Reads the newest page and walks back to what was seen before; asserts that the new rows join on without a hole. */
async function catchUp(client: Client, seen: Seen): Promise<void> {
  const rows: Activity[] = []
  let before = ''
  do {
    const answer = await client.send('GET', `/api/activity?limit=50${before}`)
    assert.equal(answer.status, 200, answer.text)
    const page = JSON.parse(answer.text) as { items: Activity[]; nextCursor: string | null }
    rows.push(...page.items.filter(({ sequence }) => Number(sequence) > seen.top))
    const more = page.nextCursor !== null && Number(page.nextCursor) > seen.top + 1
    before = more ? `&before=${page.nextCursor}` : ''
  } while (before !== '')
  const sequences = rows.map(({ sequence }) => Number(sequence)).reverse()
  assert.deepEqual(
    sequences,
    sequences.map((_, index) => seen.top + 1 + index),
    'new rows join on to those seen before',
  )
  for (const { revisionId, metadata } of rows) {
    seen.named.add(String('verificationId' in metadata ? metadata.verificationId : revisionId))
  }
  seen.top = sequences.at(-1) ?? seen.top
}

/** For some time readers follow the feed under full write load: every acknowledged write is seen by the next read, at its place for ever. */
export const followFeed = (milliseconds: number): Promise<void> =>
  withServer(async url => {
    const writers = startWriters(url, FEED_WRITERS, 'feed')
    const until = performance.now() + milliseconds
    const read = async (): Promise<Seen> => {
      const client = createClient(url, 1)
      const seen: Seen = { top: 0, named: new Set() }
      let checked = 0
      const check = async (): Promise<void> => {
        const acknowledged = writers.acknowledged()
        await catchUp(client, seen)
        for (; checked < acknowledged.length; checked++) {
          const { id, mark } = acknowledged[checked] ?? {}
          assert.ok(id !== undefined && seen.named.has(id), `${mark} was acknowledged and not seen`)
        }
      }
      while (performance.now() < until) {
        await check()
        await setTimeout(2)
      }
      await writers.stop()
      checked = 0
      await check()
      client.close()
      return seen
    }
    const readers = await Promise.all(Array.from({ length: FEED_READERS }, read))
    assert.ok(writers.acknowledged().length > 100)
    for (const seen of readers) assert.deepEqual(seen, readers[0])
  })
