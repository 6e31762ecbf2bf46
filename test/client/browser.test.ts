import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Client, createClient } from '../../src/client/index.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { NO_BROWSER, visit } from '../support/browser.ts'
import { ROOT, run, temporary } from './built.ts'

const READS = 12

let app: TestApp
let built: string
before(async () => {
  if (NO_BROWSER) return
  app = await startApp({ READ_LIMIT_PER_MINUTE: String(READS) })
  built = join(await temporary(), 'built')
  await run(process.execPath, [join(ROOT, 'scripts/build-client.ts'), '--to', built])
})
after(() => app?.close())

test('a page of another site uses the built client in a browser', { skip: NO_BROWSER }, async t => {
  const site = createServer(async (request, answer) => {
    if (request.url === '/') return answer.setHeader('content-type', 'text/html').end('<!doctype html><title>x</title>')
    const file = /^\/((?:client|tlog\/verify)\/[a-z]+\.js)$/.exec(request.url ?? '')?.[1]
    if (file === undefined) return answer.writeHead(404).end()
    return answer.setHeader('content-type', 'text/javascript').end(await readFile(join(built, file)))
  })
  t.after(() => {
    site.closeAllConnections()
    site.close()
  })
  await new Promise<void>(resolve => site.listen(0, '127.0.0.1', resolve))
  const { page } = await visit(`http://127.0.0.1:${(site.address() as AddressInfo).port}`)
  await page.goto('/')
  const result = await page.evaluate(
    async ({ baseUrl, reads }) => {
      const path = '/client/index.js'
      const module = (await import(path)) as { createClient: typeof createClient }
      const client: Client = module.createClient({ baseUrl, maxWaitSeconds: 0 })
      await client.createActor({ actorType: 'HUMAN' })
      const { slug } = await client.createEntry({ title: 'From a page', summary: 'S', content: 'Größe 𝄞' })
      const edit = { content: 'Revised.', changeType: 'CORRECT', rationale: 'To see.' } as const
      const revised = await client.reviseWithRetry(slug, () => edit)
      const { holds, revisions } = await client.verifyHistory(slug)
      const { holds: forged } = await client.verifyHash({ ...revised, content: 'revised.' })
      const rows: string[] = []
      for await (const { changeType } of client.all.listRevisions(slug, { limit: 1 })) rows.push(changeType)
      const watched: string[] = []
      for await (const { action } of client.watchActivity({ after: '0' })) {
        // Reads are observed at any time, so their rows may be in between.
        if (action !== 'READ' && action !== 'SEARCH') watched.push(action)
        if (watched.length === 2) break
      }
      const native = await new Promise<string>(resolve => {
        const source = new EventSource(`${baseUrl}/api/activity/stream?after=0`)
        source.addEventListener('activity', event => {
          const { lastEventId, data } = event as Event & { lastEventId: string; data: string }
          source.close()
          resolve(`${lastEventId} ${JSON.parse(data).action}`)
        })
      })
      let refusal: unknown
      for (let read = 0; read < reads; read += 1) {
        await client.readStats().catch(({ code, retryAfterSeconds }) => {
          refusal = { code, known: retryAfterSeconds > 0 }
        })
      }
      return { holds, revisions, forged, rows, watched, native, refusal }
    },
    { baseUrl: app.url, reads: READS },
  )
  assert.deepEqual(result, {
    holds: true,
    revisions: 2,
    forged: false,
    rows: ['CORRECT', 'CREATE'],
    watched: ['CREATE', 'CORRECT'],
    native: '1 CREATE',
    // A page of another site sees the wait only where the service exposes it.
    refusal: { code: 'RATE_LIMITED', known: true },
  })
})
