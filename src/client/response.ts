/** One limit as it stands after an answer. */
export type LimitStanding = {
  /** For example read-origin, write-token or cooldown. */
  policy: string
  /** Requests that are left. */
  remaining: number
  /** Seconds until there is room for all of them again. */
  resetSeconds: number
}

/** What an answer says beside its body, whether it grants or refuses. */
export type ResponseMetadata = {
  method: 'GET' | 'POST'
  /** Path and query as they were sent. */
  path: string
  /** 1 for the first try of a call. */
  attempt: number
  status: number
  requestId: string | null
  /** The version of what was read, without quotes; null where it has none. */
  etag: string | null
  /** True where this is the answer to an earlier request with the same Idempotency-Key. */
  replayed: boolean
  limits: LimitStanding[]
  /** The numbers in the public log of the revisions, evidence or relations of the answer, in their order. */
  records: number[]
}

/** A try that failed and is followed by another. */
export type RetryNotice = {
  method: 'GET' | 'POST'
  path: string
  /** The number of the try that failed. */
  attempt: number
  /** Seconds before the next try. */
  waitSeconds: number
  error: Error
}

const ITEM = /^"([\w-]{1,64})"((?:;[a-z]+=\d{1,9})+)$/

/** Reads a RateLimit field: items such as `"read-origin";r=118;t=60`. Items of another shape are left out. */
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

/** What the fields of an answer say. */
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
  }
}

/** Names the client to the service. Browsers name themselves: there the field would need a preflight. */
export const userAgentFields = (userAgent: string): Record<string, string> =>
  userAgent === '' || 'document' in globalThis || 'WorkerGlobalScope' in globalThis ? {} : { 'user-agent': userAgent }
