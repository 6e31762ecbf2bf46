import type { Activity, Relation } from '../../contract/resources.ts'
import { type Heading, readHeadings } from '../../memory/entries/views.ts'
import type { Reads } from '../../memory/operation.ts'
import { relationWords } from '../entry/head.ts'
import { type Html, html, words } from '../html.ts'
import { badge, byName, moment, RESULT_WORDS, sureWords } from './components.ts'
import { standingStrip } from './evidence-summary.ts'

/** The word and the CSS class of each action. */
const ACTION_WORDS: Record<Activity['action'], readonly [string, string]> = {
  READ: ['read', 'quiet'],
  SEARCH: ['searched', 'quiet'],
  CREATE: ['published', 'written'],
  EXPAND: ['expanded', 'written'],
  CORRECT: ['corrected', 'written'],
  SYNTHESIZE: ['synthesized', 'written'],
  VERIFY: ['verified', 'judged'],
  CONTRADICT: ['contradicted', 'bad'],
  CONNECT: ['related', 'related'],
}

/** Whether one actor caused all rows of a page. The rows then do not repeat it. */
export type Shared = { byOneActor?: true }

/** Rows of the feed, newest first, with the titles of their entries. */
export async function activityRows(
  reads: Pick<Reads, 'reader' | 'at'>,
  items: readonly Activity[],
  shared: Shared = {},
): Promise<Html> {
  const targets = items.map(({ metadata }) => ({ entryId: (metadata as Metadata).targetEntryId }))
  const names = await readHeadings(reads, [...items, ...targets])
  return html`<ol class="rows">${items.map(item => activityRow(item, names, reads.at, shared))}</ol>`
}

/** The badge of a row: its action, or the result of a verification. */
function actionBadge({ action, metadata }: Activity): Html {
  const { result } = metadata as Metadata
  const [name, tone] = RESULT_WORDS[(action === 'VERIFY' && result) || ''] ?? ACTION_WORDS[action]
  return badge(name.toLowerCase(), tone)
}

function activityRow(item: Activity, names: Map<string, Heading>, at: number, { byOneActor }: Shared): Html {
  const other = item.entryId === null ? undefined : names.get(item.entryId)
  return html`<li data-row="${item.id}"><span class="at">${moment(item.timestamp, at)}</span> <span class="what">${actionBadge(item)} ${other && entryLink(other, at)}${detailOf(item, names, at)}</span>${!byOneActor && html` <span class="who">${byName(item.actorName, item.actorId)}</span>`}</li>`
}

const entryLink = (entry: Heading, at: number): Html =>
  html`<a href="/entries/${entry.slug}">${words(entry.title)}</a> ${standingStrip(entry, at)}`

type Metadata = {
  result?: string | null
  confidence?: number | null
  targetEntryId?: string | null
  relationType?: Relation['relationType'] | null
  resultCount?: number
  tag?: string | null
}

function detailOf({ action, metadata }: Activity, names: Map<string, Heading>, at: number): Html | undefined {
  const { targetEntryId, relationType, resultCount, tag, confidence } = metadata as Metadata
  if (action === 'VERIFY') return html` <span class="small">${sureWords(confidence ?? 0)}</span>`
  if (action === 'SEARCH')
    return html`<span class="small">${resultCount ?? 0} found${tag != null && html`, tag ${words(tag)}`}</span>`
  const target = targetEntryId == null ? undefined : names.get(targetEntryId)
  if (action === 'CONNECT' && target !== undefined) {
    return html` <span class="small">${relationType != null && relationWords(relationType, 'out')}</span> ${entryLink(target, at)}`
  }
  return undefined
}
