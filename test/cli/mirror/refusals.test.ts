import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { beginMirror } from '../../../src/cli/mirror.ts'
import { EXAMPLES } from '../../../src/contract/examples.ts'
import { openSource } from '../../../src/mirror/source.ts'
import { useApp } from '../../support/app.ts'
import { newActor, newEntry } from '../../support/client.ts'
import { mirrorKillRounds, writeEntries } from '../../support/mirror-rounds.ts'
import { makeDirectory } from '../../support/process.ts'
import { seededRandom } from '../../support/random.ts'
import { expectRefusal } from '../command.ts'
import { commandLine } from '../people/in-process.ts'
import { type Copy, openCopy } from './copy.ts'

const { inProcess } = commandLine()

let copy: Copy
const app = useApp({ TLOG_INTERVAL_SECONDS: '0.05' }, async () => {
  await newEntry(app.url, (await newActor(app.url)).token)
  copy = await openCopy(app.url)
  await copy.catchUp()
})

/** A server between a mirror and the original, until the end of the test. */
async function between(
  answer: (text: string, request: IncomingMessage, response: ServerResponse) => void,
): Promise<string> {
  const listener: RequestListener = async (request, response) => {
    const octets = Buffer.from(await (await fetch(`${app.url}${request.url}`)).arrayBuffer())
    // Tiles are no text.
    if (request.url?.startsWith('/log/tile/')) response.end(octets)
    else answer(octets.toString(), request, response)
  }
  const server = createServer(listener)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  after(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const { signal } = new AbortController()
const through = (url: string): Promise<number> => copy.catchUp(openSource(url, signal))

test('a server that redirects, is of another kind, or sends false data is reported with one sentence', async () => {
  const elsewhere: string[] = []
  const other = await between((_text, request, response) => {
    elsewhere.push(request.url ?? '')
    response.end()
  })
  const redirects = await between((_text, request, response) =>
    response.writeHead(302, { location: other + request.url }).end(),
  )
  await assert.rejects(through(redirects), /answered 302; name the server itself/)
  assert.deepEqual(elsewhere, [])
  const missing = await between((_text, _request, response) => response.writeHead(404).end('<html>'))
  await assert.rejects(through(missing), /answered 404/)
  const pages = await between((_text, _request, response) => response.end('<html>'))
  await assert.rejects(through(pages), /is not JSON in UTF-8; its answer was not stored/)
  const empty = makeDirectory()
  await assert.rejects(beginMirror(empty.path, openSource(pages, signal)), /manifest of .* does not match the contract/)
  const later = await between((_text, _request, response) =>
    response.end(JSON.stringify({ ...EXAMPLES.ExportManifest, format: 2 })),
  )
  await assert.rejects(
    beginMirror(empty.path, openSource(later, signal)),
    /has an export of format 2, and this version reads format 1; use the version/,
  )
  empty.remove()
  const digest = 'sha-256=:AAAA:'
  const wrong = await between((text, _request, response) =>
    response.writeHead(200, { 'repr-digest': digest }).end(text),
  )
  await assert.rejects(through(wrong), /does not match its digest/)
  const another = await between((text, _request, response) =>
    response.end(text.replace(/"storeId":"........-/, '"storeId":"00000000-')),
  )
  await assert.rejects(through(another), /another store/)
  assert.equal(await copy.catchUp(), 0)
})

test('a mirror waits as long as the limit of the server requires', async () => {
  let asked = 0
  const limited = await between((text, _request, response) => {
    asked += 1
    if (asked === 1) response.writeHead(429, { 'retry-after': '1' }).end()
    else response.end(text)
  })
  const began = performance.now()
  assert.equal(await through(limited), 0)
  assert.equal(asked, 3)
  assert.ok(performance.now() - began > 900)
})

test('a directory with another store, or the mirror of another server, is refused; so is an invalid address', async () => {
  const mirror = (url: string) => inProcess(['mirror', url, '--once', '--data-dir', copy.directory])
  expectRefusal(await mirror('memory.example'), 1, /Name the server by its address/)
  await copy.close()
  expectRefusal(await mirror('http://127.0.0.1:9'), 1, /is a mirror of http/)
  const imported = await inProcess(['load', '--from', import.meta.filename, '--data-dir', copy.directory])
  expectRefusal(imported, 1, /read-only mirror of http/)
})

test('a killed mirror continues with complete records', async () => {
  await writeEntries(app, 1_200)
  await mirrorKillRounds(app, 1, seededRandom('mirror').next)
})
