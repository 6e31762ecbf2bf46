import type { Config } from '../config.ts'
import type { EntryList } from '../contract/resources.ts'
import type { Fit, Reads } from '../operations/operation.ts'
import type { ReadName } from '../operations/reads.ts'
import type { Html } from './html.ts'

/** The query of a page as its operation's schema knows it; what the operation does not know stays text. */
export type Query = Record<string, string | number>

/** What a page is made from. */
export type PageRequest = {
  params: Record<string, string>
  /** The parameters of `query`, checked where the operation knows them. */
  query: Query
  /** The path as it was asked for, without the query. */
  path: string
  accept: string
  config: Config
  requestId: string
  /** The parsed JSON body of a POST. */
  body: unknown
  /**
   * Runs a read of the API and gives its body. What it observes counts only if it is the operation the page is admitted as, and once.
   * Throws its Problem.
   */
  read<B extends object>(name: ReadName, params?: Record<string, string>, query?: Query): Promise<B>
  /** Runs `searchEntries` as `read` does. `fit` says how well the list fits, which its body does not; it is missing where nothing was searched for. */
  search(query: Query): Promise<{ list: EntryList; fit: Fit | undefined }>
  /** What views of pages alone (`operations/views.ts`) work on. */
  reads: Reads
}

/** A page of HTML inside the frame. */
export type Document = {
  title: string
  body: Html
  /** One sentence for search engines and previews. */
  description?: string
  /** Whose part of the site it is, for the navigation: the path of a link there. */
  section?: string
  /** Feeds and other forms of the page, announced in its head. */
  alternates?: readonly Alternate[]
  /** Modules of `browser/`, by file name. */
  scripts?: readonly string[]
  status?: number
  /** Not to be kept by search engines. */
  unlisted?: boolean
  /** The page's lasting address as a path, where it has another one than it was asked by. */
  canonical?: string
}
export type Alternate = { type: string; href: string; title: string }

/** A response that is not a page of HTML. `immutable` is for files of the program alone: caches use them for a year without a request. */
export type File = { type: string; body: string; immutable?: boolean }
export type Redirect = { location: string }

type Shown = Document | File | Redirect

/** A page that reads. */
export type ReadPage = {
  /** The path in the contract's spelling; `{name}` is a parameter. */
  path: string
  method?: 'GET' | 'POST'
  /** The read of the API that a view is admitted, charged and observed as. */
  as: ReadName
  /** The read that takes its place where `q` is longer than a search takes; of the query it knows `q` and `tag`. */
  question?: ReadName
  /** The query parameters that the page knows; all others are ignored, and of a repeated one the first counts. */
  query?: readonly string[]
  /** Parameters of `query` that are the page's own, which the operation does not know. */
  ownQuery?: readonly string[]
  render(request: PageRequest): Promise<Shown> | Shown
}

/** What a page that reads nothing is made from. */
export type FixedRequest = Pick<PageRequest, 'params' | 'accept' | 'config'>

/** A page that reads nothing: free, like the guides, so that each form of it is made once per process. */
export type FixedPage = {
  path: string
  method?: 'GET'
  as?: undefined
  /** The name of the form that a request asks for, where there are several; undefined for an address that has none to keep. */
  formOf?(request: Omit<FixedRequest, 'config'>): string | undefined
  render(request: FixedRequest): Shown
}

export type Page = ReadPage | FixedPage
