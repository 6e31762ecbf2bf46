import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { pipeline, type Readable } from 'node:stream'
import type { Problem } from '../contract/problem.ts'
import type { Awaitable } from '../database/database.ts'
import type { Decision } from '../domain/rate-limit.ts'
import type { Page } from '../web/page.ts'
import { targetOf } from '../web/target.ts'
import { PUBLIC_FIELDS, SECURITY_FIELDS } from './limits/transport.ts'

/** Answers the requests of some methods for a path. */
export type Route = {
  /** The name in metrics and in the log: that of the operation, if it is one. */
  name: string
  methods: readonly Method[]
  /** The path in the syntax of the contract: `{name}` is a parameter, and `*` at the end is any rest. */
  path: string
  /** The page for people that the route shows. */
  page?: Page
  /** Sends the answer, or throws the problem. */
  answer(exchange: Exchange): Awaitable<void>
  /** Sends the answer to a request that failed; by default it has the error shape. */
  refuse?(problem: Problem, exchange: Exchange): void
}
export type Method = 'GET' | 'HEAD' | 'POST' | 'DELETE'

/** Header fields of an answer, with names in lower case. */
export type Fields = Record<string, string>

/** The fields that remain when a refusal replaces an answer. */
const LASTING: ReadonlySet<string> = new Set([
  ...Object.keys(SECURITY_FIELDS),
  ...Object.keys(PUBLIC_FIELDS),
  'x-request-id',
  'connection',
  'ratelimit',
  'ratelimit-policy',
])

/** Called once per answer, with its status. `error` is set if it ended a stream of bytes too early. */
export type Report = (exchange: Exchange, status: number, error?: Error) => void

/** A request and its answer. The steps of the pipeline set fields of the answer; one of them sends it. */
export class Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly id: string = randomUUID()
  /** When the request arrived, in milliseconds of the monotonic clock. */
  readonly began: number = performance.now()
  /** The fields of the answer so far. */
  readonly fields: Fields
  /** Undefined until the request is routed, and for an unknown path. */
  route: Route | undefined
  /** The decoded values of the parameters in the path. */
  params: Record<string, string> = {}
  /** The parsed body of a POST; undefined without one. */
  body: unknown
  /** The charge of the message that this request belongs to. It pays for the reads of that message. */
  readonly paid: Decision | undefined
  readonly #report: Report

  constructor(request: IncomingMessage, response: ServerResponse, report: Report, paid?: Decision) {
    this.paid = paid
    this.request = request
    this.response = response
    this.#report = report
    this.fields = { ...SECURITY_FIELDS, 'x-request-id': this.id }
  }

  get headers(): IncomingHttpHeaders {
    return this.request.headers
  }

  get method(): string {
    return this.request.method ?? ''
  }

  /** The request target as it was sent. */
  get url(): string {
    return this.request.url ?? ''
  }

  /** The requested path, without the query. */
  get path(): string {
    return targetOf(this.url).path
  }

  /** Adds fields to the answer, or replaces them. */
  set(fields: Partial<Fields>): this {
    Object.assign(this.fields, fields)
    return this
  }

  /** Removes the fields of an answer that was prepared but not sent, except those that every answer to this request has. */
  dropFields(): void {
    for (const name in this.fields) if (!LASTING.has(name)) delete this.fields[name]
  }

  /** Sends the answer. A string has one character for each byte. Does nothing if an answer was sent already or the client has left. */
  send(status: number, body?: Buffer | string): void {
    if (this.#isOver()) return
    if (body !== undefined) this.fields['content-length'] = String(body.length)
    else if (status !== 204 && status !== 304 && this.method !== 'HEAD') this.fields['content-length'] = '0'
    this.response.writeHead(status, this.#pairs())
    if (typeof body === 'string') this.response.end(body, 'latin1')
    else this.response.end(body)
    this.#report(this, status)
  }

  /** Sends the bytes of `readable` as fast as the client reads them. Rejects if it fails before its first byte. */
  async stream(status: number, readable: Readable): Promise<void> {
    await once(readable, 'readable')
    if (this.#isOver()) {
      readable.destroy()
      return
    }
    this.response.writeHead(status, this.#pairs())
    pipeline(readable, this.response, error => {
      // A client that disconnects is not a fault. It received no complete answer, so none is reported.
      if (error?.code !== 'ERR_STREAM_PREMATURE_CLOSE') this.#report(this, status, error ?? undefined)
    })
  }

  #isOver(): boolean {
    return this.response.headersSent || this.response.destroyed
  }

  /** The fields as alternating names and values, which Node sends without a copy. */
  #pairs(): string[] {
    const pairs: string[] = []
    for (const name in this.fields) pairs.push(name, this.fields[name] as string)
    return pairs
  }
}
