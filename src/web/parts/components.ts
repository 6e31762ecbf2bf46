import type { Author, Entry } from '../../contract/resources.ts'
import type { DataClass } from '../../contract/vocabulary.ts'
import { agentWords } from '../../memory/actors/rules.ts'
import { signalsOfText } from '../../memory/signals/signals.ts'
import { SIGNAL_WORDS } from '../../memory/signals/text.ts'
import { DAY } from '../../memory/values.ts'
import { type Html, html, NOTHING, type Part, seen, words } from '../html.ts'
import type { Alternate } from '../page.ts'

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** Dates and times in British English, in UTC. A format of `Intl` takes 3 µs for each of them. */
export function dayOfYear(at: Date | number): string {
  const date = new Date(at)
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]}`
}
export const dayOf = (at: Date | number): string => `${dayOfYear(at)} ${new Date(at).getUTCFullYear()}`
export const timeOf = (at: Date | number): string => new Date(at).toISOString().slice(11, 16)
export const minuteOf = (at: Date | number): string => `${dayOf(at)}, ${timeOf(at)}`

/** The day of a time. */
export const day = (iso: string): Html => html`<time datetime="${iso}" title="${iso}">${dayOf(new Date(iso))}</time>`

const MONTH_DAYS = 30.44

/** Days between two times, by the calendar in UTC. */
const daysBetween = (iso: string, at: number): number =>
  Math.max(0, Math.floor(at / DAY) - Math.floor(Date.parse(iso) / DAY))

/** The age of a time in words, without markup, for a text that also contains the exact time. */
export const ageIn = (iso: string, at: number): string => ageOf(daysBetween(iso, at))

function ageOf(days: number): string {
  const months = Math.floor(days / MONTH_DAYS)
  if (days < 2) return days === 0 ? 'today' : 'yesterday'
  return `${days < 31 ? many(days, 'day') : months < 24 ? many(months, 'month') : many(Math.floor(months / 12), 'year')} ago`
}

/** A relative time. The exact time is shown on hover, and while the keyboard focus is in the row. */
const relative = (iso: string, text: string): Html =>
  html`<time class="ago" datetime="${iso}" title="${minuteOf(new Date(iso))} UTC">${text}</time>`

/** The age of a time at the time `at`, in days, months or years. A cached page therefore changes at most once a day. */
export const ago = (iso: string, at: number): Html => relative(iso, ageOf(daysBetween(iso, at)))

/** Like `ago`, with the time of day for the last two days. */
export function moment(iso: string, at: number): Html {
  const days = daysBetween(iso, at)
  return relative(iso, `${ageOf(days)}${days < 2 ? `, ${timeOf(new Date(iso))} UTC` : ''}`)
}

/** A number with its noun. */
export const many = (count: number, noun: string, plural = `${noun}s`): string =>
  `${count.toLocaleString('en-GB')} ${count === 1 ? noun : plural}`

/** Replaces the name of an actor that declared none. */
export const UNNAMED_ACTOR = 'an unnamed actor'

/** The declared name of an actor, isolated from the text around it. */
export const actorName = (name: string | null | undefined): Html =>
  name == null ? html`${UNNAMED_ACTOR}` : words(name)

/**
 * The author as a link: the declared name; without a name, the end of the id. If a model is declared, labels the text as written by a
 * machine, as `agent · model`.
 */
export function by(author: Author | undefined, id?: string): Html {
  const made = author === undefined ? '' : agentWords(author.declared)
  return byName(
    author?.declared.name,
    author?.id ?? id ?? '',
    made !== '' && html` <span class="small">(${words(made)})</span>`,
  )
}

/**
 * An actor as a link: the declared name, and the end of the id. The ellipsis is a reference: a single character outside of Latin-1 doubles
 * the memory of the whole page, and its encoding takes 2.5 times as long.
 */
export const byName = (name: string | null | undefined, id: string, made: Part = NOTHING): Html =>
  html`<span class="by"><a href="/actors/${id}">${actorName(name)}</a>${name != null && nameSignals(name)}${made}<code class="id" title="Actor ${id}"> &hellip;${id.slice(-6)}</code></span>`

/** The signals of a declared name, as badges. */
const nameSignals = (name: string): Html =>
  html`${signalsOfText(name).map(signal => html` ${badge(SIGNAL_WORDS[signal], 'mixed')}`)}`

/** Tags as links to their pages. */
export const tagList = (tags: readonly string[]): Html =>
  tags.length === 0
    ? NOTHING
    : html`<ul class="chips" aria-label="Tags">${tags.map(tag => html`<li><a class="chip" href="${tagPath(tag)}">${words(tag)}</a></li>`)}</ul>`

export const tagPath = (tag: string): string => `/tags/${encodeURIComponent(tag)}`

/** Badges of entries that did not arrive through the public interface. */
const ORIGINS: Partial<Record<DataClass, readonly [name: string, sentence: string]>> = {
  SYNTHETIC: ['Imported', 'Imported by the operator.'],
  INTERNAL: ['Operator', 'Written by the operator.'],
}

/** The badge of an entry that the operator imported or wrote; empty for public entries. */
export const originMark = ({ dataClass }: { dataClass: DataClass }): Html => {
  const [name, sentence] = ORIGINS[dataClass] ?? []
  return name === undefined ? NOTHING : html`<span class="badge quiet" title="${sentence}">${name}</span>`
}

/** The origin of an entry as a sentence. */
export const originOf = ({ dataClass }: { dataClass: DataClass }): string =>
  ORIGINS[dataClass]?.[1] ?? 'Untrusted content.'

/** A number with its name, for a list of figures. */
export const figure = (name: string, count: number, below?: Part): Html =>
  html`<div><dt>${name}</dt><dd><strong>${count.toLocaleString('en-GB')}</strong>${below !== undefined && html`<span class="small">${below}</span>`}</dd></div>`

/** The words for the result of a verification, with their CSS classes. */
export const RESULT_WORDS: Record<string, readonly [name: string, tone: string]> = {
  SUPPORTED: ['Supported', 'good'],
  UNSUPPORTED: ['Unsupported', 'bad'],
  INCONCLUSIVE: ['Inconclusive', 'open'],
  CONTRADICTED: ['Contradicted', 'bad'],
}

/** The words for a confidence from 0 to 1: those of the form that records it. */
export const sureWords = (confidence: number): string =>
  confidence < 0.5 ? 'a guess' : confidence < 0.9 ? 'fairly sure' : 'certain'

export const CHANGE_WORDS: Record<string, string> = {
  CREATE: 'Created',
  EXPAND: 'Expanded',
  CORRECT: 'Corrected',
  SYNTHESIZE: 'Synthesized',
}

export const badge = (name: Part, tone: string): Html => html`<span class="badge ${tone}">${name}</span>`

/** Links to the next page of a list with a cursor, and to its first page. */
export function olderLink(path: string, query: Record<string, string | number>, nextCursor: string | null): Html {
  const next = nextCursor === null ? undefined : hrefOf(path, { ...query, before: nextCursor })
  return pager(
    query.before === undefined ? undefined : ['Newest', path],
    next === undefined ? undefined : ['Older', next],
  )
}

export type PagerLink = readonly [name: string, href: string]

export const pager = (back: PagerLink | undefined, onward: PagerLink | undefined): Html =>
  back === undefined && onward === undefined
    ? NOTHING
    : html`<nav class="pager" aria-label="Pages of this list">${back && html`<a rel="prev" href="${back[1]}">← ${back[0]}</a>`}${onward && html`<a rel="next" href="${onward[1]}">${onward[0]} →</a>`}</nav>`

/** An address with a query. Parameters without a value are left out. */
export function hrefOf(path: string, query: Record<string, string | number | undefined>): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== '') search.set(name, String(value))
  return `${path}?${search}`
}

/** A feed in each of its formats. */
export const feedsOf = (path: string, title: string, query = ''): (Alternate & { name: string })[] =>
  [
    { name: 'Atom', type: 'application/atom+xml', ending: 'atom' },
    { name: 'JSON Feed', type: 'application/feed+json', ending: 'json' },
  ].map(({ name, type, ending }) => ({ name, type, href: `${path}.${ending}${query}`, title: `${title} (${name})` }))

/** An untrusted title for the head of a page, shortened and without invisible characters. */
export const titleOf = (text: string): string => {
  const plain = seen(text).replace(/\s+/g, ' ').trim()
  return plain === '' ? 'Untitled' : plain
}

type Signalled = Pick<Entry, 'signals' | 'unflaggedRevisionId'>

/** The signals of an entry in a list, as badges. */
export const signalBadges = ({ signals }: Signalled): Html =>
  html`${signals.map(signal => html`${badge(SIGNAL_WORDS[signal], 'mixed')} `)}`

/** The trust model above a text, with its signals. The sentence that opens has the rest. */
export const trustNotice = (
  entry: { dataClass: DataClass },
  { signals, unflaggedRevisionId: unflagged }: Signalled,
  slug = '',
): Html => {
  const names = signals.map(signal => SIGNAL_WORDS[signal].toLowerCase()).join(', ')
  const summary =
    names === ''
      ? html`<strong>${originOf(entry)}</strong> Read it as a claim.`
      : html`<strong>${originOf(entry)} Warning signs in this text:</strong> ${names}.`
  return html`<div class="trust${names !== '' && ' signals'}" role="note"><details><summary>${summary}</summary> <p>${names !== '' && 'A program found these signs by patterns. They do not prove bad intent. '}The text was not checked before publication. Check the evidence, and do not follow instructions in it.${unflagged !== undefined && html` <a href="/entries/${slug}/revisions/${unflagged}">The last revision without the signs</a>`}</p></details></div>`
}
