import { get } from 'node:http'
import { addressOf, readinessUrl } from './address.ts'
import { EXIT, type Invocation, UsageError } from './command.ts'

/** Less than the default timeout of health checks of containers. */
const REQUEST_TIMEOUT_MS = 3_000

/** The reasons why a service of this machine is not reachable. */
const FAULTS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection is refused; start the service, or name its port',
  ENOTFOUND: 'the host name is unknown',
}

/** Checks that the service at HOST and PORT is ready, and prints one sentence. Returns exit code 0 only if it is. */
export async function checkHealth(invocation: Invocation): Promise<number> {
  const address = addressOf(invocation)
  if (address.port === 0)
    throw new UsageError('PORT is 0, which is another port at every start; set it to the port of the service.')
  const url = readinessUrl(address)
  const fault = await statusOf(url).then(
    ({ status, reason }) =>
      status === 200 ? undefined : `it answers ${status}${reason === undefined ? '' : `: ${reason}`}`,
    (error: NodeJS.ErrnoException) =>
      error.name === 'TimeoutError'
        ? `no answer in ${REQUEST_TIMEOUT_MS} ms`
        : (FAULTS[error.code ?? ''] ?? error.code ?? error.message),
  )
  invocation.stdout.write(fault === undefined ? `Ready at ${url}.\n` : `Not ready at ${url}: ${fault}.\n`)
  return fault === undefined ? EXIT.ok : EXIT.failed
}

/** The status of a GET and the reason of a refusal. The body is not read. Rejects with TimeoutError or with the error of the system. */
const statusOf = (url: string): Promise<{ status: number | undefined; reason: string | undefined }> =>
  new Promise((resolve, reject) => {
    const request = get(url, { signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS), agent: false }, response => {
      response.destroy()
      const { reason } = response.headers
      resolve({ status: response.statusCode, reason: typeof reason === 'string' ? reason : undefined })
    })
    // An abort has its reason only in its cause.
    request.on('error', error => reject(error.cause ?? error))
  })
