import { ADMIN } from './admin.ts'
import { ASSETS } from './assets.ts'
import { HOME } from './home.ts'
import type { Page } from './page.ts'
import { PREVIEW_PAGE } from './preview.ts'
import { TAKE_PART } from './take-part.ts'

/** Every page once; routes are made from this table. */
export const PAGES: readonly Page[] = [HOME, PREVIEW_PAGE, ...TAKE_PART, ADMIN, ASSETS]
