import type { Config } from '../config.ts'
import { OPERATIONS, type Operation, type OperationName } from '../contract/operations.ts'
import { Problem } from '../contract/problem.ts'
import { andThen } from '../memory/encoded-json.ts'
import type { Store } from '../memory/store.ts'
import { PAGES } from '../web/pages.ts'
import { admitted, type createAdmission } from './admission.ts'
import { assertJsonBody } from './check.ts'
import { createGuides, type createSender, routeLog } from './documents.ts'
import type { Metrics } from './metrics.ts'
import type { Observer } from './observer.ts'
import { admittedAs, createPageHandler, searchFor } from './pages.ts'
import { createRouter, READING, type Router } from './router.ts'
import type { Handlers } from './serve.ts'

type Dependencies = {
  config: Config
  store: Store
  now: () => number
  admit: Admit
  handlers: Handlers
  metrics: Metrics
  observer: Observer
  sendDocument: ReturnType<typeof createSender>
  /** The keys of the witnesses of the public log, one per line. */
  witnesses: { keys: string } | undefined
}
type Admit = ReturnType<typeof createAdmission>

/** The routes of all operations, guides and pages, from their tables, and those of the metrics and of the public log. */
export function createRoutes(dependencies: Dependencies): Router {
  const { config, store, now, admit, handlers, metrics, observer, sendDocument, witnesses } = dependencies
  const { original } = store
  const router = createRouter()
  routeOperations(router, admit, handlers)
  routeGuides(router, createGuides(config), sendDocument, now)
  routeMetrics(router, admit, metrics)
  routeLog(router, admit, store, witnesses?.keys)
  routePages(router, admit, createPageHandler({ config, original, observer, handlers, sendDocument }))
  return router
}

function routeOperations(router: Router, admit: Admit, handlers: Handlers): void {
  for (const [name, { method, path }] of Object.entries(OPERATIONS) as [OperationName, Operation][]) {
    const answer = admitted(
      exchange => admit(name, exchange),
      (known, exchange) => handlers.answer(name, known, exchange),
    )
    router.add({ name, methods: method === 'GET' ? READING : ['POST'], path, answer })
  }
}

function routeGuides(
  router: Router,
  guides: ReturnType<typeof createGuides>,
  sendDocument: ReturnType<typeof createSender>,
  now: () => number,
): void {
  for (const [path, guide] of Object.entries(guides)) {
    router.add({
      name: path.slice(1),
      methods: READING,
      path,
      answer(exchange) {
        const made = guide(now())
        if (made === undefined) throw new Problem('ROUTE_NOT_FOUND')
        return sendDocument(made, exchange)
      },
    })
  }
}

/** The metrics are admitted like a read of the administrator's snapshot. */
function routeMetrics(router: Router, admit: Admit, metrics: Metrics): void {
  const answer = admitted(
    exchange => admit('readAdminSnapshot', exchange, ''),
    async (_known, exchange) => {
      const { type, body } = await metrics.expose()
      exchange.set({ 'cache-control': 'no-store', 'content-type': type }).send(200, Buffer.from(body))
    },
  )
  router.add({ name: 'metrics', methods: READING, path: '/metrics', answer })
}

function routePages(router: Router, admit: Admit, show: ReturnType<typeof createPageHandler>): void {
  for (const page of PAGES) {
    const posted = page.method === 'POST'
    const answer = admitted(
      exchange => {
        const search = searchFor(page, exchange.url)
        return andThen(admit(admittedAs(page, exchange.url), exchange, search), known => {
          if (posted) assertJsonBody(exchange.headers)
          return known
        })
      },
      (known, exchange) => {
        if (posted && exchange.body === undefined) throw new Problem('MALFORMED_JSON')
        return show(page, known, exchange)
      },
    )
    router.add({ name: `page ${page.path}`, methods: posted ? ['POST'] : READING, path: page.path, page, answer })
  }
}
