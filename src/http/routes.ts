import type { Config } from '../config.ts'
import { OPERATIONS, type Operation, type OperationName } from '../contract/operations.ts'
import { Problem } from '../contract/problem.ts'
import type { Store } from '../memory/store.ts'
import { acceptedType } from '../web/accepted-type.ts'
import { JSON_TYPE } from '../web/page.ts'
import { PAGES } from '../web/pages.ts'
import { createGuides, type createSender, routeLog } from './documents.ts'
import type { Exchange, Route } from './exchange.ts'
import type { Metrics } from './metrics.ts'
import type { Observer } from './observer.ts'
import { admittedAs, createPageHandler, searchFor } from './pages.ts'
import { createRouter, READING, type Router } from './router.ts'
import type { Serving } from './serve.ts'

type Dependencies = {
  config: Config
  store: Store
  now: () => number
  serving: Serving
  metrics: Metrics
  observer: Observer
  sendDocument: ReturnType<typeof createSender>
  /** The keys of the witnesses of the public log, one per line. */
  witnesses: { keys: string } | undefined
}

/** The routes of all operations, guides and pages, from their tables, and those of the metrics and of the public log. */
export function createRoutes(dependencies: Dependencies): Router {
  const { config, store, now, serving, metrics, observer, sendDocument, witnesses } = dependencies
  const { original } = store
  const router = createRouter()
  routeOperations(router, serving)
  routeGuides(router, createGuides(config), sendDocument, now)
  routeMetrics(router, serving, metrics)
  routeLog(router, serving, store, witnesses?.keys)
  routePages(router, serving, createPageHandler({ config, original, observer, serving, sendDocument }))
  return router
}

function routeOperations(router: Router, serving: Serving): void {
  for (const [name, { method, path }] of Object.entries(OPERATIONS) as [OperationName, Operation][]) {
    const methods: Route['methods'] = method === 'GET' ? READING : ['POST']
    router.add({ name, methods, path, answer: exchange => serving.serve(name, exchange) })
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

/** The path of the status. Pages of other origins may not read it. */
const STATUS_PATH = '/admin/status'

/** Metrics and status are charged and checked like a read of the administrator's snapshot. A browser is sent to the console. */
function routeMetrics(router: Router, serving: Serving, metrics: Metrics): void {
  const run = async (_: unknown, exchange: Exchange): Promise<undefined> => {
    const { type, body } = await metrics.expose()
    exchange.set({ 'cache-control': 'no-store', 'content-type': type }).send(200, Buffer.from(body))
  }
  router.add({
    name: 'metrics',
    methods: READING,
    path: '/metrics',
    answer: exchange => serving.serve('readAdminSnapshot', exchange, { search: '', run }),
  })
  const runStatus = async (_: unknown, exchange: Exchange): Promise<undefined> => {
    const body = JSON.stringify({ findings: await metrics.findings() })
    exchange.set({ 'cache-control': 'no-store', 'content-type': JSON_TYPE }).send(200, Buffer.from(body))
  }
  router.add({
    name: 'status',
    methods: READING,
    path: STATUS_PATH,
    answer: exchange => {
      const { accept = '', authorization } = exchange.headers
      if (authorization === undefined && acceptedType(accept, ['application/json', 'text/html']) === 'text/html')
        return void exchange.set({ location: '/admin#status' }).send(303)
      return serving.serve('readAdminSnapshot', exchange, { search: '', run: runStatus })
    },
  })
}

function routePages(router: Router, serving: Serving, show: ReturnType<typeof createPageHandler>): void {
  for (const page of PAGES) {
    router.add({
      name: `page ${page.path}`,
      methods: page.method === 'POST' ? ['POST'] : READING,
      path: page.path,
      page,
      answer: exchange =>
        serving.serve(admittedAs(page, exchange.url), exchange, {
          search: searchFor(page, exchange.url),
          run: async (request, of) => {
            await show(page, request, of)
          },
        }),
    })
  }
}
