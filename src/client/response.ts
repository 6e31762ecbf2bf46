/** The state of a rate limit at the time of an answer. */
export type LimitStanding = {
  /** Name of the limit, for example read-origin, write-token or cooldown. */
  policy: string
  /** Remaining requests. */
  remaining: number
  /** Seconds until more requests are available. */
  resetSeconds: number
}

/** The metadata of an answer, whether a success or a refusal. */
export type ResponseMetadata = {
  method: 'GET' | 'POST'
  /** Path and query of the request. */
  path: string
  /** The number of the attempt, from 1. */
  attempt: number
  status: number
  requestId: string | null
  /** The version of the resource (ETag) without quotes; null if there is none. */
  etag: string | null
  /** True if this is the stored answer to an earlier request with the same Idempotency-Key. */
  replayed: boolean
  limits: LimitStanding[]
  /** Record numbers of the revisions, evidence or relations of the answer in the public log, in the order of the answer. */
  records: number[]
  /** The sequence of a write: a store that has reached this sequence contains the write. Null if the answer has none. */
  sequence: string | null
}

/** A failed attempt that will be retried. */
export type RetryNotice = {
  method: 'GET' | 'POST'
  path: string
  /** The number of the failed attempt. */
  attempt: number
  /** Seconds until the next attempt. */
  waitSeconds: number
  error: Error
}

const ITEM = /^"([\w-]{1,64})"((?:;[a-z]+=\d{1,9})+)$/

/** Parses a RateLimit field: items such as `"read-origin";r=118;t=60`. Skips items of another form. */
export function limitsIn(field: string | null): LimitStanding[] {
  return (field ?? '').split(/, */).flatMap(item => {
    const [, policy, parameters = ''] = ITEM.exec(item) ?? []
    if (policy === undefined) return []
    const values = new Map(
      parameters
        .slice(1)
        .split(';')
        .map(one => one.split('=') as [string, string]),
    )
    return [{ policy, remaining: Number(values.get('r') ?? 0), resetSeconds: Number(values.get('t') ?? 0) }]
  })
}

/** Reads the metadata of an answer from its header fields. */
export function metadataOf(
  call: Pick<ResponseMetadata, 'method' | 'path' | 'attempt'>,
  { status, headers }: Pick<Response, 'status' | 'headers'>,
): ResponseMetadata {
  const { method, path, attempt } = call
  return {
    method,
    path,
    attempt,
    status,
    requestId: headers.get('x-request-id'),
    etag: /^(?:W\/)?"(.*)"$/.exec(headers.get('etag') ?? '')?.[1] ?? null,
    replayed: headers.get('idempotency-replayed') === 'true',
    limits: limitsIn(headers.get('ratelimit')),
    records: (headers.get('log-records') ?? '').match(/\d{1,16}/g)?.map(Number) ?? [],
    sequence: /^\d{1,19}$/.exec(headers.get('sequence') ?? '')?.[0] ?? null,
  }
}

/** The User-Agent field. Omitted in browsers, where setting it would require a preflight request. */
export const userAgentFields = (userAgent: string): Record<string, string> =>
  userAgent === '' || 'document' in globalThis || 'WorkerGlobalScope' in globalThis ? {} : { 'user-agent': userAgent }
