import { type ClientError, ConnectionError, clientError, isClientError } from './problem.ts'
import {
  baseOf,
  type Call,
  isPassing,
  isPassingStatus,
  leftUnsure,
  openStream,
  type RequestSettings,
  requestSettings,
  sendOnce,
} from './request.ts'
import type { ResponseMetadata } from './response.ts'
import type { CallOptions, ClientSettings } from './settings.ts'

export type Connection = {
  /** Sends a call. A read without a token goes to the `readUrl` of the settings first. */
  send(call: Call, options?: CallOptions): Promise<unknown>
  /** Sends a call to the `baseUrl`. */
  sendToBase(call: Call, options?: CallOptions): Promise<unknown>
  /** Sends a request once and gives its answer, of this media type, as it comes. Rejects when there is none within `timeoutSeconds`, or another. */
  open(call: Call, media: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array>>
  /** Waits `seconds` and a random addition of up to a fifth. */
  wait(seconds: number, signal?: AbortSignal): Promise<void>
  retries: number
  maxWaitSeconds: number
}

const SPREAD = 0.2

/**
 * Opens a connection to the service. It has no open resources. `send` repeats requests that failed temporarily, within the limits of the
 * settings. Throws INVALID_ARGUMENT if `baseUrl` is wrong.
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
    open: (call, media, signal) => openStream(ofBase, call, media, signal),
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

/** Returns the function that sends a call, again if the failure may pass, within bounds. */
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
        // A service that an earlier attempt reached is restarting, even if its port refuses connections.
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

/** Whether any copy of the service can answer a call: it carries no token, and is neither a probe nor a file of the log. */
const isPlainRead = ({ method, token, charged, bytes }: Call): boolean =>
  method === 'GET' && token === undefined && charged && bytes !== true

const since = (sequence: number, call: Call): Call =>
  sequence === 0 ? call : { ...call, headers: { ...call.headers, 'min-sequence': String(sequence) } }

/** Whether an error says something about the server that was asked, and nothing about the read. */
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
