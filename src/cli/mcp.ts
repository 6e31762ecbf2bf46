import { PassThrough, type Readable, Writable } from 'node:stream'
import { joinLocalMemory, type LocalMemory } from '../local-memory.ts'
import { LOCAL_URL } from '../local-socket.ts'
import { EXIT, type Invocation, UsageError } from './command.ts'
import { parsedJson } from './read.ts'

/** The maximum length of a message in bytes: more than any tool accepts, so that the tool can refuse it. */
export const MESSAGE_BYTES = 1_048_576

/** The used part of a command line. */
export type Called = Pick<Invocation, 'flags' | 'env'>

/** The input and output of messages. */
export type Streams = { stdin: Readable; stdout: Writable; stderr: Writable }

/** Serves the Model Context Protocol on standard input and output until the input ends. Returns the exit code. */
export async function runMcp(called: Called, streams: Streams = process): Promise<number> {
  const { env, flags } = called
  const directory = flags['data-dir']
  if (directory !== undefined && flags.url !== undefined) {
    throw new UsageError(
      '--url and --data-dir exclude each other: name a service, or the directory of a private memory.',
    )
  }
  if (directory !== undefined) return serveDirectory(directory, called, streams)
  const { openLog, speakWith } = await import('./mcp-session.ts')
  await speakWith(called, openLog(env, streams.stderr), streams)
  return EXIT.ok
}

/**
 * Serves the private memory in a directory. The protocol and the tools take most of the time of a start, so a further window first lets the
 * owner of the directory answer the messages that open a session, and loads them afterwards.
 */
async function serveDirectory(directory: string, { env, flags }: Called, streams: Streams): Promise<number> {
  const session = () => import('./mcp-session.ts')
  const log = async () => (await session()).openLog(env, streams.stderr)
  // A wrong level ends the command before it opens anything.
  if (env.LOG_LEVEL !== undefined) await log()
  const onBroken = ({ message }: Error): never => {
    process.stderr.write(`${message}\n`)
    process.exit(EXIT.failed)
  }
  await using memory = await joinLocalMemory(directory, { env, log, onBroken })
  const opening = memory.isOwner() ? undefined : new Opening(memory, streams)
  if ((await opening?.ended) === 'with the input') return EXIT.ok
  await (await session()).speakIn(memory, directory, await log(), { streams: opening ?? streams, flags })
  return EXIT.ok
}

/** The requests with which hosts open a session. Their answers depend on the version of the program only. */
const OPENING_REQUESTS = new Set(['initialize', 'tools/list'])
/** The protocol is loaded so many milliseconds after the last answer of the owner: hosts list the tools at once. */
const PAUSE_MS = 250
/** The owner answers in milliseconds. After a longer wait the window answers itself. */
const WAIT_MS = 2_000

type Message = { id?: string | number; method?: string; params?: object }

/**
 * The beginning of a session: the owner of the directory answers the first messages, while their lines wait in `stdin` for the protocol of
 * this process. `stdout` drops its second answer to them.
 */
class Opening {
  readonly stdin = new PassThrough()
  readonly stdout: Writable
  /** How the beginning ended: with the end of the input, before anything else was asked, or with the first other request. */
  readonly ended: Promise<'with the input' | 'with a request'>
  readonly #memory: LocalMemory
  readonly #input: Readable
  readonly #output: Writable
  readonly #answered = new Set<string | number>()
  readonly #asked: Promise<void>[] = []
  #isOver = false
  #end: (how: 'with the input' | 'with a request') => void
  #timer: NodeJS.Timeout | undefined
  #unread = Buffer.alloc(0)

  constructor(memory: LocalMemory, { stdin, stdout }: Streams) {
    this.#memory = memory
    this.#input = stdin
    this.#output = stdout
    const { promise, resolve } = Promise.withResolvers<'with the input' | 'with a request'>()
    this.#end = resolve
    this.ended = promise
    const write = (chunk: Buffer, _encoding: unknown, done: (error?: Error | null) => void): void => {
      if (this.#isRepeated(chunk)) done()
      else stdout.write(chunk, done)
    }
    this.stdout = new Writable({ write })
    this.#input.on('data', this.#onData).once('end', this.#onEnd)
    // A host that has ended reads no more answers.
    stdout.on('error', this.#onEnd)
    process.once('SIGTERM', this.#onEnd).once('SIGINT', this.#onEnd)
  }

  readonly #onData = (chunk: Buffer): void => {
    this.stdin.write(chunk)
    if (this.#isOver) return
    this.#unread = Buffer.concat([this.#unread, chunk])
    for (let end = this.#unread.indexOf('\n'); end >= 0 && !this.#isOver; end = this.#unread.indexOf('\n')) {
      this.#take(this.#unread.subarray(0, end).toString('utf8'))
      this.#unread = this.#unread.subarray(end + 1)
    }
    if (this.#unread.length > MESSAGE_BYTES) this.#finish('with a request')
  }

  readonly #onEnd = (): void => {
    this.#input.off('data', this.#onData).pause()
    this.stdin.end()
    this.#finish('with the input')
  }

  #take(line: string): void {
    const message = parsed(line)
    if (message?.id === undefined && message?.method?.startsWith('notifications/')) return
    // A message of the revision without sessions names its revision in _meta.
    const isOpening = OPENING_REQUESTS.has(message?.method ?? '') && !Object.hasOwn(message?.params ?? {}, '_meta')
    if (message?.id === undefined || !isOpening) this.#finish('with a request')
    else {
      clearTimeout(this.#timer)
      this.#asked.push(this.#ask(line, message.id))
    }
  }

  async #ask(line: string, id: string | number): Promise<void> {
    const answer = await answerOf(this.#memory, line)
    if (answer === undefined) this.#finish('with a request')
    else {
      this.#answered.add(id)
      this.#output.write(`${answer}\n`)
      if (!this.#isOver) this.#timer = setTimeout(() => this.#finish('with a request'), PAUSE_MS)
    }
  }

  #finish(how: 'with the input' | 'with a request'): void {
    if (this.#isOver) return
    this.#isOver = true
    clearTimeout(this.#timer)
    process.off('SIGTERM', this.#onEnd).off('SIGINT', this.#onEnd)
    const asked = this.#asked.length
    // An input that ended with an unanswered request is served too.
    Promise.all(this.#asked).then(() => this.#end(this.#answered.size < asked ? 'with a request' : how))
  }

  /** Whether a line is an answer that the owner has given already. */
  #isRepeated(line: Buffer): boolean {
    if (this.#answered.size === 0) return false
    const { id, method } = parsed(line.toString('utf8')) ?? {}
    return id !== undefined && method === undefined && this.#answered.delete(id)
  }
}

function parsed(line: string): Message | undefined {
  const value = parsedJson(line)
  return typeof value === 'object' && value !== null ? value : undefined
}

/** The answer of the owner to one message, as a line; undefined if it has none in time. */
async function answerOf({ fetch }: LocalMemory, body: string): Promise<string | undefined> {
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'palimpsest-memory': 'private',
  }
  try {
    const answer = await fetch(`${LOCAL_URL}/mcp`, {
      method: 'POST',
      headers,
      body,
      signal: AbortSignal.timeout(WAIT_MS),
    })
    return /^data: (\{.*\})$/m.exec(await answer.text())?.[1]
  } catch {
    // The protocol of this process answers instead.
    return undefined
  }
}
