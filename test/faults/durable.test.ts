import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createClient, issueToken } from '../support/load.ts'
import { makeDirectory, startServer } from '../support/process.ts'
import { noTrace } from './tools.ts'

const WRITES = 30
const directory = makeDirectory()
const skip = noTrace(directory.path)
after(() => directory.remove())

test('a sync of the store precedes every acknowledged write', {
  skip,
}, async () => {
  const trace = join(directory.path, 'trace')
  const wrap = ['strace', '-D', '-f', '-ttt', '-T', '-y', '-e', 'trace=fsync,fdatasync', '-o', trace]
  const server = await startServer(join(directory.path, 'data'), { wrap })
  const client = createClient(server.url, 1)
  const token = await issueToken(client)
  const acknowledged: { from: number; to: number }[] = []
  for (let n = 0; n < WRITES; n++) {
    const from = Date.now()
    const body = { title: `Note ${n}`, summary: 'A note', content: `Content ${n}` }
    assert.equal((await client.send('POST', '/api/entries', body, token)).status, 201)
    acknowledged.push({ from, to: Date.now() + 1 })
  }
  client.close()
  assert.equal((await server.stop()).code, 0)
  const ends = syncsOf(readFileSync(trace, 'utf8'))
  for (const [n, { from, to }] of acknowledged.entries()) {
    assert.ok(
      ends.some(end => end >= from && end <= to),
      `write ${n} was acknowledged without a sync`,
    )
  }
})

/** When the syncs of the store's log ended, in milliseconds since 1970; a call that was interrupted in the trace ends where it resumes. */
function syncsOf(trace: string): number[] {
  const ends: number[] = []
  const begun = new Map<string, number>()
  for (const line of trace.split('\n')) {
    const [, thread = '', at = ''] = /^(\d+) +(\d+\.\d+) /.exec(line) ?? []
    const lasted = Number(/= 0 <(\d+\.\d+)>$/.exec(line)?.[1] ?? Number.NaN)
    const start = line.includes('resumed>') ? begun.get(thread) : Number(at)
    if (line.includes('palimpsest.db-wal') || line.includes('resumed>')) {
      if (line.includes('unfinished')) begun.set(thread, Number(at))
      else if (start !== undefined && !Number.isNaN(lasted)) ends.push((start + lasted) * 1_000)
    }
    if (line.includes('resumed>')) begun.delete(thread)
  }
  return ends
}
