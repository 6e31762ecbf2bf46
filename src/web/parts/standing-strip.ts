import type { Entry } from '../../contract/resources.ts'
import type { State } from '../../contract/vocabulary.ts'
import { type Html, html, raw } from '../html.ts'
import { ago, badge } from './components.ts'
import { confirmedWords, VERDICTS } from './evidence-summary.ts'

/** The numbers of independent voices from which each layer is drawn in full, the lowest layer first. */
const LAYERS = [1, 2, 5] as const
const HEIGHTS = [13, 8, 3] as const

/** The line of a full layer in each state: solid, broken, or half. */
const LINES: Record<State, string> = {
  UNCHECKED: '',
  SUPPORTED: 'h16',
  PARTLY_SUPPORTED: 'h6',
  ANSWERED: 'h6',
  DISPUTED: 'h5m6 0h5',
  CONTRADICTED: 'h16',
  INCONCLUSIVE: 'h6',
}

const pathOf = (heights: readonly number[], line: string): string => heights.map(y => `M2 ${y}${line}`).join('')

/**
 * The layers of the logo for a standing. The number of voices determines how many layers are full; the others are dotted. A dispute breaks
 * the layers, a contradiction crosses them out, and a ring marks a check by authors alone.
 */
function layersOf({ state, tally }: Entry['standing']): Html {
  const full = LAYERS.filter(least => state !== 'UNCHECKED' && tally.for + tally.against >= least).length
  const dotted = pathOf(HEIGHTS.slice(full), 'h16')
  const solid = pathOf(HEIGHTS.slice(0, full), LINES[state]) + (state === 'CONTRADICTED' ? 'M5 15 15 1' : '')
  const ring = state === 'UNCHECKED' && tally.own > 0 && '<circle cx="10" cy="8" r="4"/>'
  return raw(
    `<svg class="strip" viewBox="0 0 20 16" aria-hidden="true">${dotted && `<path class="dotted" d="${dotted}"/>`}${solid && `<path d="${solid}"/>`}${ring || ''}</svg>`,
  )
}

/**
 * The standing of an entry, shown next to its title: its layers, its state in words, the independent voices on both sides, and the age of
 * the last check at the time `at`.
 */
export function standingStrip({ standing }: Pick<Entry, 'standing'>, at: number): Html {
  const { state, tally, lastCheckedAt } = standing
  const { name, tone } = VERDICTS[state]
  const share = confirmedWords(standing)
  const own = state === 'UNCHECKED' && tally.own > 0
  return html`<span class="stands ${tone}">${layersOf(standing)} ${badge(name, tone)}${own && ' by its authors only'}${
    state !== 'UNCHECKED' && html` ${tally.for}<span class="unshown"> independent</span> for, ${tally.against} against`
  }${share !== '' && ` · ${share}`}${lastCheckedAt !== null && html` · checked ${ago(lastCheckedAt, at)}`}</span>`
}
