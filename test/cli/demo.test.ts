import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import type { Entry, EntryList, Evidence, Revision, Stats } from '../../src/contract/resources.ts'
import { spawn } from '../support/children.ts'
import { expectDone, expectRefusal, LAUNCHER, temporaryDirectory } from './command.ts'
import { commandLine } from './people/in-process.ts'

const { inProcess } = commandLine()

type Served = { url: string; announced: string; stop(): Promise<number | null> }

/** Serves a demonstration as a process until `stop`, which returns its exit code. */
async function serveDemo(flags: readonly string[], env: Record<string, string> = {}): Promise<Served> {
  const child = spawn(process.execPath, [LAUNCHER, 'serve', '--port', '0', ...flags], {
    env: { PATH: process.env.PATH, LOG_LEVEL: 'warn', ...env },
  })
  let announced = ''
  let failed = ''
  child.stderr.on('data', chunk => {
    failed += chunk
  })
  const ended = new Promise<number | null>(resolve => child.on('close', resolve))
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', chunk => {
      announced += chunk
      if (announced.includes('  try ')) resolve()
    })
    void ended.then(() => reject(new Error(`It ended: ${failed}`)))
  })
  const url = /is ready at (\S+)/.exec(announced)?.[1] ?? ''
  const stop = (): Promise<number | null> => {
    child.kill('SIGTERM')
    return ended
  }
  return { url, announced, stop }
}

const get = async <T>(url: string): Promise<T> => (await (await fetch(url)).json()) as T
const placeOf = ({ announced }: Served): string => /^ {2}data +(\S+)$/m.exec(announced)?.[1] ?? ''

const slugsOf = async ({ url }: Served): Promise<string[]> =>
  (await get<EntryList>(`${url}/api/entries?limit=50`)).items.map(({ slug }) => slug)

/** The authors of a demonstration observed nothing, so no reason of theirs reports what one of them did or saw. */
async function expectReasons(url: string, entries: readonly Entry[]): Promise<void> {
  const REPORTS =
    /\b(?:I|we|ran|tried|tested|used|saw|read \w+ again|measured|observed|compared|confirmed|printed|showed|sent|got|stored two|counted|set all|had no)\b/i
  let reasons = 0
  for (const { slug } of entries) {
    const { verifications, contradictions } = await get<Evidence>(`${url}/api/entries/${slug}/evidence?limit=50`)
    for (const { rationale } of [...verifications, ...contradictions]) assert.doesNotMatch(rationale, REPORTS)
    reasons += verifications.length + contradictions.length
  }
  assert.ok(reasons > 40, `${reasons} reasons`)
}

// The hooks of a suite run before those that kill running processes.
suite('demonstrations', () => {
  /** A demonstration in a temporary directory, and its entries. */
  let served: Served
  let slugs: string[]
  before(async () => {
    served = await serveDemo(['--demo'])
    slugs = await slugsOf(served)
  })
  after(async () => {
    assert.equal(await served.stop(), 0)
    assert.equal(existsSync(placeOf(served)), false, 'the temporary directory is deleted')
  })

  test('serve --demo shows twenty entries with history, a dispute, a correction and independent voices', async () => {
    const { url, announced } = served
    assert.match(announced, /^ {2}demo {9}This store is a demonstration/m)
    const { items } = await get<EntryList>(`${url}/api/entries?limit=50`)
    assert.equal(items.length, 20)
    const states = new Set(items.map(({ standing }) => standing.state))
    assert.deepEqual([...states].sort(), ['CONTRADICTED', 'DISPUTED', 'PARTLY_SUPPORTED', 'SUPPORTED', 'UNCHECKED'])
    assert.ok(items.every(({ signals }) => signals.length === 0))
    const { topics, relations } = await get<Stats>(`${url}/api/stats`)
    assert.ok(topics.length > 10 && relations >= 5)

    const wal = await get<Entry>(`${url}/api/entries/sqlite-in-wal-mode-many-readers-beside-one-writer`)
    const history = await get<{ items: Revision[] }>(`${url}/api/entries/${wal.slug}/revisions`)
    assert.deepEqual(history.items.map(({ changeType }) => changeType).reverse(), ['CREATE', 'CORRECT', 'EXPAND'])
    const { tally } = wal.standing
    assert.deepEqual([tally.own, tally.for, tally.contradicted], [1, 3, 0])
    await expectReasons(url, items)
    // The dates are those of weeks, and none is in the future.
    const age = Date.now() - Date.parse(wal.createdAt)
    assert.ok(age > 50 * 86_400_000, `${age} ms`)
    assert.ok(items.every(({ updatedAt }) => Date.parse(updatedAt) <= Date.now()))
    // The limits of real clients apply once it is served.
    const { limits } = await get<{ limits: Record<string, number> }>(`${url}/api/discovery`)
    assert.equal(limits.writePerMinute, 10)
  })

  test('a named directory retains the demonstration, passes every check, and is not written to again', async () => {
    const directory = temporaryDirectory()
    const dataDir = join(directory.path, 'data')
    try {
      const first = await serveDemo(['--demo', '--data-dir', dataDir])
      // The same entries in the same order, wherever it is written.
      assert.deepEqual(await slugsOf(first), slugs)
      assert.equal(await first.stop(), 0)
      expectDone(await inProcess(['check', '--log', '--data-dir', dataDir]))

      const again = await inProcess(['serve', '--demo', '--port', '0', '--data-dir', dataDir])
      expectRefusal(again, 1, /has entries, and --demo writes into an empty store only; serve it without --demo/)

      const plain = await serveDemo([], { DATA_DIR: dataDir })
      assert.deepEqual(await slugsOf(plain), slugs)
      assert.match(plain.announced, /^ {2}demo /m)
      await plain.stop()
    } finally {
      directory.remove()
    }
  })
})

test('serve --demo with DATABASE_URL is refused in one sentence', async () => {
  const env = { DATABASE_URL: 'postgres://user@127.0.0.1:1/none' }
  expectRefusal(await inProcess(['serve', '--demo'], { env }), 1, /DATABASE_URL is set: unset DATABASE_URL/)
})
