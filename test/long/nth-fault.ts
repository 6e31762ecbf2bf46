import assert from 'node:assert/strict'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Entry } from '../../src/contract/resources.ts'
import { indexFile } from '../../src/stores/embedded/directory.ts'
import { type Answered, type Client, createClient, type Sent } from '../support/load.ts'
import { type End, eventually, type ServerProcess, spawnService, startServer } from '../support/process.ts'
import { assertSurvived } from '../support/survived.ts'

/** The calls that fail: only the n-th, or, with `full`, all calls from the n-th that need space, until there is space again. */
export type Fault = { call: number; full: boolean }
/** The work during the fault: the first start, a start that rebuilds the search index, or a backup. */
export type Scenario = 'first start' | 'new index' | 'backup'

const EIO = 5
const ENOSPC = 28
const ENTRIES = 4
const READY_WITHIN = 5_000
const PATIENCE = 30_000

const textOf = (mark: string) => ({ title: `Note ${mark}`, summary: 'A note', content: mark })

/** A visitor that writes and reads a little. Appends its requests to `sent`. Only the end of the process may close a connection. */
export async function visit(client: Client, label: string, sent: Sent[]): Promise<void> {
  const post = async (kind: Sent['kind'], mark: string, path: string, body: object, token: string) => {
    const one: Sent = { kind, mark, sentAt: performance.now() }
    sent.push(one)
    const answer = judged(await client.send('POST', path, body, token).catch(() => undefined))
    if (answer === undefined) return undefined
    one.status = answer.status
    if (answer.status !== 201) return undefined
    const made = JSON.parse(answer.text) as Entry
    one.id = kind === 'verify' ? made.id : made.currentRevisionId
    return made
  }
  const issued = judged(await client.send('POST', '/api/actors', {}).catch(() => undefined))
  const token = issued?.status === 201 ? String(JSON.parse(issued.text).token) : undefined
  for (let n = 0; token !== undefined && n < ENTRIES; n++) {
    const mark = `${label}-${n}`
    const entry = await post('create', mark, '/api/entries', textOf(mark), token)
    if (entry === undefined) continue
    const previousRevisionId = entry.currentRevisionId
    const revision = { ...textOf(`${mark}-revised`), previousRevisionId, changeType: 'EXPAND', rationale: 'More.' }
    await post('revise', `${mark}-revised`, `/api/entries/${entry.id}/revisions`, revision, token)
    for (const path of ['/api/search?q=note', `/api/entries/${entry.id}`, '/api/activity'])
      judged(await client.send('GET', path).catch(() => undefined))
  }
}

/** During a fault, the service may only answer success, or 503 in the error format. */
function judged(answer: Answered | undefined): Answered | undefined {
  if (answer === undefined || answer.status < 300) return answer
  assert.equal(answer.status, 503, answer.text)
  assert.deepEqual(Object.keys(JSON.parse(answer.text)), ['error'])
  assert.ok(Number(answer.headers['retry-after']) >= 1)
  return answer
}

const shownOf = (sent: readonly Sent[]) => ({
  ids: new Set(sent.flatMap(({ id }) => (id === undefined ? [] : [id]))),
  sequences: new Map<string, string>(),
})

/** Asserts that a process that ended because of a fault printed a sentence and was not ended by a signal. */
function assertSaid({ code, signal, stderr }: End, fault: Fault): void {
  assert.ok(code !== null && code !== 0, `ended with ${code ?? signal} at call ${fault.call}`)
  assert.match(stderr, /the store is broken|disk|space|cannot|damaged/i, stderr.slice(0, 2_000))
  assert.doesNotMatch(stderr, /an unexpected error; the process ends/, stderr.slice(0, 2_000))
}

/** Prepares runs with faults. `filled` is a store with entries; each run gets a copy of it. */
export async function createFaultRuns(directory: string, shim: string) {
  const filled = join(directory, 'filled')
  const before: Sent[] = []
  const server = await startServer(filled)
  const client = createClient(server.url, 1)
  for (let n = 0; n < 10; n++) await visit(client, `filled${n}`, before)
  client.close()
  assert.equal((await server.stop()).code, 0)

  const root = join(directory, 'run')
  const dataDir = join(root, 'data')
  const full = join(directory, 'full')
  const tally = join(directory, 'tally')

  const serve = async (env: Record<string, string>, fault: Fault, sent: Sent[]): Promise<void> => {
    const started = await startOrRefusal(dataDir, env)
    if ('refused' in started) {
      assert.match(started.refused, /ended \([1-9]/, started.refused)
      assert.doesNotMatch(started.refused, /^\s+at /m, `a start that fails says one sentence: ${started.refused}`)
      return
    }
    const { running } = started
    const visitor = createClient(running.url, 1)
    await visit(visitor, `call${fault.call}`, sent)
    if (fault.full) {
      rmSync(full)
      await eventually('ready with space again', READY_WITHIN, async () =>
        (await visitor.send('GET', '/ready')).status === 200 ? true : undefined,
      )
      await visit(visitor, `space${fault.call}`, sent)
      assert.ok(sent.some(({ mark, status }) => mark.startsWith('space') && status === 201))
    }
    visitor.close()
    const end = await running.stop()
    if (end.code !== 0) assertSaid(end, fault)
  }

  const backup = async (env: Record<string, string>, fault: Fault): Promise<void> => {
    const target = join(root, 'copy')
    const { child, ended } = spawnService(['backup', '--to', target], { env: { ...env, DATA_DIR: dataDir } })
    const late = setTimeout(() => child.kill('SIGKILL'), PATIENCE)
    const end = await ended.finally(() => clearTimeout(late))
    if (end.code === 0) {
      const copy = join(root, 'restored')
      mkdirSync(copy)
      cpSync(target, join(copy, 'palimpsest.db'))
      await assertSurvived(copy, before, shownOf(before))
      return
    }
    assertSaid(end, fault)
    assert.doesNotMatch(end.stderr, /^\s+at /m, end.stderr)
    assert.deepEqual(readdirSync(root), ['data'], 'nothing is left of a backup that failed')
  }

  /**
   * Runs a scenario under a fault and asserts that no acknowledged write is lost. Returns the number of calls, if the process reported it.
   */
  const run = async (scenario: Scenario, fault: Fault): Promise<number | undefined> => {
    mkdirSync(root)
    const known = scenario === 'first start' ? [] : before
    if (scenario !== 'first start') cpSync(filled, dataDir, { recursive: true })
    if (scenario === 'new index') rmSync(indexFile(dataDir))
    if (fault.full) writeFileSync(full, '')
    rmSync(tally, { force: true })
    const env = {
      LD_PRELOAD: shim,
      NTH_ROOT: root,
      NTH_CALL: String(fault.call),
      NTH_ERROR: String(fault.full ? ENOSPC : EIO),
      NTH_TALLY: tally,
      ...(fault.full ? { NTH_WHILE: full } : {}),
    }
    const sent: Sent[] = []
    try {
      if (scenario === 'backup') await backup(env, fault)
      else await serve(env, fault, sent)
      const all = [...known, ...sent]
      await assertSurvived(dataDir, all, shownOf(all))
      return existsSync(tally) ? Number(readFileSync(tally, 'utf8')) : undefined
    } catch (error) {
      throw new Error(`${scenario}, call ${fault.call} ${fault.full ? 'and later ones find no space' : 'fails'}`, {
        cause: error,
      })
    } finally {
      rmSync(root, { recursive: true })
      rmSync(full, { force: true })
    }
  }
  return { run }
}

async function startOrRefusal(
  dataDir: string,
  env: Record<string, string>,
): Promise<{ running: ServerProcess } | { refused: string }> {
  try {
    return { running: await startServer(dataDir, { env }) }
  } catch (error) {
    return { refused: (error as Error).message }
  }
}
