import type { Config } from '../config.ts'
import type { EntryList } from '../contract/resources.ts'
import type { Narrowing } from '../domain/find/facets.ts'
import type { Facets } from '../operations/entries/faceted-search.ts'
import type { ReadName, Reads } from '../operations/operation.ts'
import type { Fit } from '../operations/search.ts'
import type { Html } from './html.ts'

/** The query of a page, typed by the schema of its operation. Parameters that the operation does not have are texts. */
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
  requestId: string
  /** The parsed JSON body of a POST. */
  body: unknown
  /** The original server, if this server is a copy. */
  original: string | undefined
  /* * Runs a read of the API and returns its body. It is observed only once, and only if it is the operation that the page is admitted as.
   * Throws the Problem of the read.
   */
  read<B extends object>(name: ReadName, params?: Record<string, string>, query?: Query): Promise<B>
  /**
   * Runs `searchEntries` as `read` does, narrowed. `fit` says how well the list fits the query; it is undefined without a query. `facets`
   * are undefined beyond the first matches.
   */
  search(
    query: Query,
    narrowing: Narrowing,
  ): Promise<{ list: EntryList; fit: Fit | undefined; facets: Facets | undefined }>
  /** The input of views that only pages have (`operations/views.ts`). */
  reads: Reads
}

/** A page of HTML inside the frame. */
export type Document = {
  title: string
  body: Html
  /** One sentence for search engines and previews. */
  description?: string
  /** The path of its section, for the navigation. */
  section?: string
  /** Feeds and other formats of the page, announced in its head. */
  alternates?: readonly Alternate[]
  /** Modules of `browser/`, by file name. */
  scripts?: readonly string[]
  /** False if the page has scripts but needs no styles of forms. */
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

/** A response that is not a page of HTML. `immutable` is only for files of the program: caches use them for a year without a request. */
export type File = { type: string; body: string | Buffer; immutable?: boolean }
export type Redirect = { location: string }

type Shown = Document | File | Redirect

type EveryPage = {
  /** Its form writes. A mirror redirects to the same page of its original. */
  writes?: true
}

/** A page that reads. */
export type ReadPage = EveryPage & {
  /** The path in the syntax of the contract; `{name}` is a parameter. */
  path: string
  method?: 'GET' | 'POST'
  /** A view is admitted, charged and observed as this read of the API. */
  as: ReadName
  /** The read that replaces it if `q` is too long for a search. It gets `q` and `tag` of the query. */
  question?: ReadName
  /** The query parameters of the page. Others are ignored; of a repeated parameter the first counts. */
  query?: readonly string[]
  /** Parameters of `query` that only the page has, not the operation. */
  ownQuery?: readonly string[]
  render(request: PageRequest): Promise<Shown> | Shown
}

/** The input of a page that reads nothing. */
export type FixedRequest = Pick<PageRequest, 'params' | 'accept' | 'config'>

/** A page that reads nothing. It is not charged, and each format of it is made once per process. */
export type FixedPage = EveryPage & {
  path: string
  method?: 'GET'
  as?: undefined
  /** The name of the format that a request selects, if there are several; undefined for an address that is not cached. */
  formOf?(request: Omit<FixedRequest, 'config'>): string | undefined
  render(request: FixedRequest): Shown
}

export type Page = ReadPage | FixedPage
