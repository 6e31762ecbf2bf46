import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import type { Activity, Entry, Revision } from '../../src/contract/resources.ts'
import { startApp } from './app.ts'
import { allPages, columnOf } from './client.ts'
import { type Client, createClient, issueToken, sendPatiently, startWriters } from './load.ts'

const RIVALS = 50

/** Starts a service in this process, runs `work` against it and stops it. */
async function withService(work: (url: string) => Promise<void>): Promise<void> {
  await using app = await startApp()
  await work(app.url)
}

/**
 * Sends 50 concurrent revisions of one base, `rounds` times, spread over all nodes. Asserts that exactly one is committed, that the others
 * get the latest revision, and that the chain ends without a fork.
 */
export async function race(urls: readonly string[], rounds: number): Promise<void> {
  const clients = urls.map(url => createClient(url, RIVALS))
  const clientOf = (n: number): Client => clients[n % clients.length] as Client
  const client = clientOf(0)
  const url = String(urls[0])
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
        return sendPatiently(clientOf(rival), 'POST', `/api/entries/${latest.id}/revisions`, body, token)
      }),
    )
    const won = answers.filter(({ status }) => status === 201)
    const lost = answers.filter(({ status }) => status === 409)
    assert.deepEqual([won.length, lost.length], [1, RIVALS - 1], `round ${round}`)
    latest = JSON.parse(won[0]?.text ?? '') as Entry
    for (const { headers } of lost) assert.equal(headers.etag, `"${latest.currentRevisionId}"`)
    chain.push(latest.currentRevisionId)
  }
  for (const one of clients) one.close()
  assert.equal(latest.revisionCount, rounds + 1)
  const revisions = (await allPages<Revision>(url, `/api/entries/${latest.id}/revisions`)).reverse()
  assert.deepEqual(columnOf(revisions, 'id'), chain)
  for (const [index, revision] of revisions.entries()) {
    assert.equal(revision.previousRevisionId, chain[index - 1] ?? null)
  }
}

export const raceRounds = (rounds: number): Promise<void> => withService(url => race([url], rounds))

const FEED_WRITERS = 12
const FEED_READERS = 3
/** Minimum number of acknowledged writes until readers may stop. */
const FEED_WRITES = 50

/** The rows of the feed that one reader has read: all from the first to `top`. */
type Seen = { top: number; named: Set<string> }

/** Reads the newest page, then older pages back to known rows. Asserts that there is no gap before the new rows. */
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

export const followFeed = (milliseconds: number): Promise<void> => withService(url => follow([url], milliseconds))

/**
 * Readers follow the feed of all nodes under full write load through all nodes, for some time and until enough was written. Asserts that
 * the next read of any node shows every acknowledged write, permanently at its position.
 */
export async function follow(urls: readonly string[], milliseconds: number): Promise<void> {
  const writing = urls.map((url, node) => startWriters(url, Math.ceil(FEED_WRITERS / urls.length), `feed${node}`))
  const acknowledged = () => writing.map(writers => writers.acknowledged())
  const until = performance.now() + milliseconds
  const read = async (reader: number): Promise<Seen> => {
    const clients = urls.map(url => createClient(url, 1))
    let turn = reader
    let checked = urls.map(() => 0)
    const seen: Seen = { top: 0, named: new Set() }
    const check = async (): Promise<void> => {
      const before = acknowledged()
      await catchUp(clients[turn++ % clients.length] as Client, seen)
      for (const [node, writes] of before.entries()) {
        for (const { id, mark } of writes.slice(checked[node])) {
          assert.ok(id !== undefined && seen.named.has(id), `${mark} was acknowledged and not seen`)
        }
        checked[node] = writes.length
      }
    }
    while (performance.now() < until || acknowledged().flat().length <= FEED_WRITES) {
      await check()
      await setTimeout(2)
    }
    await Promise.all(writing.map(writers => writers.stop()))
    checked = urls.map(() => 0)
    await check()
    for (const client of clients) client.close()
    return seen
  }
  const readers = await Promise.all(
    Array.from({ length: FEED_READERS * Math.min(2, urls.length) }, (_, reader) => read(reader)),
  )
  for (const seen of readers) assert.deepEqual(seen, readers[0])
}
