import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Context, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from '@opentelemetry/resources'
import { BatchSpanProcessor, type SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace'
import type { Logger } from 'pino'
import { Problem } from '../contract/problem.ts'
import { VERSION } from '../contract/version.ts'
import type { Store } from '../memory/store.ts'
import type { Arrival, Route } from './exchange.ts'
import { readTraceparent } from './metrics.ts'

/** The maximum number of spans that wait for the collector. Further ones are dropped. */
const WAITING_MAX = 2_048
/** Milliseconds between two exports, and the maximum for one with its retries. */
const EXPORT_INTERVAL_MS = 1_000
const EXPORT_TIMEOUT_MS = 5_000
/** The maximum time that a stop waits for the collector, in milliseconds. */
const FLUSH_MS = 1_000
/** The methods that a span names. Any other is `_OTHER` (semantic conventions for HTTP spans). */
const METHODS: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'DELETE',
  'OPTIONS',
  'PATCH',
  'TRACE',
  'CONNECT',
])

type TracingOptions = {
  /** The address of the collector, without the path of the traces. */
  endpoint: string
  /** Fields of each request to the collector. */
  headers: Record<string, string>
  logger: Logger
}

type Handler<A extends unknown[]> = (request: IncomingMessage, response: ServerResponse, ...rest: A) => void

/**
 * Sends a span for each request to an OpenTelemetry collector (OTLP over HTTP, JSON), with child spans for its commits and searches. A span
 * has the method, the route and the status; never a path, a text, an address or a token.
 */
export class Tracing {
  readonly #provider: TracerProvider
  readonly #tracer
  /** The span of the request that runs. */
  readonly #current = new AsyncLocalStorage<Span>()
  readonly #routes = new WeakMap<IncomingMessage, Route>()

  constructor({ endpoint, headers, logger }: TracingOptions) {
    const url = `${endpoint}/v1/traces`
    const exporter = new OTLPTraceExporter({ url, headers, timeoutMillis: EXPORT_TIMEOUT_MS, concurrencyLimit: 1 })
    const processor = new BatchSpanProcessor({
      exporter: reportingFaults(exporter, logger),
      maxQueueSize: WAITING_MAX,
      scheduledDelayMillis: EXPORT_INTERVAL_MS,
      exportTimeoutMillis: 2 * EXPORT_TIMEOUT_MS,
    })
    const own = resourceFromAttributes({ 'service.name': 'palimpsest', 'service.version': VERSION })
    const named = detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] })
    this.#provider = new TracerProvider({
      resource: defaultResource().merge(own).merge(named),
      spanProcessors: [processor],
    })
    this.#tracer = this.#provider.getTracer('palimpsest', VERSION)
  }

  /** Returns a handler that runs each request of `handle` in a span, which ends with the answer. */
  during<A extends [] | [Arrival]>(handle: Handler<A>): Handler<A> {
    return (request, response, ...rest) => {
      const method = METHODS.has(request.method ?? '') ? (request.method as string) : '_OTHER'
      const isInner = rest[0]?.channel === 'process'
      const attributes = { 'http.request.method': method }
      const kind = isInner ? SpanKind.INTERNAL : SpanKind.SERVER
      const span = this.#tracer.startSpan(method, { kind, attributes }, isInner ? this.#context() : contextOf(request))
      const end = (): void => {
        if (span.isRecording()) this.#end(span, method, request, response)
      }
      response.once('finish', end).once('close', end)
      this.#current.run(span, () => handle(request, response, ...rest))
    }
  }

  /** Notes the route of a request. */
  route(request: IncomingMessage, route: Route): void {
    this.#routes.set(request, route)
  }

  /** Adds a span to each commit and search that a request waits for. */
  follow(store: Store): void {
    const [write, search] = [store.write.bind(store), store.search.bind(store)]
    store.write = (name, ...rest) => this.#child(`commit ${name}`, () => write(name, ...rest))
    store.search = request => this.#child('search', () => search(request))
  }

  /** Sends the waiting spans, as far as the collector accepts them at once. */
  async close(): Promise<void> {
    const { promise: late, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, FLUSH_MS)
    await Promise.race([this.#provider.shutdown().catch(() => {}), late])
    clearTimeout(timer)
  }

  #context(): Context {
    const span = this.#current.getStore()
    return span === undefined ? ROOT_CONTEXT : trace.setSpan(ROOT_CONTEXT, span)
  }

  async #child<T>(name: string, run: () => Promise<T>): Promise<T> {
    if (this.#current.getStore() === undefined) return run()
    const span = this.#tracer.startSpan(name, {}, this.#context())
    try {
      return await run()
    } catch (error) {
      // A refusal is an answer to the caller, not a fault.
      if (!(error instanceof Problem)) span.setStatus({ code: SpanStatusCode.ERROR })
      throw error
    } finally {
      span.end()
    }
  }

  #end(span: Span, method: string, request: IncomingMessage, response: ServerResponse): void {
    const path = this.#routes.get(request)?.path
    if (path !== undefined) span.updateName(`${method} ${path}`).setAttribute('http.route', path)
    // A client that left before its answer began got no status.
    if (response.headersSent) span.setAttribute('http.response.status_code', response.statusCode)
    if (response.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
    span.end()
  }
}

/** The context of the caller's `traceparent`, whose trace the span continues; an empty one if it is missing or malformed. */
function contextOf({ headers }: IncomingMessage): Context {
  const parent = readTraceparent(headers.traceparent)
  if (parent === undefined) return ROOT_CONTEXT
  const { traceId, spanId, isSampled } = parent
  const traceFlags = isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true })
}

/** Logs when the collector begins to refuse spans, and when it accepts them again. */
function reportingFaults(exporter: SpanExporter, logger: Logger): SpanExporter {
  let isFailing = false
  return {
    export(spans, done) {
      exporter.export(spans, result => {
        const failed = result.error
        if (failed !== undefined && !isFailing)
          logger.warn({ reason: failed.message }, 'the collector of spans does not accept them; they are dropped')
        if (failed === undefined && isFailing) logger.info('the collector of spans accepts them again')
        isFailing = failed !== undefined
        done(result)
      })
    },
    shutdown: () => exporter.shutdown(),
  }
}
