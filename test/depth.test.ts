import assert from 'node:assert/strict'
import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { Entry } from '../src/contract/resources.ts'
import { call, expectStatus, newActor } from './support/client.ts'
import { eventually, makeDirectory, type ServerProcess, startServer } from './support/process.ts'

/** How often each request is repeated. A function counts if it ran in every repetition. */
const TIMES = 5
/** Maximum time for what follows a request, in milliseconds. */
const PATIENCE = 60_000
/** How long a store at rest is observed, in milliseconds: longer than the period of its timers. */
const REST = 2_200
/** The public log follows once an hour, so it does not count. The inspector counts calls in all threads. */
const SETTINGS = { TLOG_INTERVAL_SECONDS: '3600', NODE_OPTIONS: '--inspect=127.0.0.1:0' }
const THREADS = ['follower-thread.ts', 'main', 'search-thread.ts', 'writer-thread.ts']
/** The most files and functions of src that may run for one request in all threads of a served store, with what follows it. */
const BOUNDS = {
  create: { files: 43, functions: 201 },
  revise: { files: 41, functions: 194 },
  read: { files: 26, functions: 97 },
  find: { files: 45, functions: 207 },
} as const
type Request = keyof typeof BOUNDS
/** Functions that run only for a moment after a request, or after a turn of the event loop that took 1 ms. Each has a file and a name. */
const OF_TIMERS = new Set([
  'src/http/connections.ts look',
  'src/http/observer.ts #onTimer',
  'src/http/observer.ts #write',
  'src/http/observer.ts flush',
  'src/http/overload.ts #measure',
  'src/http/overload.ts #worked',
  'src/http/overload.ts cpuTimeMs',
  'src/memory/limits/rules.ts get hasUnsaved',
  'src/stores/embedded/store.ts #onTimer',
  'src/stores/embedded/store.ts #save',
])

type Functions = Set<string>

/** Counts the calls of functions in all threads of a process, through the inspector of Node. */
class CallCounter {
  readonly threads = new Map<string, string | undefined>()
  readonly #socket: WebSocket
  readonly #replies = new Map<number, (result: unknown) => void>()
  #lastId = 0

  constructor(socket: WebSocket) {
    this.#socket = socket
    socket.addEventListener('message', ({ data }) => this.#receive(JSON.parse(data)))
  }

  static async attach(server: ServerProcess): Promise<CallCounter> {
    const socket = new WebSocket(/ws:\S+/.exec(server.stderr())?.[0] ?? '')
    await once(socket, 'open')
    const counter = new CallCounter(socket)
    await counter.#count('main', undefined)
    // A thread that starts later waits until its calls are counted.
    await counter.#post('NodeWorker.enable', { waitForDebuggerOnStart: true })
    return counter
  }

  /** The functions of src that ran since the last call, by file, name and place. */
  async take(): Promise<Functions> {
    const threads = [...this.threads.values()]
    const taken = await Promise.all(threads.map(thread => this.#post('Profiler.takePreciseCoverage', {}, thread)))
    const scripts = (taken as { result: ScriptCoverage[] }[]).flatMap(({ result }) => result)
    const ran: Functions = new Set()
    for (const { url, functions } of scripts.filter(script => script.url.includes('/src/'))) {
      for (const { functionName, ranges } of functions) {
        const [whole] = ranges
        const file = url.slice(url.indexOf('/src/') + 1)
        if (whole !== undefined && whole.count > 0) ran.add(`${file} ${functionName} ${whole.startOffset}`)
      }
    }
    return ran
  }

  /** Ends with the process, which would wait for it. */
  close(): void {
    this.#socket.close()
  }

  async #count(name: string, thread: string | undefined): Promise<void> {
    const began = [
      this.#post('Profiler.enable', {}, thread),
      this.#post('Profiler.startPreciseCoverage', { callCount: true, detailed: false }, thread),
      this.#post('Runtime.runIfWaitingForDebugger', {}, thread),
    ]
    await Promise.all(began)
    this.threads.set(name, thread)
  }

  #post(method: string, params: object, thread?: string): Promise<unknown> {
    this.#lastId += 1
    const id = this.#lastId
    const message = { id, method, params }
    const wrapped = { sessionId: thread, message: JSON.stringify(message) }
    // A thread has ids of its own. The reply of the main thread, that it passed the message on, has no receiver.
    const sent = thread === undefined ? message : { id: -id, method: 'NodeWorker.sendMessageToWorker', params: wrapped }
    this.#socket.send(JSON.stringify(sent))
    return new Promise(resolve => this.#replies.set(id, resolve))
  }

  #receive({ id, method, params, result }: Received): void {
    if (id !== undefined) this.#replies.get(id)?.(result)
    else if (method === 'NodeWorker.receivedMessageFromWorker') this.#receive(JSON.parse(params.message))
    else if (method === 'NodeWorker.attachedToWorker') {
      this.#count(params.workerInfo.title.replace(/^.* /, ''), params.sessionId).catch(() => {})
    }
  }
}
type ScriptCoverage = {
  url: string
  functions: { functionName: string; ranges: { startOffset: number; count: number }[] }[]
}
type Received = {
  id?: number
  method?: string
  params: { message: string; sessionId: string; workerInfo: { title: string } }
  result?: unknown
}

const textOf = (n: number) => ({
  title: `Kettle ${n}`,
  summary: `How to descale kettle ${n}.`,
  content: `Vinegar descales kettle number ${n}. `.repeat(20),
})

/** The requests to a store, all of which were sent once, so that everything is loaded. */
async function prepareRequests(url: string): Promise<{ [R in Request]: (n: number) => Promise<unknown> }> {
  const { token } = await newActor(url)
  const create = (n: number) => call<Entry>(url, 'POST', '/api/entries', { token, body: textOf(n) })
  const made: Entry[] = []
  for (let n = 1; n <= 3; n++) made.push(expectStatus(await create(n), 201))
  const [first, second] = made as [Entry, Entry, Entry]
  let { currentRevisionId: previousRevisionId } = second
  const requests = {
    create,
    revise: async (n: number) => {
      const body = { ...textOf(n), previousRevisionId, changeType: 'EXPAND', rationale: 'Says more.' }
      const answer = await call<Entry>(url, 'POST', `/api/entries/${second.slug}/revisions`, { token, body })
      previousRevisionId = expectStatus(answer, 201).currentRevisionId
    },
    read: async () => expectStatus(await call(url, 'GET', `/api/entries/${first.slug}`), 200),
    find: async () => expectStatus(await call(url, 'GET', '/api/find?q=descale+kettle+vinegar'), 200),
  }
  for (const request of Object.values(requests)) await request(100)
  return requests
}

const directory = makeDirectory()
const data = join(directory.path, 'data')
let server: ServerProcess
let calls: CallCounter
let [store, index]: (DatabaseSync | undefined)[] = []
before(async () => {
  server = await startServer(data, { env: SETTINGS })
  calls = await CallCounter.attach(server)
  store = new DatabaseSync(join(data, 'palimpsest.db'), { readOnly: true })
  index = new DatabaseSync(join(data, 'search.db'), { readOnly: true })
})
after(async () => {
  calls.close()
  store?.close()
  index?.close()
  await server.stop()
  directory.remove()
})

/** How many requests the store has counted, reads included. */
const counted = (): number => Number(store?.prepare('SELECT interactions FROM head').get()?.interactions)
const isIndexed = (): boolean =>
  store?.prepare('SELECT record FROM head').get()?.record ===
  index?.prepare('SELECT record FROM progress').get()?.record

const common = (some: Functions, others: Functions): Functions => new Set([...some].filter(one => others.has(one)))

/** The functions that timers run. Those that follow earlier requests, such as merges of segments, run only once. */
async function functionsAtRest(): Promise<Functions> {
  await calls.take()
  await setTimeout(REST)
  const once = await calls.take()
  await setTimeout(REST)
  return common(once, await calls.take())
}

/** Takes calls into `ran` until only functions that run at rest have run since the last time. */
async function settle(rest: Functions, ran: Functions): Promise<void> {
  await eventually('the service is at rest', PATIENCE, async () => {
    const taken = await calls.take()
    for (const one of taken) ran.add(one)
    return [...taken].every(one => rest.has(one)) || undefined
  })
}

/** The functions that run for a request: until the write or the observation of the read is stored and indexed, and all threads are at rest. */
async function functionsOf(send: () => Promise<unknown>, rest: Functions): Promise<Functions> {
  const ran: Functions = new Set()
  const earlier = counted()
  await send()
  await eventually('what follows is stored', PATIENCE, async () => (counted() > earlier && isIndexed()) || undefined)
  await settle(rest, ran)
  return new Set([...ran].filter(one => !rest.has(one) && !OF_TIMERS.has(one.replace(/ \d+$/, ''))))
}

test('a create, a revision, a cached read and a question run few files and functions', async context => {
  const requests = await prepareRequests(server.url)
  assert.deepEqual([...calls.threads.keys()].sort(), THREADS)
  const rest = await functionsAtRest()
  for (const [request, bound] of Object.entries(BOUNDS) as [Request, (typeof BOUNDS)[Request]][]) {
    let ran: Functions | undefined
    for (let n = 0; n < TIMES; n++) {
      const now = await functionsOf(() => requests[request](1_000 + n), rest)
      ran = ran === undefined ? now : common(ran, now)
    }
    const functions = ran?.size ?? 0
    const files = new Set([...(ran ?? [])].map(key => key.split(' ')[0])).size
    context.diagnostic(`${request}: ${files} files, ${functions} functions`)
    assert.ok(files > 5 && files <= bound.files, `${request} runs ${files} files of src, more than ${bound.files}`)
    assert.ok(functions <= bound.functions, `${request} runs ${functions} functions, more than ${bound.functions}`)
  }
})
