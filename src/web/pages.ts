import { ACTIVITY, STATS, TIMELINE } from './activity-pages.ts'
import { ACTOR } from './actor.ts'
import { ADMIN } from './admin.ts'
import { AGENTS } from './agents.ts'
import { ASSETS, ICON_PAGES } from './assets.ts'
import { CRAWLERS } from './crawlers.ts'
import { DIFF } from './difference-page.ts'
import { API, ERROR, ERRORS } from './docs.ts'
import { ENTRY } from './entry.ts'
import { EVIDENCE } from './evidence.ts'
import { FEED_PAGES } from './feeds.ts'
import { HISTORY, REVISION } from './history.ts'
import { HOME } from './home.ts'
import { LAYERS } from './layers.ts'
import { LOG } from './log.ts'
import type { Page } from './page.ts'
import { PREVIEW_PAGE } from './preview.ts'
import { RELATIONS } from './relations.ts'
import { SEARCH } from './search.ts'
import { TAKE_PART } from './take-part.ts'

const ENTRIES: Page = { path: '/entries', render: () => ({ location: '/search' }) }

/** All pages. Routes are made from this table. */
export const PAGES: readonly Page[] = [
  HOME,
  SEARCH,
  ENTRIES,
  ENTRY,
  LAYERS,
  HISTORY,
  REVISION,
  DIFF,
  EVIDENCE,
  RELATIONS,
  TIMELINE,
  ACTIVITY,
  ACTOR,
  STATS,
  LOG,
  AGENTS,
  API,
  ERRORS,
  ERROR,
  ...FEED_PAGES,
  ...CRAWLERS,
  PREVIEW_PAGE,
  ...TAKE_PART,
  ADMIN,
  ASSETS,
  ...ICON_PAGES,
]
