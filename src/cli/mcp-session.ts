import { readFileSync, writeFileSync } from 'node:fs'
import { type ServeStdioOptions, StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { type Logger, pino } from 'pino'
import { type Client, createClient } from '../client/index.ts'
import { refusalOf } from '../client/refusal.ts'
import { SETTINGS } from '../config.ts'
import type { LocalMemory } from '../local-memory.ts'
import { LOCAL_URL } from '../local-socket.ts'
import { createMcpServer, type Session } from '../mcp/server.ts'
import { errorCode } from '../operator-error.ts'
import { adminTokenFile, mcpTokenFile } from '../secrets.ts'
import { UsageError } from './command.ts'
import { environmentsIn } from './environment.ts'
import { type Called, MESSAGE_BYTES, type Streams } from './mcp.ts'
import { DEFAULT_URL, servicesIn } from './people/flags.ts'
import { readIfExists } from './read.ts'

/**
 * The longest wait of a read or a write, in seconds, that the client waits itself, for example for a cooldown. A host waits a minute for a
 * tool. Longer waits are left to the model.
 */
const WAIT_SECONDS = 20

/** The log of the command, on standard error. Throws UsageError for an unknown level. */
export const openLog = (env: NodeJS.ProcessEnv, stderr: Streams['stderr']): Logger =>
  pino({ level: levelIn(env), base: null }, stderr)

/** Serves the protocol with a service over HTTP, until the input ends. */
export const speakWith = (called: Called, logger: Logger, streams: Streams): Promise<void> =>
  speak(sessionWith(called, logger), logger, streams)

/** Serves the protocol with the private memory in a directory, until the input ends. */
export const speakIn = (
  memory: LocalMemory,
  directory: string,
  logger: Logger,
  { streams, flags }: { streams: Pick<Streams, 'stdin' | 'stdout'> } & Pick<Called, 'flags'>,
): Promise<void> => speak({ ...sessionIn(memory, directory, logger), ...askingBy(flags) }, logger, streams)

/** The level of the log. Throws UsageError for an unknown one. */
function levelIn({ LOG_LEVEL: level = 'warn' }: NodeJS.ProcessEnv): string {
  try {
    return SETTINGS.logLevel.parse(level)
  } catch (error) {
    throw new UsageError(`LOG_LEVEL must be ${(error as Error).message}, not "${level}".`)
  }
}

/** Serves the protocol with a session until the input ends. */
function speak(session: Session, logger: Logger, { stdin, stdout }: Pick<Streams, 'stdin' | 'stdout'>): Promise<void> {
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
function sessionWith({ env, flags }: Called, logger: Logger): Session {
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
  return sessionOf(logger, { clientFor, memory: 'shared', ...askingBy(flags) }, () => first)
}

/** The longest wait for the answer of a further service, in seconds. */
const OTHERS_SECONDS = 2

/** The environment, and the further services that `find` asks, of the flags. */
const askingBy = ({ env, from }: Called['flags']): Pick<Session, 'environment' | 'others'> => ({
  ...(env === undefined ? {} : { environment: environmentsIn('env', env) }),
  others: servicesIn(from).map(baseUrl => ({
    name: baseUrl,
    client: createClient({ baseUrl, retries: 0, timeoutSeconds: OTHERS_SECONDS, userAgent: 'palimpsest mcp' }),
  })),
})

/** A session with the private memory in a directory. All sessions with the directory write as one actor, whose token is stored there. */
function sessionIn(memory: LocalMemory, directory: string, logger: Logger): Session {
  const { fetch } = memory
  const clientFor = (token: string | undefined): Client =>
    createClient({ baseUrl: LOCAL_URL, fetch, retries: 0, tokenOnReads: true, token, userAgent: 'palimpsest mcp' })
  const file = mcpTokenFile(directory)
  return sessionOf(
    logger,
    { clientFor, memory: 'private', forget: forgettingIn(memory, directory) },
    () => readIfExists(file, 'make it readable for this user')?.trim(),
    token => storeToken(file, token),
  )
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
  memory: Pick<Session, 'clientFor' | 'memory' | 'forget' | 'environment' | 'others'>,
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
