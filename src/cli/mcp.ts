import { readFileSync, writeFileSync } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import { type ServeStdioOptions, StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { type Logger, pino } from 'pino'
import { type Client, createClient } from '../client/index.ts'
import { refusalOf } from '../client/refusal.ts'
import { SETTINGS } from '../config.ts'
import { joinLocalMemory, type LocalMemory } from '../local-memory.ts'
import { LOCAL_URL } from '../local-socket.ts'
import { createMcpServer, type Session } from '../mcp/server.ts'
import { errorCode } from '../operator-error.ts'
import { adminTokenFile, mcpTokenFile } from '../secrets.ts'
import { EXIT, type Invocation, UsageError } from './command.ts'
import { DEFAULT_URL } from './people/flags.ts'

/** The maximum length of a message in bytes: more than any tool accepts, so that the tool can refuse it. */
const MESSAGE_BYTES = 1_048_576
/** The longest wait, in seconds, that the client waits itself, for example for a cooldown. Longer waits are left to the model. */
const WAIT_SECONDS = 4

/** The dependencies of a session, and the function that ends it. */
type Opened = { session: Session; close(): Promise<void> }

/** The used part of a command line. */
type Called = Pick<Invocation, 'flags' | 'env'>

/** The input and output of messages. */
export type Streams = { stdin: Readable; stdout: Writable; stderr: Writable }

/** Serves the Model Context Protocol on standard input and output until the input ends. Returns the exit code. */
export async function runMcp(invocation: Called, streams: Streams = process): Promise<number> {
  const { env, flags } = invocation
  const logger = pino({ level: levelIn(env), base: null }, streams.stderr)
  if (flags['data-dir'] !== undefined && flags.url !== undefined) {
    throw new UsageError(
      '--url and --data-dir exclude each other: name a service, or the directory of a private memory.',
    )
  }
  const dataDir = flags['data-dir']
  const opened = dataDir === undefined ? openShared(invocation, logger) : await openPrivate(dataDir, env, logger)
  try {
    await speak(opened.session, logger, streams)
  } finally {
    await opened.close()
  }
  return EXIT.ok
}

function levelIn({ LOG_LEVEL: level = 'warn' }: NodeJS.ProcessEnv): string {
  try {
    return SETTINGS.logLevel.parse(level)
  } catch (error) {
    throw new UsageError(`LOG_LEVEL must be ${(error as Error).message}, not "${level}".`)
  }
}

function speak(session: Session, logger: Logger, { stdin, stdout }: Streams): Promise<void> {
  const transport = new StdioServerTransport(stdin, stdout, { maxBufferSize: MESSAGE_BYTES })
  // Messages are untrusted and may contain tokens. Only the kind of an error is logged.
  const onerror: ServeStdioOptions['onerror'] = ({ name }) => logger.warn({ name }, 'a message is invalid')
  const handle = serveStdio(() => createMcpServer(session), { transport, onerror })
  const stop = (): void => void handle.close()
  process.on('SIGTERM', stop).on('SIGINT', stop)
  return new Promise(resolve => {
    const { onclose } = transport
    transport.onclose = () => {
      onclose?.()
      process.off('SIGTERM', stop).off('SIGINT', stop)
      resolve()
    }
  })
}

/** A session with a service over HTTP. The token of the first write is stored until the process ends. */
function openShared({ env, flags }: Called, logger: Logger): Opened {
  const baseUrl = flags.url ?? (env.PALIMPSEST_URL || DEFAULT_URL)
  if (!URL.canParse(baseUrl) || !/^https?:$/.test(new URL(baseUrl).protocol)) {
    throw new UsageError('--url (or PALIMPSEST_URL) must be the http or https address of a service.')
  }
  const first = env.PALIMPSEST_TOKEN || undefined
  const readUrl = env.PALIMPSEST_READ_URL || undefined
  const bounds = { retries: 2, maxWaitSeconds: WAIT_SECONDS }
  const open = (token: string | undefined): Client =>
    createClient({ baseUrl, readUrl, token, tokenOnReads: readUrl === undefined, ...bounds })
  // The client remembers its last write, so that reads at the other address include it.
  let client = open(first)
  const clientFor = (token: string | undefined): Client => {
    if (client.token() !== token) client = open(token)
    return client
  }
  const session = sessionOf(logger, { clientFor, memory: 'shared' }, () => first)
  return { session, close: async () => {} }
}

/** A session with the private memory in a directory. All sessions with the directory write as one actor, whose token is stored there. */
async function openPrivate(directory: string, env: NodeJS.ProcessEnv, logger: Logger): Promise<Opened> {
  const onBroken = ({ message }: Error): never => {
    process.stderr.write(`${message}\n`)
    process.exit(EXIT.failed)
  }
  const memory = await joinLocalMemory(directory, { env, logger, onBroken })
  const { fetch } = memory
  const clientFor = (token: string | undefined): Client =>
    createClient({ baseUrl: LOCAL_URL, fetch, retries: 0, tokenOnReads: true, token, userAgent: 'palimpsest mcp' })
  const file = mcpTokenFile(directory)
  const session = sessionOf(
    logger,
    { clientFor, memory: 'private', forget: forgettingIn(memory, directory) },
    () => tokenIn(file),
    token => storeToken(file, token),
  )
  return { session, close: () => memory.close() }
}

/** Returns the function that withdraws an entry of a private memory. The function rejects with a ClientError. */
function forgettingIn({ fetch }: LocalMemory, directory: string) {
  return async (entry: string, reason: string): Promise<{ entryId: string }> => {
    const path = '/api/admin/moderate'
    const authorization = `Bearer ${readFileSync(adminTokenFile(directory), 'utf8').trim()}`
    const response = await fetch(`${LOCAL_URL}${path}`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ targetType: 'ENTRY', targetId: entry, action: 'HIDE', reason }),
    })
    const body = await response.text()
    if (!response.ok) throw refusalOf(response, body, Date.now(), `POST ${path}`)
    const { targetId } = JSON.parse(body) as { targetId: string }
    return { entryId: targetId }
  }
}

/** A session that stores its token: the one that `read` returns, or that of an actor that is created later, which `store` receives. */
function sessionOf(
  logger: Logger,
  memory: Pick<Session, 'clientFor' | 'memory' | 'forget'>,
  read: () => string | undefined,
  store = (_token: string): void => {},
): Session {
  let held: string | undefined
  return {
    ...memory,
    token() {
      held ??= read()
      return held
    },
    issued(token) {
      held = token
      store(token)
    },
    keepsToken: true,
    onFault: error => logger.error({ err: error }, 'a call failed'),
  }
}

/** Stores the first token of a directory. If another session has stored one, later sessions use that one. */
function storeToken(file: string, token: string): void {
  try {
    writeFileSync(file, `${token}\n`, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
  }
}

function tokenIn(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}
