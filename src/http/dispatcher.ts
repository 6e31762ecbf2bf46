import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { Problem } from '../contract/problem.ts'
import { PROBLEMS } from '../contract/problems.ts'
import type { Awaitable } from '../engine/database.ts'
import { andThen } from '../memory/encoded-json.ts'
import type { Decision } from '../memory/limits/rules.ts'
import type { Store } from '../memory/store.ts'
import { assertWellFormed } from './connections.ts'
import { problemAnswer, problemOf } from './errors.ts'
import { allowOrigins, assertAllowedPage, Exchange, type Report, UNCHARGED } from './exchange.ts'
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
  readonly #report: Report

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies
    this.#report = (exchange, status, error) => this.#reportAnswer(exchange, status, error)
  }

  /** The server calls this for each connection. */
  readonly noteConnection = (): void => this.#dependencies.overload.noteConnection()

  /** The server calls this for each request of a connection. */
  readonly dispatch = (request: IncomingMessage, response: ServerResponse): void => {
    const { overload, metrics, store } = this.#dependencies
    // Other threads yield to reads.
    if (request.method === 'GET') store.noteRead()
    if (!overload.admit(request, response)) {
      metrics.failed('OVERLOADED')
      return
    }
    if (this.#answer(request, response, true)) overload.noteWaiting(response)
  }

  /**
   * Answers a request that came from within the process or from the local socket. `paid` is a charge that pays for a read. Returns true if
   * the answer is not sent yet.
   */
  readonly answer = (request: IncomingMessage, response: ServerResponse, paid?: Decision): boolean =>
    this.#answer(request, response, paid === UNCHARGED, paid)

  /** Answers a request that is not shed. Returns true if the answer is not sent yet. */
  #answer(request: IncomingMessage, response: ServerResponse, isRemote: boolean, paid?: Decision): boolean {
    const exchange = new Exchange(request, response, this.#report, paid)
    try {
      const running = this.#run(exchange, isRemote)
      running?.catch(error => this.#fail(error, exchange))
      return running !== undefined
    } catch (error) {
      this.#fail(error, exchange)
      return false
    }
  }

  #run(exchange: Exchange, isRemote: boolean): Awaitable<void> {
    const { config, router, overload, isStopping } = this.#dependencies
    if (isStopping()) exchange.fields.connection = 'close'
    const found = router.find(exchange.method, exchange.url)
    exchange.route = found?.route
    assertWellFormed(exchange.request)
    if (isRemote) assertAllowedPage(exchange, config)
    if (allowOrigins(exchange, config)) return exchange.send(204)
    if (found === undefined) throw new Problem('ROUTE_NOT_FOUND')
    exchange.params = found.params
    const { route } = found
    // A client that left while its request waited needs no answer.
    const answer = (): Awaitable<void> => (exchange.response.destroyed ? undefined : route.answer(exchange))
    return andThen(overload.turnOf(exchange.request, exchange.began), answer)
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

  #reportAnswer({ began, id, request, route }: Exchange, status: number, error?: Error): void {
    const { logger, metrics } = this.#dependencies
    if (error !== undefined) logger.warn({ requestId: id, err: error }, 'an answer ended before its last byte')
    const ms = performance.now() - began
    const operation = route?.name ?? null
    metrics.answered(operation ?? 'none', status, ms)
    logRequest(logger, { requestId: id, operation, status, ms }, request)
  }
}
