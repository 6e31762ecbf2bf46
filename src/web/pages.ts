import { ACTIVITY, STATS } from './activity-pages.ts'
import { ASSETS, ICON_PAGES } from './assets.ts'
import { CRAWLERS } from './crawlers.ts'
import { API, ERROR, ERRORS } from './docs.ts'
import { CARD_PICTURE } from './entry/card.ts'
import { DIFF } from './entry/difference-page.ts'
import { ENTRY } from './entry/entry.ts'
import { EVIDENCE } from './entry/evidence.ts'
import { HISTORY, REVISION } from './entry/history.ts'
import { LAYERS } from './entry/layers.ts'
import { RELATIONS } from './entry/relations.ts'
import { FEED_PAGES } from './feeds.ts'
import { FOLLOWING } from './following.ts'
import { HOME } from './home.ts'
import { DECISIONS, MODERATION } from './moderation.ts'
import type { Page } from './page.ts'
import { SEARCH } from './search/search.ts'
import { TAG } from './search/tag.ts'
import { ACTOR, ADMIN, AGENTS, LOG } from './small-pages.ts'
import { PREVIEW_PAGE, TAKE_PART } from './take-part/pages.ts'

const ENTRIES: Page = { path: '/entries', render: () => ({ location: '/search' }) }

/** The history has the activity of an entry: an address like that of the operation leads there. */
const TIMELINE: Page = {
  path: '/entries/{slug}/timeline',
  render: ({ params: { slug = '' } }) => ({
    location: `/entries/${encodeURIComponent(slug)}/history`,
    permanent: true,
  }),
}

/** All pages. Routes are made from this table. */
export const PAGES: readonly Page[] = [
  HOME,
  SEARCH,
  TAG,
  FOLLOWING,
  ENTRIES,
  ENTRY,
  CARD_PICTURE,
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
  MODERATION,
  DECISIONS,
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
