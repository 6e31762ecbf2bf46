import { randomUUID } from 'node:crypto'
import { type Client, createClient } from '../client/index.ts'
import { refusalOf } from '../client/refusal.ts'
import { Problem } from '../contract/problem.ts'
import type { Decision } from '../domain/rate-limit.ts'
import type { HttpServer, InjectedAnswer, InjectedRequest } from '../http/http-server.ts'
import { problemAnswer } from '../http/pipeline/errors.ts'

/** The caller of a call, as admission needs it. `paid` is the charge of its message, which pays for the reads. */
export type OnBehalfOf = { remoteAddress: string; headers: Record<string, string>; paid?: Decision }

/** The base address for clients in this process. It is never resolved. */
const HERE = 'http://palimpsest.invalid'

/**
 * Makes clients of the service within its own process. Every call uses the routes like a request of the caller, and is admitted, charged,
 * observed and logged like one, except that reads of a charged message are not charged again. The client does not wait and does not retry.
 */
export function clientsWithin(server: Pick<HttpServer, 'inject'>, { remoteAddress, headers, paid }: OnBehalfOf) {
  const send = async (url: string, init: RequestInit): Promise<Response> => {
    const request: InjectedRequest = {
      method: init.method as NonNullable<InjectedRequest['method']>,
      url: url.slice(HERE.length),
      headers: { ...headers, ...(init.headers as Record<string, string>) },
      remoteAddress,
      ...(init.body === undefined ? {} : { payload: init.body as string }),
    }
    const answer = await injected(server, request, paid)
    return new Response(answer.body, { status: answer.statusCode, headers: fieldsOf(answer.headers) })
  }
  return (token: string | undefined): Client =>
    createClient({ baseUrl: HERE, fetch: send, retries: 0, tokenOnReads: true, token, userAgent: '' })
}

/** Returns the function that withdraws an entry of the store of this process. The function rejects with a ClientError. */
export function forgettingWithin(server: Pick<HttpServer, 'inject'>, adminToken: string) {
  return async (entry: string, reason: string): Promise<{ entryId: string }> => {
    const path = '/api/admin/moderate'
    const { statusCode, headers, body } = await injected(server, {
      method: 'POST',
      url: path,
      headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
      payload: JSON.stringify({ targetType: 'ENTRY', targetId: entry, action: 'HIDE', reason }),
    })
    const response = new Response(body, { status: statusCode, headers: fieldsOf(headers) })
    if (!response.ok) throw refusalOf(response, body, Date.now(), `POST ${path}`)
    const { targetId } = JSON.parse(body) as { targetId: string }
    return { entryId: targetId }
  }
}

/** Sends a request through the routes. After the server began to close, returns the answer NOT_READY. */
async function injected(
  server: Pick<HttpServer, 'inject'>,
  request: InjectedRequest,
  paid?: Decision,
): Promise<InjectedAnswer> {
  try {
    return await server.inject(request, paid)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const { status, headers, body } = problemAnswer(error, randomUUID())
    return { statusCode: status, headers, body }
  }
}

const fieldsOf = (headers: Record<string, unknown>): [string, string][] =>
  Object.entries(headers).map(([name, value]) => [name, String(value)])
