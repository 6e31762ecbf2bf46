import { randomUUID } from 'node:crypto'
import cors, { type FastifyCorsOptions } from '@fastify/cors'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { LIMITS } from '../contract/limits.ts'
import { OPERATIONS, type Operation, type OperationName } from '../contract/operations.ts'
import { PROBLEMS, Problem } from '../contract/problems.ts'
import { READS, type ReadName, type WriteName } from '../operations/index.ts'
import type { Answer, Reads } from '../operations/operation.ts'
import type { Store, Terms } from '../operations/store.ts'
import type { OriginKeys } from '../store/origin.ts'
import { assertActor, claimOf, createAdminCheck } from './authenticate.ts'
import { assertJsonBody, parseJson } from './body.ts'
import { cacheFields, isUnchanged, nextLink } from './conditional.ts'
import { problemAnswer, problemOf } from './errors.ts'
import { GUIDES, guideAnswer } from './guides.ts'
import { createObserver, type Visitor } from './observer.ts'
import { createOriginKeys, dayOf, networkOf } from './origin.ts'
import { type Charge, createRateLimiter, type RateLimiter, rateLimitFields, type Verdict } from './rate-limit.ts'
import { listenForBadBytes, TIMEOUTS } from './transport.ts'
import { CHECKS } from './validate.ts'

export type ServerOptions = {
  config: Config
  store: Store
  logger: Logger
  now: () => number
  adminToken: string
  originKey: string
  limiter?: RateLimiter
}

/** What was found out about a request before its operation ran. */
type Seen = {
  name: OperationName
  at: number
  origin: OriginKeys
  actor: number | null
  charged: Verdict | undefined
  params: Record<string, string>
  query: Record<string, string | number>
}

const SECURITY_FIELDS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy':
    "default-src 'none'; style-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
}
const EXPOSED = [
  'ETag',
  'Link',
  'Location',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'WWW-Authenticate',
  'X-Request-Id',
]
const CORS_MAX_AGE = 86_400
/** How long a stop waits for requests under way, in milliseconds. */
const DRAIN = 8_000

/** Builds the HTTP face: every operation of the contract table and the guides. Listening is left to the caller. */
export async function createServer(options: ServerOptions) {
  const { config, store, logger, now } = options
  const limiter = options.limiter ?? createRateLimiter()
  const origins = createOriginKeys(options.originKey)
  const admin = createAdminCheck(options.adminToken)
  const terms = (at = now()): Terms => ({ at, cooldown: config.cooldownSeconds * 1_000, dataClass: 'EXTERNAL' })
  const observer = createObserver(store, limiter, terms, lost =>
    logger.warn({ lost }, 'observations were dropped: the store takes no writes'),
  )
  const seen = new WeakMap<FastifyRequest, Seen>()
  let stopping = false

  const app: FastifyInstance = Fastify({
    loggerInstance: logger as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: () => randomUUID(),
    bodyLimit: LIMITS.bodyBytes,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    ...TIMEOUTS,
    routerOptions: { maxParamLength: 20_000, ignoreTrailingSlash: false },
    frameworkErrors: (error, request, reply) => fail(error, request, reply as FastifyReply),
    clientErrorHandler: listenForBadBytes(logger),
  })

  const openDay = async (day: string): Promise<void> => origins.setSalt(day, await store.keep('openDay', day, terms()))
  const originOf = async (request: FastifyRequest, at: number): Promise<OriginKeys> => {
    const forwarded = request.headers['x-forwarded-for']
    const network = networkOf(
      request.socket.remoteAddress ?? '',
      Array.isArray(forwarded) ? forwarded.join(',') : forwarded,
      config.trustedProxies,
    )
    const day = dayOf(at)
    const known = origins.keysOf(network, day)
    if (known !== undefined) return known
    await openDay(day)
    const opened = origins.keysOf(network, day)
    if (opened === undefined) throw new Problem('NOT_READY', { retryAfter: 1 })
    return opened
  }

  function fail(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const problem = problemOf(error)
    if (PROBLEMS[problem.code].status === 503) {
      const level = problem.code === 'UNEXPECTED_FAULT' ? 'error' : 'warn'
      request.log[level]({ err: error, code: problem.code }, 'a request failed')
    }
    const answer = problemAnswer(problem, request.id)
    return reply
      .code(answer.status)
      .headers({ 'x-request-id': request.id, ...SECURITY_FIELDS, ...answer.headers })
      .send(answer.body)
  }

  /** Limit 429, token 401, path and query 400, type 415: everything that needs no body, in the order the contract promises. */
  async function admit(
    name: OperationName,
    operation: Operation,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    const at = now()
    const free = operation.cost === 'free'
    const forAdmin = operation.access === 'admin'
    const origin = free ? { id: '', day: '', networkKey: '' } : await originOf(request, at)
    const claim =
      free || forAdmin ? ({ kind: 'none' } as const) : await claimOf(store.reader, request.headers['x-actor-token'])
    let charged: Verdict | undefined
    if (!free) {
      // A failed bearer is charged as a write, so that guessing is slow.
      const writing = operation.cost === 'write' || (forAdmin && !admin.isAdmin(request.headers.authorization))
      charged = limiter.admit(chargesOf(config, writing, origin, claim.kind === 'actor' ? claim.number : null), at)
      reply.headers(rateLimitFields(charged.standings))
      if (!charged.admitted) throw new Problem('RATE_LIMITED', { retryAfter: charged.retryAfter })
    }
    if (forAdmin) admin.assertAdmin(request.headers.authorization)
    const actor = forAdmin ? null : assertActor(claim, operation.access === 'actor')
    const checks = CHECKS[name]
    const params = checks.params(request.params as Record<string, string>)
    const query = checks.query(searchOf(request.raw.url ?? ''))
    if (operation.body !== undefined) assertJsonBody(request.headers)
    seen.set(request, { name, at, origin, actor, charged, params, query })
  }

  const readsFor = (visitor: Visitor): Reads => ({
    reader: store.reader,
    search: store.search,
    readiness: () => (stopping ? { ready: false, status: 'stopping' } : store.readiness()),
    rates: {
      readPerMinute: config.readPerMinute,
      writePerMinute: config.writePerMinute,
      cooldownSeconds: config.cooldownSeconds,
    },
    keepObserved: async observed => {
      if (observed !== undefined) observer.note(visitor, observed)
      await observer.flush()
    },
  })

  async function read(name: ReadName, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { at, origin, actor, params, query } = seenOf(request)
    const visitor: Visitor = {
      actor,
      origin,
      userAgent: request.headers['user-agent'] ?? '',
      requestId: request.id,
      at,
    }
    const answer = await READS[name](readsFor(visitor), { params, query })
    const fields = cacheFields(answer, OPERATIONS[name])
    if (answer.etag !== undefined && isUnchanged(request.headers['if-none-match'], answer.etag)) {
      return reply.code(304).headers(fields).send()
    }
    if (answer.observed !== undefined) observer.note(visitor, answer.observed)
    if (answer.next !== undefined) reply.header('link', nextLink(request.raw.url ?? '', answer.next))
    return reply.code(200).headers(fields).type('application/json; charset=utf-8').send(JSON.stringify(answer.body))
  }

  async function write(name: WriteName, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { at, origin, actor, params, charged } = seenOf(request)
    // Without a body nothing was parsed.
    if (request.body === undefined) throw new Problem('MALFORMED_JSON')
    const body = CHECKS[name].body(request.body)
    observer.saveAdmissions().catch(() => {})
    let answer: Answer
    try {
      answer = await store.write(name, { params, body, caller: { requestId: request.id, actor, origin } }, terms(at))
    } catch (error) {
      if (error instanceof Problem && error.code === 'COOLDOWN' && charged !== undefined) {
        reply.headers(rateLimitFields(limiter.refund(charged, now())))
      }
      throw error
    }
    if (answer.location !== undefined) reply.header('location', answer.location)
    return reply
      .code(OPERATIONS[name].status)
      .headers(cacheFields(answer, OPERATIONS[name]))
      .type('application/json; charset=utf-8')
      .send(JSON.stringify(answer.body))
  }

  function seenOf(request: FastifyRequest): Seen {
    const known = seen.get(request)
    if (known === undefined) throw new Error('The request was not admitted.')
    return known
  }

  app.addHook('onRequest', async (request, reply) => {
    reply.headers({ 'x-request-id': request.id, ...SECURITY_FIELDS })
    if (stopping) reply.header('connection', 'close')
  })
  await app.register(
    cors,
    () => (request: FastifyRequest, answer: (error: Error | null, options: FastifyCorsOptions) => void) => {
      const hidden = request.raw.url?.startsWith('/api/admin/') === true
      answer(null, {
        origin: hidden ? false : '*',
        methods: ['GET', 'HEAD', 'POST'],
        allowedHeaders: ['Content-Type', 'X-Actor-Token', 'If-None-Match'],
        exposedHeaders: EXPOSED,
        maxAge: CORS_MAX_AGE,
        // A bare OPTIONS is answered like a preflight; the plugin would refuse it in a shape of its own.
        strictPreflight: false,
      })
    },
  )
  // An unknown path is told before its body is looked at, and to web pages too.
  app.addHook('onRequest', async request => {
    if (request.is404 && request.method !== 'OPTIONS') throw new Problem('ROUTE_NOT_FOUND')
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request: FastifyRequest, bytes: Buffer) =>
    parseJson(bytes),
  )
  app.setErrorHandler((error, request, reply) => fail(error, request, reply))
  app.setNotFoundHandler((request, reply) => fail(new Problem('ROUTE_NOT_FOUND'), request, reply))
  app.addHook('onResponse', async (request, reply) => {
    const known = seen.get(request)
    const fields = {
      operation: known?.name ?? request.routeOptions.config.name ?? null,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
    }
    request.log.info(fields, 'request')
  })

  for (const [name, operation] of Object.entries(OPERATIONS) as [OperationName, Operation][]) {
    const run = name in READS ? read.bind(undefined, name as ReadName) : write.bind(undefined, name as WriteName)
    app.route({
      method: operation.method === 'GET' ? ['GET', 'HEAD'] : 'POST',
      url: operation.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      config: { name },
      onRequest: (request, reply) => admit(name, operation, request, reply),
      handler: (request, reply) => run(request, reply),
    })
  }
  for (const [path, guide] of Object.entries(GUIDES)) {
    app.route({
      method: ['GET', 'HEAD'],
      url: path,
      config: { name: path.slice(1) },
      handler: (request, reply) => guideAnswer(guide, config, request, reply),
    })
  }
  await openDay(dayOf(now()))
  return {
    app,
    observer,
    limiter,
    openDay,
    terms,
    /** Takes no new connections, lets what is under way end, keeps what was observed. */
    async stop(): Promise<void> {
      stopping = true
      const patience = setTimeout(() => app.server.closeAllConnections(), DRAIN)
      await app.close()
      clearTimeout(patience)
      await observer.close()
    },
  }
}

declare module 'fastify' {
  interface FastifyContextConfig {
    name?: string
  }
}

function chargesOf(config: Config, writing: boolean, origin: OriginKeys, actor: number | null): Charge[] {
  const kind = writing ? 'write' : 'read'
  const quota = writing ? config.writePerMinute : config.readPerMinute
  const charges = [{ policy: `${kind}-origin`, key: `${kind}-origin:${origin.networkKey}`, quota }]
  if (actor !== null) charges.push({ policy: `${kind}-token`, key: `${kind}-token:${actor}`, quota })
  return charges
}

const searchOf = (url: string): string => {
  const mark = url.indexOf('?')
  return mark < 0 ? '' : url.slice(mark + 1)
}
