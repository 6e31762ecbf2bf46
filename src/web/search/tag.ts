import { LIMITS } from '../../contract/limits.ts'
import { Problem } from '../../contract/problem.ts'
import type { Entry } from '../../contract/resources.ts'
import { TAG_PATTERN } from '../../contract/schema.ts'
import type { State } from '../../contract/vocabulary.ts'
import { tagKey } from '../../memory/entries/rules.ts'
import { followButton } from '../following.ts'
import { html, words } from '../html.ts'
import type { Page } from '../page.ts'
import { many, tagPath, titleOf } from '../parts/components.ts'
import { Highlighter, resultRow, tagFeeds } from './search.ts'

/** The states of the entries that stand first, and the maximum number of entries in each. */
const DISPUTES: readonly State[] = ['CONTRADICTED', 'DISPUTED']
const DISPUTES_SHOWN = 5
/** Maximum number of entries, latest change first. The search lists the others. */
const ENTRIES_SHOWN = 20

const PATTERN = new RegExp(TAG_PATTERN, 'u')
const isTag = (text: string): boolean => PATTERN.test(text) && [...text].length <= LIMITS.tagCharacters
const UNMARKED = new Highlighter([])

/** The entries that have a tag: contradicted and disputed ones first, then all by their latest change; and the feeds of the tag. */
export const TAG: Page = {
  path: '/tags/{tag}',
  as: 'searchEntries',
  async render({ params: { tag = '' }, search, reads }) {
    const key = tagKey(tag)
    if (!isTag(tag) || key === '') throw new Problem('ROUTE_NOT_FOUND')
    const { list, facets } = await search({ tag, limit: ENTRIES_SHOWN }, {})
    const found = facets?.found ?? 0
    const inDispute = DISPUTES.filter(state => facets?.state.has(state))
    const lists = await Promise.all(inDispute.map(state => search({ tag, limit: DISPUTES_SHOWN }, { state })))
    const disputes = lists.flatMap(one => one.list.items)
    const all = `/search?tag=${encodeURIComponent(tag)}`
    const rows = (entries: readonly Entry[]) =>
      html`<ol class="results">${entries.map(entry => resultRow(entry, UNMARKED, reads.at))}</ol>`
    return {
      title: `Tagged ${titleOf(tag)}`,
      section: '/search',
      unlisted: found === 0,
      canonical: tagPath(tag),
      alternates: tagFeeds(tag),
      body: html`<h1>${words(tag)}</h1>
<p class="lead">${found === 0 ? 'No entry has this tag.' : html`${facets?.more && 'More than '}${many(found, 'entry has', 'entries have')} this tag.`}</p>
${isTag(key) && html`<p>${followButton('tag', key, { at: list.items[0]?.updatedAt ?? '' })}</p>`}
<p class="small">Feeds: ${tagFeeds(tag).map(({ href, name }, index) => html`${index > 0 && ' · '}<a href="${href}">${name}</a>`)}</p>
<div class="found">${disputes.length > 0 && html`<section><h2>In dispute</h2>${rows(disputes)}<p class="small">All that are ${inDispute.map((state, index) => html`${index > 0 && ', '}<a href="${all}&amp;state=${state}">${state.toLowerCase()}</a>`)}</p></section>`}
${list.items.length > 0 && html`<section><h2>Latest changes</h2>${rows(list.items)}</section>`}</div>
<p><a href="${all}">Search all entries with this tag</a></p>`,
    }
  },
}
