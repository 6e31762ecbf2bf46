import type { Config } from '../config.ts'
import type { EntryList } from '../contract/resources.ts'
import type { Narrowing } from '../find/rules/facets.ts'
import type { Facets } from '../memory/entries/search.ts'
import type { ReadName, Reads } from '../memory/operation.ts'
import type { Fit } from '../memory/searching.ts'
import type { Html } from './html.ts'

/** Values of Content-Type. All texts are UTF-8. */
export const HTML_TYPE = 'text/html; charset=utf-8'
export const JSON_TYPE = 'application/json; charset=utf-8'
export const MARKDOWN_TYPE = 'text/markdown; charset=utf-8'
export const TEXT_TYPE = 'text/plain; charset=utf-8'

/** The query of a page, typed by the schema of its operation. Parameters that the operation does not define are texts. */
export type Query = Record<string, string | number>

/** The input of a page. */
export type PageRequest = {
  params: Record<string, string>
  /** The parameters of `query`, validated if the operation has them. */
  query: Query
  /** The requested path, without the query. */
  path: string
  accept: string
  config: Config
  /** The parsed JSON body of a POST. */
  body: unknown
  /** The original server, if this server is a copy. */
  original: string | undefined
  /**
   * Runs a read of the API and returns its body. The read is observed only once, and only if it is the operation that the page is admitted
   * as. Throws the Problem of the read.
   */
  read<B extends object>(name: ReadName, params?: Record<string, string>, query?: Query): Promise<B>
  /**
   * Runs `searchEntries` like `read`, with the given narrowing. `fit` says how well the list fits the query; it is undefined without a
   * query. `facets` are undefined beyond the first matches.
   */
  search(
    query: Query,
    narrowing: Narrowing,
  ): Promise<{ list: EntryList; fit: Fit | undefined; facets: Facets | undefined }>
  /** The data of views that only pages have (`operations/views.ts`). */
  reads: Reads
}

/** An HTML page that is rendered in the page layout. */
export type Document = {
  title: string
  body: Html
  /** One sentence for search engines and previews. */
  description?: string
  /** The path of the section of the page, for the navigation. */
  section?: string
  /** The path of the picture of the link card, if the page has its own. */
  card?: string
  /** Feeds and other formats of the page, announced in its head. */
  alternates?: readonly Alternate[]
  /** Modules of `browser/`, by file name. */
  scripts?: readonly string[]
  /** False if the page has scripts but does not need the styles of forms. */
  forms?: false
  status?: number
  /** Search engines shall not index the page. */
  unlisted?: boolean
  /** The permanent path of the page, if it differs from the requested one. */
  canonical?: string
  /** The page as linked data, for search engines. */
  data?: object
}
export type Alternate = { type: string; href: string; title: string }

/** A response other than an HTML page. `immutable` is only for files of the program: caches use them for a year without revalidation. */
export type File = { type: string; body: string | Buffer; immutable?: boolean }
/** A permanent redirect has the status 308, another 302. */
export type Redirect = { location: string; permanent?: true }

type Shown = Document | File | Redirect

type EveryPage = {
  /** The page needs rows that only the original has, or its form writes. A mirror redirects to the same page of its original. */
  writes?: true
}

/** A page that reads. */
export type ReadPage = EveryPage & {
  /** The path in the syntax of the contract; `{name}` is a parameter. */
  path: string
  method?: 'GET' | 'POST'
  /** A view is admitted, charged and observed as this read of the API. */
  as: ReadName
  /** The read that replaces `as` if `q` is too long for a search. It receives `q` and `tag` of the query. */
  question?: ReadName
  /** The query parameters of the page. Other parameters are ignored; of a repeated parameter, the first value is used. */
  query?: readonly string[]
  /** Parameters of `query` that the page defines and the operation does not. */
  ownQuery?: readonly string[]
  render(request: PageRequest): Promise<Shown> | Shown
}

/** The input of a page that reads nothing. */
type FixedRequest = Pick<PageRequest, 'params' | 'accept' | 'config'>

/** A page that reads nothing. Requests for it are not charged, and each format of it is rendered once per process. */
export type FixedPage = EveryPage & {
  path: string
  method?: 'GET'
  as?: undefined
  /** The name of the format that a request selects, if the page has several; undefined for an address that is not cached. */
  formOf?(request: Omit<FixedRequest, 'config'>): string | undefined
  render(request: FixedRequest): Shown
}

export type Page = ReadPage | FixedPage
