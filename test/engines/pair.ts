import assert from 'node:assert/strict'
import { openWire, type Sending, type Wire } from '../contract/wire.ts'
import { ADMIN_TOKEN, startApp, type TestApp } from '../support/app.ts'
import { type Answer, sendUntil } from '../support/client.ts'
import type { EngineName } from '../support/engine.ts'
import { createNames, type Names } from './names.ts'

export { NO_POSTGRES } from '../support/engine.ts'

/** One of two services, with its names for ids and values. */
export type Side = { engine: EngineName; app: TestApp; wire: Wire; names: Names }
/** An answer with names for the random values of the engine. */
export type NamedAnswer = Omit<Answer, 'headers'> & { headers: Record<string, string> }
export type Pair = {
  sides: readonly [Side, Side]
  /** Makes both services store their observations, so that the rows are at the same position, then advances the clock of both. */
  tick(milliseconds?: number): Promise<void>
  /** Whether a read may have a row that is not stored yet. */
  observed(): boolean
  /** The time that both have, in milliseconds since 1970. */
  now(): number
  /**
   * Sends one request to both services, with names replaced. Asserts equal answers and returns the answer. Advances the clock before a POST.
   */
  ask(method: string, path: string, sending?: Sending): Promise<NamedAnswer>
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

const START = Date.UTC(2026, 10, 20, 12)
const STEP = 10

/** Fields of the connection, and of the limiter, which assigns reads in portions on PostgreSQL. */
const PASSED_OVER = new Set(['date', 'connection', 'keep-alive', 'ratelimit', 'content-length'])
/** The similar entries in the answer to a published entry. They are null if the thread had no time, which depends on the machine. */
const SIMILAR = /"similar":(?:null|\[[^\]]*\])/

/**
 * Starts the service twice in this process, on either engine, with one clock that moves only by `step`
 * milliseconds before each POST, and by `tick`.
 */
export async function startPair({
  step = STEP,
  settings = {},
}: {
  step?: number
  settings?: Record<string, string>
} = {}): Promise<Pair> {
  let at = START
  let observed = false
  const start = async (engine: EngineName): Promise<Side> => {
    const app = await startApp(settings, { engine, now: () => at })
    return { engine, app, wire: openWire(app.url, 4), names: createNames() }
  }
  const embedded = await start('embedded')
  const postgres = await start('postgres')
  const sides: [Side, Side] = [embedded, postgres]
  const both = async (method: string, path: string, sending: Sending = {}): Promise<[NamedAnswer, NamedAnswer]> => {
    const [one, other] = await Promise.all(sides.map(side => askSide(side, method, path, sending)))
    assert.ok(one !== undefined && other !== undefined)
    observed = method === 'GET' ? !path.startsWith('/api/activity') : observed
    return [one, other]
  }
  const tick = async (milliseconds = step): Promise<void> => {
    // The feed waits for earlier observations.
    if (observed) await both('GET', '/api/activity?limit=1')
    observed = false
    at += milliseconds
  }
  const pair: Pair = {
    sides,
    tick,
    observed: () => observed,
    now: () => at,
    async ask(method, path, sending = {}) {
      if (method === 'POST') await tick()
      const [one, other] = await both(method, path, sending)
      assertSame(`${method} ${path} ${describe(sending)}`, one, other)
      return one
    },
    async close() {
      for (const { wire, app } of sides) {
        wire.close()
        await app.close()
      }
    },
    [Symbol.asyncDispose]: () => pair.close(),
  }
  return pair
}

/** Asserts that PostgreSQL answered like the embedded engine: status, fields and bytes. */
export function assertSame(request: string, embedded: NamedAnswer, postgres: NamedAnswer): void {
  const label = `PostgreSQL (actual) differs from embedded (expected) in\n${request}\n`
  assert.deepEqual([postgres.status, postgres.headers], [embedded.status, embedded.headers], label)
  if (embedded.text === postgres.text) return
  let at = 0
  while (at < embedded.text.length && embedded.text[at] === postgres.text[at]) at += 1
  const shown = ({ text }: NamedAnswer): string => text.slice(Math.max(0, at - 300), at + 300)
  assert.equal(shown(postgres), shown(embedded), label)
}

/** Sends a request to one of the two services, with names replaced, and returns the answer with names. */
export async function askSide(
  { wire, names }: Side,
  method: string,
  path: string,
  sending: Sending = {},
): Promise<NamedAnswer> {
  const { body, raw, token, headers, ...rest } = sending
  const text = raw ?? (body === undefined ? undefined : JSON.stringify(body))
  const sent = {
    ...rest,
    ...(text === undefined ? {} : { raw: typeof text === 'string' ? names.actual(text) : text }),
    ...(token === undefined ? {} : { token: names.actual(token) }),
    ...(headers === undefined ? {} : { headers: JSON.parse(names.actual(JSON.stringify(headers))) }),
  }
  // A busy machine may refuse for a while on one side alone.
  const answer = await sendUntil(
    ({ status }) => status !== 503,
    () => wire.send(method, names.actual(path), sent),
  )
  // The body comes first: it names new resources in the order of their creation.
  const named = names.named(answer.text.replace(SIMILAR, '"similar":null'))
  const fields = [...answer.headers].filter(([name]) => !PASSED_OVER.has(name))
  const json = answer.headers.get('content-type')?.startsWith('application/json') === true && answer.text !== ''
  return {
    status: answer.status,
    headers: Object.fromEntries(fields.map(([name, value]) => [name, names.named(value)])),
    body: (json ? JSON.parse(named) : {}) as Record<string, unknown>,
    text: named,
  }
}

/** As much of a request as a person needs to send it again. */
const describe = (sending: Sending): string => {
  const { raw } = sending
  const shown = { ...sending, ...(raw === undefined ? {} : { raw: Buffer.from(raw as string).toString('latin1') }) }
  return JSON.stringify(shown).slice(0, 600)
}

/** The sending of an administrator. */
export const asAdmin = (body?: unknown): Sending => ({ bearer: ADMIN_TOKEN, ...(body === undefined ? {} : { body }) })
