import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { Problem } from '../contract/problem.ts'
import { PROBLEMS } from '../contract/problems.ts'
import type { Store } from '../memory/store.ts'
import { assertWellFormed } from './connections.ts'
import { problemAnswer, problemOf } from './errors.ts'
import { type Arrival, allowOrigins, assertAllowedPage, Exchange, type Report, type Route } from './exchange.ts'
import { logFailure, logRequest, type Metrics } from './metrics.ts'
import type { Overload } from './overload.ts'
import { problemPageAnswer, wantsPage } from './pages.ts'
import type { Router } from './router.ts'

type Dependencies = {
  config: Config
  logger: Logger
  metrics: Metrics
  router: Router
  overload: Overload
  store: Pick<Store, 'noteRead'>
  isStopping: () => boolean
}

/** Answers every request: sheds load, finds the route, runs it, and converts errors to answers. */
export class Dispatcher {
  readonly #dependencies: Dependencies
  /** Whether the operator lists the names or the web pages that may call the service. */
  readonly #isRestricted: boolean

  constructor(dependencies: Dependencies) {
    const { allowedHosts, allowedOrigins } = dependencies.config
    this.#dependencies = dependencies
    this.#isRestricted = allowedHosts.length > 0 || allowedOrigins.length > 0
  }

  /** The server calls this for each connection. */
  readonly noteConnection = (): void => this.#dependencies.overload.noteConnection()

  /** The server calls this for each request of a connection. */
  readonly dispatch = (request: IncomingMessage, response: ServerResponse): void => {
    const { overload, metrics, store } = this.#dependencies
    // Other threads yield to reads.
    if (request.method === 'GET') store.noteRead()
    if (overload.admit(request, response)) void this.#answer(new Exchange(request, response, this.#report))
    else metrics.failed('OVERLOADED')
  }

  /** Answers a request that came from within the process or from the local socket. It is not shed. */
  readonly answer = (request: IncomingMessage, response: ServerResponse, arrival: Arrival): void => {
    void this.#answer(new Exchange(request, response, this.#report, arrival))
  }

  /** Answers a request that is not shed, in its turn. Never rejects. Requests of the network count as work in progress. */
  async #answer(exchange: Exchange): Promise<void> {
    const { overload } = this.#dependencies
    const { response, arrival } = exchange
    const isOfNetwork = arrival.channel === 'network'
    if (isOfNetwork) overload.begin()
    try {
      const route = this.#routeOf(exchange)
      const turn = route === undefined ? undefined : overload.turnOf(exchange)
      if (turn !== undefined) await turn
      // A client that left while its request waited needs no answer.
      if (route === undefined) exchange.send(204)
      else if (!response.destroyed) await route.answer(exchange)
    } catch (error) {
      this.#fail(error, exchange)
    }
    if (isOfNetwork) overload.endWith(response)
  }

  /** Finds the route of a request; undefined for OPTIONS. Throws the problem of a request that no route may answer. */
  #routeOf(exchange: Exchange): Route | undefined {
    const { config, router, isStopping } = this.#dependencies
    if (isStopping()) exchange.fields.connection = 'close'
    const found = router.find(exchange.method, exchange.url)
    exchange.route = found?.route
    assertWellFormed(exchange.request)
    if (this.#isRestricted && exchange.arrival.channel !== 'process') assertAllowedPage(exchange, config)
    if (allowOrigins(exchange, config)) return undefined
    if (found === undefined) throw new Problem('ROUTE_NOT_FOUND')
    exchange.params = found.params
    return found.route
  }

  #fail(error: unknown, exchange: Exchange): void {
    try {
      this.#refuse(error, exchange)
    } catch (fault) {
      this.#dependencies.logger.error({ err: fault }, 'an answer could not be sent')
      exchange.response.destroy()
    }
  }

  /** Answers a failed request: with `refuse` of its route, as a page if a person requested one, or in the error shape. */
  #refuse(error: unknown, exchange: Exchange): void {
    const { config, logger, metrics, overload } = this.#dependencies
    const problem = problemOf(error)
    metrics.failed(problem.code)
    // There can be thousands of refusals, so they are logged together.
    if (problem.code === 'OVERLOADED') overload.noteRefused()
    else if (PROBLEMS[problem.code].status === 503) logFailure(logger, error, problem.code, exchange)
    exchange.dropFields()
    const { route } = exchange
    if (route?.refuse !== undefined) {
      route.refuse(problem, exchange)
      return
    }
    const { status, headers, body } = wantsPage(exchange)
      ? problemPageAnswer(problem, config, exchange)
      : problemAnswer(problem, exchange.id)
    exchange.set(headers).send(status, Buffer.from(body))
  }

  readonly #report: Report = ({ began, id, request, route }, status, error) => {
    const { logger, metrics } = this.#dependencies
    if (error !== undefined) logger.warn({ requestId: id, err: error }, 'an answer ended before its last byte')
    const ms = performance.now() - began
    const operation = route?.name ?? null
    metrics.answered(operation ?? 'none', status, ms)
    logRequest(logger, { requestId: id, operation, status, ms }, request)
  }
}
