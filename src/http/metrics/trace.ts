import type { IncomingHttpHeaders } from 'node:http'

/** Version 00 of W3C Trace Context, or a later one that begins like it. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-.*)?$/

/** The trace id of a `traceparent` field; undefined if it is missing or malformed. */
export function traceIdOf(field: unknown): string | undefined {
  if (typeof field !== 'string' || field.length > 512) return undefined
  const [, version, id, more] = TRACEPARENT.exec(field) ?? []
  return version === '00' && more !== undefined ? undefined : id
}

/** The trace id of a request, as a member of its log lines. */
export function traceOf({ traceparent }: IncomingHttpHeaders): { traceId?: string } {
  const traceId = traceparent === undefined ? undefined : traceIdOf(traceparent)
  return traceId === undefined ? {} : { traceId }
}
