import { get } from 'node:http'
import { readConfig } from '../config.ts'
import { EXIT, type Invocation, UsageError } from './command.ts'

/** How long the service may take to answer, in milliseconds: less than what asks for this command waits by default. */
const PATIENCE = 3_000
/** What the service listens on to be reached by every address is no address to call: the loopback of its kind is. */
const LOOPBACK: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

/** Why a service of this machine is not reached, in words. */
const FAULTS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection is refused; start the service, or name its port',
  ENOTFOUND: 'the host name is unknown',
}

/** Asks the service that HOST and PORT name whether it is ready, and says so in a sentence; gives exit code 0 only when it is. */
export async function checkHealth(invocation: Invocation): Promise<number> {
  const { host, port } = addressOf(invocation)
  if (port === 0)
    throw new UsageError('PORT is 0, which is another port at every start; set it to the one that is served.')
  const called = LOOPBACK[host] ?? host
  const url = `http://${called.includes(':') ? `[${called}]` : called}:${port}/ready`
  const told = await statusOf(url).then(
    status => (status === 200 ? undefined : `it answers ${status}`),
    (error: NodeJS.ErrnoException) =>
      error.name === 'TimeoutError'
        ? `no answer in ${PATIENCE} ms`
        : (FAULTS[error.code ?? ''] ?? error.code ?? error.message),
  )
  process.stdout.write(told === undefined ? `Ready at ${url}.\n` : `Not ready at ${url}: ${told}.\n`)
  return told === undefined ? EXIT.ok : EXIT.failed
}

/** Only these two settings are looked at: whoever asks may lack the right to read the secrets of the server. */
function addressOf({ env, flags }: Invocation): { host: string; port: number } {
  const named = Object.fromEntries(
    ['HOST', 'PORT'].flatMap(name => (env[name] === undefined ? [] : [[name, env[name]]])),
  )
  return readConfig(named, flags)
}

/** The status of a GET whose answer is not read. Rejects with TimeoutError, or with what the system says. */
const statusOf = (url: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const request = get(url, { signal: AbortSignal.timeout(PATIENCE), agent: false }, response => {
      response.destroy()
      resolve(response.statusCode)
    })
    // An abort says why only in its cause.
    request.on('error', error => reject(error.cause ?? error))
  })
