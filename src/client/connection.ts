import { type ClientError, ConnectionError, clientError, isClientError } from './problem.ts'
import {
  baseOf,
  type Call,
  isPassing,
  isPassingStatus,
  leftUnsure,
  type RequestSettings,
  requestSettings,
  sendOnce,
} from './request.ts'
import type { CallOptions, ClientSettings, ResponseMetadata } from './settings.ts'

export type Connection = {
  /** Sends a call. A read without a token goes to the `readUrl` of the settings first. */
  send(call: Call, options?: CallOptions): Promise<unknown>
  /** Sends a call to the `baseUrl`. */
  sendToBase(call: Call, options?: CallOptions): Promise<unknown>
  /** The settings of requests to the `baseUrl`. */
  settings: RequestSettings
  /** Waits for `seconds` plus a random addition of up to one fifth. */
  wait(seconds: number, signal?: AbortSignal): Promise<void>
  retries: number
  maxWaitSeconds: number
}

const SPREAD = 0.2

/**
 * Creates a connection to the service, which needs no closing. `send` retries requests that failed temporarily, within the limits of the
 * settings. Throws INVALID_ARGUMENT if `baseUrl` or `readUrl` is malformed.
 */
export function openConnection(settings: ClientSettings): Connection {
  const { retries = 3, maxWaitSeconds = 60, random = Math.random } = settings
  /** The highest Sequence of the writes so far. */
  let written = 0
  const onResponse = (metadata: ResponseMetadata): void => {
    if (metadata.method === 'POST') written = Math.max(written, Number(metadata.sequence ?? 0))
    settings.onResponse?.(metadata)
  }
  const ofBase = requestSettings({ ...settings, onResponse })
  const ofReadUrl =
    settings.readUrl === undefined ? undefined : { ...ofBase, base: baseOf(settings.readUrl, 'readUrl') }
  const wait: Connection['wait'] = (seconds, signal) =>
    ofBase.clock.sleep(seconds * (1 + SPREAD * random()) * 1000, signal)
  const sendToBase = createSender(ofBase, { ...settings, retries, maxWaitSeconds, wait })
  return {
    retries,
    maxWaitSeconds,
    wait,
    sendToBase,
    settings: ofBase,
    async send(asked, options = {}) {
      if (ofReadUrl === undefined || !isPlainRead(asked)) return sendToBase(asked, options)
      const call = since(written, asked)
      try {
        options.signal?.throwIfAborted()
        return await sendOnce(ofReadUrl, call, 1, options)
      } catch (error) {
        if (!isClientError(error) || !isOfPlace(error)) throw error
        settings.onRetry?.({ method: call.method, path: call.path, attempt: 1, waitSeconds: 0, error })
        return sendToBase(call, options)
      }
    },
  }
}

type Bounds = Pick<Connection, 'retries' | 'maxWaitSeconds' | 'wait'> & Pick<ClientSettings, 'onRetry'>

/** Returns a function that sends a call and retries it after temporary failures, within the bounds. */
function createSender(
  settings: RequestSettings,
  { retries, maxWaitSeconds, wait, onRetry }: Bounds,
): Connection['send'] {
  return async (asked, options = {}) => {
    const { signal, idempotencyKey } = options
    const call = asked.method === 'POST' ? { ...asked, key: keyOf(idempotencyKey) } : asked
    let unsure = false
    for (let tries = 0; ; tries += 1) {
      signal?.throwIfAborted()
      try {
        return await sendOnce(settings, call, tries + 1, options)
      } catch (error) {
        if (!isClientError(error) || !call.charged) throw error
        // After an earlier attempt reached the service, a refused connection means that the service is restarting.
        if (!isPassing(error) && !(tries > 0 && error.code === 'NO_ANSWER')) throw error
        unsure ||= error.mayHaveHappened
        const due = error.retryAfterSeconds ?? 2 ** (tries - 1)
        if (tries >= retries || due > maxWaitSeconds) throw unsure ? leftUnsure(error, call) : error
        onRetry?.({ method: call.method, path: call.path, attempt: tries + 1, waitSeconds: due, error })
        await wait(due, signal)
      }
    }
  }
}

/** Whether a mirror can answer a call: a read without a token that is neither a probe nor a file of the log. */
const isPlainRead = ({ method, token, charged, bytes }: Call): boolean =>
  method === 'GET' && token === undefined && charged && bytes !== true

const since = (sequence: number, call: Call): Call =>
  sequence === 0 ? call : { ...call, headers: { ...call.headers, 'min-sequence': String(sequence) } }

/** Whether the server or the path to it caused an error, and not the request. */
const isOfPlace = (error: ClientError): boolean => error instanceof ConnectionError || isPassingStatus(error)

const KEY = /^[!#-~][!-~]{0,254}$/
const KEY_BYTES = 16

function keyOf(own: string | undefined): string {
  if (own === undefined) {
    return [...crypto.getRandomValues(new Uint8Array(KEY_BYTES))]
      .map(byte => byte.toString(16).padStart(2, '0'))
      .join('')
  }
  if (KEY.test(own)) return own
  throw clientError(
    'INVALID_ARGUMENT',
    'idempotencyKey is a text of 1 to 255 printable ASCII characters without spaces.',
  )
}
