import { TAG_PATTERN } from '../../contract/patterns.ts'
import type { Sort } from '../../contract/vocabulary.ts'
import type { Observed } from '../operation.ts'

const TAG = new RegExp(TAG_PATTERN, 'u')

/**
 * The observation of a search for the public feed. It never contains the words of the search. It contains the tag only if an entry can have
 * that tag, because other texts may be an address or a token of the caller.
 */
export const observedSearch = (resultCount: number, sort: Sort, tag = ''): Observed => ({
  action: 'SEARCH',
  entry: null,
  revision: null,
  metadata: { resultCount, tag: TAG.test(tag) ? tag : null, sort },
})
