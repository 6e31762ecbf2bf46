import { ASSETS } from './assets.ts'
import { HOME } from './home.ts'
import type { Page } from './page.ts'
import { PREVIEW_PAGE } from './preview.ts'

/** Every page once; routes are made from this table. */
export const PAGES: readonly Page[] = [HOME, PREVIEW_PAGE, ASSETS]
