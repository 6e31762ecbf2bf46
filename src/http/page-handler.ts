import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import { LIMITS } from '../contract/limits.ts'
import { OPERATIONS } from '../contract/operations.ts'
import type { Problem } from '../contract/problem.ts'
import type { EntryList } from '../contract/resources.ts'
import { type Answer, bodyOf, type Observed, type Reads } from '../operations/operation.ts'
import { READS, type ReadName } from '../operations/reads.ts'
import { layout } from '../web/layout.ts'
import type { Document, File, FixedPage, Page, PageRequest, Query, ReadPage, Redirect } from '../web/page.ts'
import { prefersJson } from '../web/prefers-json.ts'
import { problemPage, wordsOfAddress } from '../web/problem-page.ts'
import { targetOf } from '../web/target.ts'
import type { Admitted } from './admission.ts'
import { problemAnswer } from './errors.ts'
import { isKnown, type Made, madeOf, sendMade } from './made.ts'
import type { Observer, Visitor } from './observer.ts'

const HTML_TYPE = 'text/html; charset=utf-8'
const OWN_QUERY_CHARACTERS = 200

/** The content security policy of pages: files, scripts, forms and calls only of this service. */
export const PAGE_FIELDS = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  vary: 'Accept',
}

/** The operation that a page is admitted as; for free pages one that is not charged. */
export const admittedAs = (page: Page, url: string): ReadName =>
  page.as === undefined ? 'readHealth' : page.question !== undefined && asksLong(url) ? page.question : page.as

/** Whether the `q` of an address is too long for a search. */
function asksLong(url: string): boolean {
  const q = new URLSearchParams(targetOf(url).search).get('q') ?? ''
  return q.length > LIMITS.queryCharacters && [...q].length > LIMITS.queryCharacters
}

/** The parameters of a query that the operation of the page has, only the first of each name, without empty ones. */
export function searchFor(page: Page, url: string): string {
  const given = new URLSearchParams(targetOf(url).search)
  const known = new URLSearchParams()
  const names = page.as === undefined ? [] : admittedAs(page, url) === page.as ? (page.query ?? []) : ['q', 'tag']
  for (const name of names) {
    const value = given.get(name)
    if (value !== null && value !== '') known.set(name, value)
  }
  return known.toString()
}

const ownQuery = (page: ReadPage, url: string): Query => {
  const given = new URLSearchParams(targetOf(url).search)
  const values = (page.ownQuery ?? []).map(name => [name, given.get(name)] as const)
  return Object.fromEntries(
    values.filter(([, value]) => value).map(([name, value]) => [name, (value ?? '').slice(0, OWN_QUERY_CHARACTERS)]),
  )
}

type Parts = { config: Config; observer: Pick<Observer, 'note' | 'room'>; readsFor(visitor: Visitor): Reads }
type Show<P> = (page: P, admitted: Admitted, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>

/** Returns the function that answers an admitted request for a page. */
export function createPageHandler(parts: Parts): Show<Page> {
  const read = createReadPages(parts)
  const fixed = createFixedPages(parts)
  return (page, ...request) => (page.as === undefined ? fixed(page, ...request) : read(page, ...request))
}

/** Serves pages that read. A view is observed once, as the read that the page is admitted as. */
function createReadPages({ config, observer, readsFor }: Parts): Show<ReadPage> {
  return async (page, admitted, request, reply) => {
    const { at, origin, actor, params, query } = admitted
    const visitor = { actor, origin, userAgent: request.headers['user-agent'] ?? '', requestId: request.id, at }
    const reads = readsFor(visitor)
    let observed: Observed | undefined
    const url = request.raw.url ?? ''
    const answerOf = async (name: ReadName, of: PageRequest['params'], by: Query): Promise<Answer> => {
      const answer = await READS[name](reads, { params: of, query: by })
      if (name === admittedAs(page, url)) observed ??= answer.observed
      return answer
    }
    const asked: PageRequest = {
      params,
      query: { ...query, ...ownQuery(page, url) },
      path: targetOf(url).path,
      accept: request.headers.accept ?? '',
      config,
      requestId: request.id,
      body: request.body,
      reads,
      async read<B extends object>(name: ReadName, of = params, by: Query = {}): Promise<B> {
        return bodyOf(await answerOf(name, of, by)) as B
      },
      async search(by) {
        const answer = await answerOf('searchEntries', {}, by)
        return { list: bodyOf(answer) as EntryList, fit: answer.fit }
      },
    }
    await observer.room()
    const shown = await page.render(asked)
    // After a redirect the visitor is observed at the shown page.
    if ('location' in shown) return sendOn(shown, reply)
    const made = madeOf(textOf(shown, asked))
    if (observed !== undefined && !isKnown(made, request)) observer.note(visitor, observed)
    return sendMade(made, request, reply, statusOf(shown))
  }
}

/** Serves pages that read nothing. They are not charged, and each format of them is made once and cached. */
function createFixedPages({ config }: Pick<Parts, 'config'>): Show<FixedPage> {
  const kept = new Map<string, Made>()
  return async (page, { params }, request, reply) => {
    const accept = request.headers.accept ?? ''
    const form = page.formOf === undefined ? '' : page.formOf({ params, accept })
    const key = `${page.path} ${form}`
    const known = form === undefined ? undefined : kept.get(key)
    if (known !== undefined) return sendMade(known, request, reply)
    const shown = page.render({ params, accept, config })
    if ('location' in shown) return sendOn(shown, reply)
    const path = page.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '')
    const made = madeOf(textOf(shown, { config, path, query: {} }))
    if (form !== undefined) kept.set(key, made)
    return sendMade(made, request, reply)
  }
}

const sendOn = ({ location }: Redirect, reply: FastifyReply): FastifyReply =>
  reply.code(302).headers({ location, 'cache-control': 'no-store' }).send()

const statusOf = (shown: Document | File): number => ('status' in shown ? (shown.status ?? 200) : 200)

function textOf(shown: Document | File, { config, path, query }: Pick<PageRequest, 'config' | 'path' | 'query'>) {
  if ('type' in shown) return { ...shown, fields: { vary: 'Accept' } }
  const q = typeof query.q === 'string' ? query.q : ''
  return { type: HTML_TYPE, body: layout(shown, { config, path, q }), fields: PAGE_FIELDS }
}

/** Whether a failed request gets a page: it requests a page or an unknown path, and its client accepts HTML. Operations always answer in JSON. */
export function wantsPage(request: FastifyRequest): boolean {
  if ((request.routeOptions?.config?.name ?? '') in OPERATIONS) return false
  const { path } = targetOf(request.raw.url ?? '')
  const accept = request.headers.accept ?? ''
  const page = request.routeOptions?.config?.page
  if (page !== undefined) return page.method !== 'POST' && !prefersJson(accept) && !/\.[a-z]{2,5}$/.test(path)
  return (
    (request.method === 'GET' || request.method === 'HEAD') && accept.includes('text/html') && !/^\/+api/i.test(path)
  )
}

/** The answer to a problem as a page: the same status, code and fields. */
export function problemPageAnswer(problem: Problem, config: Config, request: FastifyRequest) {
  const { status, headers } = problemAnswer(problem, request.id)
  const { path } = targetOf(request.raw.url ?? '')
  const q = status === 404 ? wordsOfAddress(path) : ''
  const body = layout(problemPage(problem, request.id, q), { config, path, q })
  return { status, headers: { ...headers, ...PAGE_FIELDS, 'content-type': HTML_TYPE }, body }
}
