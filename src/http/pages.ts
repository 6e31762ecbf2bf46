import type { Config } from '../config.ts'
import { LIMITS } from '../contract/limits.ts'
import { OPERATIONS } from '../contract/operations.ts'
import { Problem } from '../contract/problem.ts'
import type { EntryList } from '../contract/resources.ts'
import { searchFaceted } from '../memory/entries/search.ts'
import { readWithdrawal } from '../memory/entries/views.ts'
import { type Answer, bodyOf, type Observed, type ReadName } from '../memory/operation.ts'
import { READS_BY_NAME } from '../memory/run.ts'
import { acceptedType } from '../web/accepted-type.ts'
import { layout } from '../web/layout.ts'
import {
  type Document,
  type File,
  type FixedPage,
  HTML_TYPE,
  type Page,
  type PageRequest,
  type Query,
  type ReadPage,
  type Redirect,
} from '../web/page.ts'
import { type Leads, nearestFirst, problemPage, wordsOfAddress } from '../web/problem-page.ts'
import type { Admitted } from './check.ts'
import { createDocument, type createSender, isCurrent, type StaticDocument } from './documents.ts'
import { type Exchange, problemAnswer } from './exchange.ts'
import type { Observer } from './observer.ts'
import { addLicense, type Serving } from './serve.ts'
import { pageCacheFields, sharedCacheOf } from './shared-caches.ts'

const HTML_MEDIA = 'text/html'
const JSON_MEDIA = 'application/json'
const PAGE_QUERY_CHARACTERS = 500
/** Entries that the page of a problem proposes. */
const LEADS = 5
const LEADS_LOOKED_AT = 20

/** The content security policy of pages: files, scripts, forms and calls only of this service. */
export const PAGE_FIELDS = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; font-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  vary: 'Origin, Accept',
}

const OVER_TLS = { ...PAGE_FIELDS, 'strict-transport-security': 'max-age=31536000' }

/** The fields of a page. If PUBLIC_URL is https, browsers open the service only by https for a year (RFC 6797). */
const fieldsOf = ({ publicUrl }: Pick<Config, 'publicUrl'>): Record<string, string> =>
  publicUrl?.startsWith('https:') ? OVER_TLS : PAGE_FIELDS

/** The operation that a page is admitted as; for free pages one that is not charged. */
export const admittedAs = (page: Page, search: string): ReadName =>
  page.as === undefined ? 'readHealth' : page.question !== undefined && asksLong(search) ? page.question : page.as

/** Whether the `q` of a query is too long for a search. */
function asksLong(search: string): boolean {
  const q = new URLSearchParams(search).get('q') ?? ''
  return q.length > LIMITS.queryCharacters && [...q].length > LIMITS.queryCharacters
}

/** The parameters of a query that the operation of the page has, only the first of each name, without empty ones. */
export function searchFor(page: Page, search: string): string {
  const given = new URLSearchParams(search)
  const known = new URLSearchParams()
  const names = page.as === undefined ? [] : admittedAs(page, search) === page.as ? (page.query ?? []) : ['q', 'tag']
  for (const name of names) {
    const value = given.get(name)
    if (value !== null && value !== '') known.set(name, value)
  }
  return known.toString()
}

const pageQuery = (page: ReadPage, search: string): Query => {
  const given = new URLSearchParams(search)
  const query: Query = {}
  for (const name of page.ownQuery ?? []) {
    const value = given.get(name)
    if (value) query[name] = value.slice(0, PAGE_QUERY_CHARACTERS)
  }
  return query
}

type Dependencies = {
  config: Config
  /** The original server, if this server is a copy. */
  original: string | undefined
  observer: Pick<Observer, 'note' | 'room'>
  serving: Pick<Serving, 'readsFor'>
  sendDocument: ReturnType<typeof createSender>
}
type Show<P> = (page: P, admitted: Admitted, exchange: Exchange) => Promise<void>

/** Returns the function that answers an admitted request for a page. */
export function createPageHandler(dependencies: Dependencies): Show<Page> {
  const { original } = dependencies
  const read = createReadPages(dependencies)
  const fixed = createFixedPages(dependencies)
  return async (page, admitted, exchange) => {
    // A mirror accepts no writes, and a page may send requests to its own server only.
    if (page.writes && original !== undefined) return redirect({ location: `${original}${exchange.address}` }, exchange)
    return page.as === undefined ? fixed(page, admitted, exchange) : read(page, admitted, exchange)
  }
}

/** Serves pages that read. A view is observed once, as the read that the page is admitted as. */
function createReadPages({ config, original, observer, serving, sendDocument }: Dependencies): Show<ReadPage> {
  return async (page, admitted, exchange) => {
    const { caller, params, query } = admitted
    const reads = serving.readsFor(caller)
    let observed: Observed | undefined
    const { search } = exchange
    const answerOf = async (name: ReadName, of: PageRequest['params'], by: Query): Promise<Answer> => {
      const answer = await READS_BY_NAME[name](reads, { params: of, query: by })
      if (name === admittedAs(page, search)) observed ??= answer.observed
      return answer
    }
    const asked: PageRequest = {
      params,
      query: { ...query, ...pageQuery(page, search) },
      path: exchange.path,
      accept: exchange.headers.accept ?? '',
      config,
      body: exchange.body,
      original,
      reads,
      async read<B extends object>(name: ReadName, of = params, by: Query = {}): Promise<B> {
        return bodyOf(await answerOf(name, of, by)) as B
      },
      async search(by, narrowing) {
        const { answer, facets } = await searchFaceted(reads, by, narrowing)
        observed ??= answer.observed
        return { list: bodyOf(answer) as EntryList, fit: answer.fit, facets }
      },
    }
    await observer.room()
    const shown = await showOrLeadOn(page, asked, exchange)
    // After a redirect the visitor is observed at the shown page.
    if ('location' in shown) return redirect(shown, exchange)
    const made = createDocument(textOf(shown, asked))
    if (statusOf(shown) === 200) {
      const shared = sharedCacheOf(config, exchange.request, admittedAs(page, search), params)
      Object.assign(made.fields, pageCacheFields(observed === undefined ? {} : { observed }, shared))
      addLicense(made.fields, config)
    }
    if (observed !== undefined && !isCurrent(made, exchange)) observer.note(caller, observed)
    return sendDocument(made, exchange, statusOf(shown))
  }
}

/** A problem of a page that reads, with the entries that its page proposes. */
class LeadingProblem extends Problem {
  readonly leads: Leads

  constructor({ code, detail }: Problem, leads: Leads) {
    super(code, detail)
    this.leads = leads
  }
}

/** Renders a page. Adds proposals to the problem page of a missing entry, as part of the charged read. */
async function showOrLeadOn(page: ReadPage, asked: PageRequest, exchange: Exchange) {
  try {
    return await page.render(asked)
  } catch (error) {
    if (!(error instanceof Problem) || !wantsPage(exchange)) throw error
    throw new LeadingProblem(error, await leadsFor(error.code, asked))
  }
}

/** Entries with the words of a missing address, or the withdrawal of the entry. Nothing if the store cannot be read. */
async function leadsFor(code: Problem['code'], { path, params, read, reads }: PageRequest): Promise<Leads> {
  const { at } = reads
  const q = code === 'ENTRY_NOT_FOUND' ? wordsOfAddress(path) : ''
  try {
    if (code === 'ENTRY_WITHDRAWN') return { items: [], withdrawal: await readWithdrawal(reads, params.slug ?? ''), at }
    if (q === '') return { items: [], at }
    const { items } = await read<EntryList>('searchEntries', {}, { limit: LEADS_LOOKED_AT, q, sort: 'relevance' })
    return { items: nearestFirst(q, items).slice(0, LEADS), at }
  } catch {
    return { items: [], at }
  }
}

/** Serves pages that read nothing. They are not charged, and each format of them is made once and cached. */
function createFixedPages({ config, sendDocument }: Pick<Dependencies, 'config' | 'sendDocument'>): Show<FixedPage> {
  const kept = new Map<string, StaticDocument>()
  return async (page, { params }, exchange) => {
    const accept = exchange.headers.accept ?? ''
    const form = page.formOf === undefined ? '' : page.formOf({ params, accept })
    const key = `${page.path} ${form}`
    const known = form === undefined ? undefined : kept.get(key)
    if (known !== undefined) return sendDocument(known, exchange)
    const shown = page.render({ params, accept, config })
    if ('location' in shown) return redirect(shown, exchange)
    const path = page.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] as string)
    const made = createDocument(textOf(shown, { config, path, query: {} }))
    if (form !== undefined) kept.set(key, made)
    return sendDocument(made, exchange)
  }
}

const redirect = ({ location, permanent }: Redirect, exchange: Exchange): void =>
  exchange.set({ location, 'cache-control': 'no-store' }).send(permanent ? 308 : 302)

const statusOf = (shown: Document | File): number => ('type' in shown ? 200 : (shown.status ?? 200))

function textOf(shown: Document | File, { config, path, query }: Pick<PageRequest, 'config' | 'path' | 'query'>) {
  if ('type' in shown) return { ...shown, fields: { vary: 'Origin, Accept' } }
  const q = typeof query.q === 'string' ? query.q : ''
  return { type: HTML_TYPE, body: layout(shown, { config, path, q }), fields: fieldsOf(config) }
}

/** Whether a failed request gets a page: its path is a page or unknown, and its client accepts HTML. Operations answer in JSON. */
export function wantsPage({ route, path, method, headers }: Exchange): boolean {
  if ((route?.name ?? '') in OPERATIONS) return false
  const accept = headers.accept ?? ''
  const page = route?.page
  if (page !== undefined) {
    return (
      page.method !== 'POST' &&
      acceptedType(accept, [HTML_MEDIA, JSON_MEDIA]) === HTML_MEDIA &&
      !/\.[a-z]{2,5}$/.test(path)
    )
  }
  if ((method !== 'GET' && method !== 'HEAD') || /^\/+api/i.test(path)) return false
  return acceptedType(accept, [JSON_MEDIA, HTML_MEDIA]) === HTML_MEDIA
}

/** The answer to a problem as a page: the same status, code and fields. */
export function problemPageAnswer(problem: Problem, config: Config, { id, path }: Exchange) {
  const { status, headers } = problemAnswer(problem, id)
  const q = status === 404 ? wordsOfAddress(path) : ''
  const leads = problem instanceof LeadingProblem ? problem.leads : { items: [], at: 0 }
  const body = layout(problemPage(problem, id, { q, leads }), { config, path, q })
  return { status, headers: { ...headers, ...fieldsOf(config), 'content-type': HTML_TYPE }, body }
}
