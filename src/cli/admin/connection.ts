import { readFileSync } from 'node:fs'
import { openConnection } from '../../client/connection.ts'
import { isClientError } from '../../client/index.ts'
import { parseServiceUrl } from '../../client/request.ts'
import { readConfig } from '../../config.ts'
import { errorCode, settingFileFault } from '../../operator-error.ts'
import { adminTokenFile } from '../../secrets.ts'
import { addressOf, baseOf } from '../address.ts'
import { EXIT, type Invocation, UsageError } from '../command.ts'
import { Output } from '../people/output.ts'
import { refusalOf } from '../people/session.ts'

/** A command line with the administration of one service. */
export type Administration = {
  invocation: Invocation
  out: Output
  json: boolean
  baseUrl: string
  /** Sends a request with the admin token. Waits if the service asks for it, unless --no-wait is given. */
  read<T>(path: string): Promise<T>
  write<T>(path: string, body: unknown): Promise<T>
}

/** The maximum accepted Retry-After, in seconds. */
const WAIT_MAX = 60

/** Runs a command with the service of --url, or of HOST and PORT. Returns the exit code. */
export async function administrate(
  invocation: Invocation,
  work: (administration: Administration) => Promise<void>,
): Promise<number> {
  const { switches, flags, clock } = invocation
  const out = new Output(invocation)
  const baseUrl = flags.url === undefined ? baseOf(addressOf(invocation)) : parseServiceUrl(flags.url)
  if (baseUrl === undefined)
    throw new UsageError('--url must be an http or https address without user, query or fragment.')
  const { token, source } = adminToken(invocation, baseUrl)
  const headers = { authorization: `Bearer ${token}` }
  const { sendToBase } = openConnection({
    baseUrl,
    retries: switches.has('no-wait') ? 0 : 3,
    maxWaitSeconds: WAIT_MAX,
    onRetry: ({ waitSeconds }) =>
      out.note(`The service could not answer yet: trying again in ${Math.ceil(waitSeconds)} s.`),
    ...(clock === undefined ? {} : { clock }),
  })
  const read = async <T>(path: string) => (await sendToBase({ method: 'GET', path, charged: true, headers })) as T
  const write = async <T>(path: string, body: unknown) =>
    (await sendToBase({ method: 'POST', path, charged: true, headers, body })) as T
  try {
    await work({ invocation, out, json: switches.has('json'), baseUrl, read, write })
    await out.taken()
    return EXIT.ok
  } catch (error) {
    if (!isClientError(error)) throw error
    const refusal = refusalOf(error, '')
    if (error.code === 'ADMIN_TOKEN_INVALID') refusal.message += ` The token is from ${source}.`
    throw refusal
  }
}

const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/**
 * The admin token and its source, for people: ADMIN_TOKEN, the file that ADMIN_TOKEN_FILE names, or `admin-token` of the data directory. The
 * token of a directory is only sent to this machine, because the service of that directory runs here.
 */
function adminToken({ env, flags }: Invocation, baseUrl: string): { token: string; source: string } {
  const named = ['ADMIN_TOKEN', 'ADMIN_TOKEN_FILE', 'DATA_DIR'].flatMap(name => (env[name] ? [[name, env[name]]] : []))
  const config = readConfig(Object.fromEntries(named), { 'data-dir': flags['data-dir'] })
  if (config.adminToken !== undefined)
    return { token: config.adminToken, source: env.ADMIN_TOKEN ? 'ADMIN_TOKEN' : String(env.ADMIN_TOKEN_FILE) }
  const file = adminTokenFile(config.dataDir)
  if (!LOOPBACK.test(new URL(baseUrl).hostname))
    throw new UsageError(`${baseUrl} is not on this machine: set ADMIN_TOKEN or ADMIN_TOKEN_FILE to its admin token.`)
  try {
    return { token: readFileSync(file, 'utf8').trim(), source: file }
  } catch (error) {
    const why = errorCode(error) === 'ENOENT' ? 'does not exist' : `cannot be read (${settingFileFault(error)})`
    throw new UsageError(
      `${file} ${why}: set ADMIN_TOKEN_FILE or ADMIN_TOKEN, or name the data directory by --data-dir.`,
    )
  }
}
