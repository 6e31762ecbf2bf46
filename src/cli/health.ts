import { get } from 'node:http'
import { readConfig } from '../config.ts'
import { EXIT, type Invocation, UsageError } from './command.ts'

/** Less than the default timeout of health checks of containers. */
const REQUEST_TIMEOUT_MS = 3_000
/** An unspecified listening address cannot be called. It is replaced by the loopback address of its kind. */
const LOOPBACK: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

/** The reasons why a service of this machine is not reachable. */
const FAULTS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection is refused; start the service, or name its port',
  ENOTFOUND: 'the host name is unknown',
}

/** Checks that the service at HOST and PORT is ready, and prints one sentence. Returns exit code 0 only if it is. */
export async function checkHealth(invocation: Invocation): Promise<number> {
  const { host, port } = addressOf(invocation)
  if (port === 0)
    throw new UsageError('PORT is 0, which is another port at every start; set it to the port of the service.')
  const called = LOOPBACK[host] ?? host
  const url = `http://${called.includes(':') ? `[${called}]` : called}:${port}/ready`
  const fault = await statusOf(url).then(
    status => (status === 200 ? undefined : `it answers ${status}`),
    (error: NodeJS.ErrnoException) =>
      error.name === 'TimeoutError'
        ? `no answer in ${REQUEST_TIMEOUT_MS} ms`
        : (FAULTS[error.code ?? ''] ?? error.code ?? error.message),
  )
  invocation.stdout.write(fault === undefined ? `Ready at ${url}.\n` : `Not ready at ${url}: ${fault}.\n`)
  return fault === undefined ? EXIT.ok : EXIT.failed
}

/** Reads only these two settings, because the caller may lack the right to read the secrets of the server. */
function addressOf({ env, flags }: Invocation): { host: string; port: number } {
  const named = Object.fromEntries(
    ['HOST', 'PORT'].flatMap(name => (env[name] === undefined ? [] : [[name, env[name]]])),
  )
  return readConfig(named, flags)
}

/** The status of a GET. The body is not read. Rejects with TimeoutError or with the error of the system. */
const statusOf = (url: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const request = get(url, { signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS), agent: false }, response => {
      response.destroy()
      resolve(response.statusCode)
    })
    // An abort has its reason only in its cause.
    request.on('error', error => reject(error.cause ?? error))
  })
