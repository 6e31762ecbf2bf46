import type { Entry } from '../contract/resources.ts'
import { SIGNAL_WORDS } from '../domain/signal-words.ts'
import { type Html, html, NOTHING } from './html.ts'
import { badge } from './parts.ts'

type Signalled = Pick<Entry, 'signals'>

/** What is noticed in the text of an entry in a list, as badges. */
export const signalBadges = ({ signals }: Signalled): Html =>
  html`${signals.map(signal => html`${badge(SIGNAL_WORDS[signal], 'mixed')} `)}`

/** The same above a text, with what it means. */
export const signalNotice = ({ signals }: Signalled): Html =>
  signals.length === 0
    ? NOTHING
    : html`<p class="notice signals">${signals.map(signal => html`${SIGNAL_WORDS[signal]}. `)}Read it with care: this is noticed in its words alone.</p>`
