import assert from 'node:assert/strict'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { LIMITS } from '../../src/contract/limits.ts'
import type { Entry } from '../../src/contract/resources.ts'
import { startApp } from '../support/app.ts'
import { call, expectStatus } from '../support/client.ts'
import { createClient, issueToken, sendPatiently } from '../support/load.ts'

/** More than the index takes in two transactions. */
const ENTRIES = 2_100
const WRITERS = 32

/** The ids of all entries that a search finds, page by page. */
async function foundBy(url: string, q: string): Promise<string[]> {
  const ids: string[] = []
  for (;;) {
    const page = await call<{ items: Entry[] }>(
      url,
      'GET',
      `/api/search?q=${q}&limit=${LIMITS.pageMax}&offset=${ids.length}`,
    )
    expectStatus(page, 200)
    ids.push(...page.body.items.map(({ id }) => id))
    if (page.body.items.length < LIMITS.pageMax) return ids
  }
}

test('an index that has thousands of entries to catch up on finds every one of them', async () => {
  await using app = await startApp({ COOLDOWN_SECONDS: '0' })
  const client = createClient(app.url, WRITERS)
  const token = await issueToken(client)
  const published: string[] = []
  const numbers = Array.from({ length: ENTRIES }, (_, n) => n).values()
  await Promise.all(
    Array.from({ length: WRITERS }, async () => {
      for (const n of numbers) {
        const body = { title: `Lagging ${n}`, summary: 'An entry.', content: 'It is one of many.' }
        const { status, text } = await sendPatiently(client, 'POST', '/api/entries', body, token)
        assert.equal(status, 201, text)
        published.push((JSON.parse(text) as Entry).id)
      }
    }),
  )
  client.close()
  for (const file of readdirSync(app.dataDir)) if (file.startsWith('search')) rmSync(join(app.dataDir, file))
  await app.restart()
  assert.deepEqual((await foundBy(app.url, 'lagging')).sort(), published.sort())
})
