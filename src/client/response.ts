/** A limit, as of an answer. */
export type LimitStanding = {
  /** For example read-origin, write-token or cooldown. */
  policy: string
  /** Remaining requests. */
  remaining: number
  /** Seconds until the limit is completely free again. */
  resetSeconds: number
}

/** The metadata of an answer, of a success or a refusal. */
export type ResponseMetadata = {
  method: 'GET' | 'POST'
  /** Path and query of the request. */
  path: string
  /** The number of the attempt, from 1. */
  attempt: number
  status: number
  requestId: string | null
  /** The version (ETag) without quotes; null if there is none. */
  etag: string | null
  /** True if this is the stored answer to an earlier request with the same Idempotency-Key. */
  replayed: boolean
  limits: LimitStanding[]
  /** Record numbers in the public log of the revisions, evidence or relations of the answer, in their order. */
  records: number[]
  /** Of a write: a store that has this sequence has the write; null where there is none. */
  sequence: string | null
}

/** A failed attempt that is followed by another. */
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

/** The User-Agent field. Browsers send their own: setting it there would require a preflight. */
export const userAgentFields = (userAgent: string): Record<string, string> =>
  userAgent === '' || 'document' in globalThis || 'WorkerGlobalScope' in globalThis ? {} : { 'user-agent': userAgent }
