import type { Entry } from '../../contract/resources.ts'
import { SIGNAL_WORDS } from '../../domain/signals/sentences.ts'
import { type Html, html, NOTHING } from '../html.ts'
import { badge } from './components.ts'

type Signalled = Pick<Entry, 'signals'>

/** The signals of an entry in a list, as badges. */
export const signalBadges = ({ signals }: Signalled): Html =>
  html`${signals.map(signal => html`${badge(SIGNAL_WORDS[signal], 'mixed')} `)}`

/** The signals above a text, with their meaning. */
export const signalNotice = ({ signals }: Signalled): Html =>
  signals.length === 0
    ? NOTHING
    : html`<div class="notice signals" role="note"><p><strong>Warning signs in this text.</strong> A program found them by patterns. They do not prove bad intent.</p><ul>${signals.map(signal => html`<li>${SIGNAL_WORDS[signal]}</li>`)}</ul></div>`
