import type { Step, Verdicts } from '../../memory/entries/views.ts'
import { voicesWords } from '../../memory/evidence/rules.ts'
import { type Html, html, NOTHING } from '../html.ts'
import { CHANGE_WORDS, day, dayOf, many } from '../parts/components.ts'

/** Maximum number of revisions that are drawn as links. More are drawn as bars. */
export const COLUMNS_MAX = 16
/** Maximum number of marks in one stack. Above it, a number is shown instead. */
const MARKS_MAX = 4
const STACK = { width: 28, height: 44, step: 9 } as const
/** Number of shades of bars, from 0 for the newest. */
const AGES = 5

type Side = 'for' | 'open' | 'against'

/**
 * The life of an entry: its revisions in their order, the voices for them and the undecided ones above, those against them below. Empty for
 * a single revision. `steps` are the newest revisions, newest first.
 */
export function lifeLine(slug: string, steps: readonly Step[], verdicts: Verdicts, revisions: number): Html {
  const shown = steps.toReversed()
  const [first, last] = [shown[0], shown.at(-1)]
  if (revisions < 2 || first === undefined || last === undefined) return NOTHING
  const hasBars = shown.length > COLUMNS_MAX
  const picture = hasBars ? barsOf(slug, shown, verdicts) : columnsOf(slug, shown, verdicts)
  const tallies = shown.flatMap(({ record }) => verdicts.get(record)?.tally ?? [])
  const hasOpen = tallies.some(tally => tally.inconclusive > 0 && !(hasBars && tally.for > 0))
  const hasCorrection = shown.some(({ changeType }) => changeType === 'CORRECT')
  return html`<details class="life opens"><summary>${many(revisions, 'revision')}<span class="since">, ${daysFrom(first.at, last.at)}</span></summary><figure>${picture}
<figcaption class="legend">${hasCorrection && html`<span><i class="step-key correct"></i>correction</span>`}${tallies.some(tally => tally.for > 0) && html`<span>${mark('for')} for</span>`}${hasOpen && html`<span>${mark('open')} undecided</span>`}${tallies.some(({ against }) => against > 0) && html`<span>${mark('against')} against</span>`}</figcaption></figure></details>`
}

/** The range of days between two times in milliseconds since 1970; one day if both are on the same day. */
function daysFrom(from: number, to: number): Html {
  const [start, end] = [new Date(from).toISOString(), new Date(to).toISOString()]
  return start.slice(0, 10) === end.slice(0, 10) ? day(start) : html`${day(start)} to ${day(end)}`
}

/** Many revisions as one link to the history: a bar for each, darker if it is younger, with a mark for each side of its evidence. */
function barsOf(slug: string, steps: readonly Step[], verdicts: Verdicts): Html {
  const [first, last] = [steps[0]?.at ?? 0, steps.at(-1)?.at ?? 0]
  const width = 100 / steps.length
  const round = (value: number): string => value.toFixed(2)
  const ageOf = (at: number): number => Math.ceil(((last - at) / Math.max(last - first, 1)) * (AGES - 1))
  const bars = steps.map(({ record, changeType, at }, index) => {
    const { tally } = verdicts.get(record) ?? {}
    const middle = round((index + 0.5) * width)
    const sign = (side: Side, y: number): Html => html`<svg x="${middle}%">${shape(side, 0, y)}</svg>`
    return html`<rect class="ink-${ageOf(at)}${changeType === 'CORRECT' && ' correct'}" x="${round(index * width + width * 0.1)}%" y="14" width="${round(width * 0.8)}%" height="26"/>${
      tally && [
        tally.for > 0 ? sign('for', 6) : tally.inconclusive > 0 && sign('open', 6),
        tally.against > 0 && sign('against', 48),
      ]
    }`
  })
  return html`<a class="bars-of-life" href="/entries/${slug}/history" aria-label="The history, revision by revision"><svg width="100%" height="54" aria-hidden="true">${bars}</svg></a>`
}

const columnsOf = (slug: string, steps: readonly Step[], verdicts: Verdicts): Html =>
  html`<ol aria-label="Revisions, oldest first, with their evidence">${steps.map(
    ({ id, ordinal, changeType, at, record }, index) => {
      const { tally } = verdicts.get(record) ?? {}
      const name = `Revision ${ordinal}, ${(CHANGE_WORDS[changeType] ?? 'changed').toLowerCase()} ${dayOf(at)}`
      const stack = (place: 'up' | 'down', sides: Side[]): Html | false =>
        tally !== undefined &&
        stackOf(sides, place, `/entries/${slug}/evidence`, `Revision ${ordinal}: ${voicesWords(tally)}`)
      return html`<li>${stack('up', [...sidesOf('for', tally?.for), ...sidesOf('open', tally?.inconclusive)])}<a class="step ${changeType.toLowerCase()}${index === steps.length - 1 && ' now'}" href="/entries/${slug}/revisions/${id}" aria-label="${name}">${ordinal}</a>${stack('down', sidesOf('against', tally?.against))}</li>`
    },
  )}</ol>`

const sidesOf = (side: Side, voices = 0): Side[] => Array<Side>(voices).fill(side)

/** One mark for each voice, the first ones next to the revision. */
function stackOf(sides: readonly Side[], place: 'up' | 'down', href: string, name: string): Html {
  if (sides.length === 0) return NOTHING
  const marks = sides.slice(0, sides.length > MARKS_MAX ? MARKS_MAX - 1 : MARKS_MAX)
  const y = (index: number): number => (place === 'up' ? STACK.height - 7 - index * STACK.step : 7 + index * STACK.step)
  const more = sides.length - marks.length
  return html`<a class="${place}" href="${href}" aria-label="${name}${more > 0 && `, ${sides.length} ${place === 'up' ? 'above' : 'below'}`}"><svg width="${STACK.width}" height="${STACK.height}" aria-hidden="true">${marks.map(
    (side, index) => shape(side, STACK.width / 2, y(index)),
  )}${more > 0 && html`<text x="${STACK.width / 2}" y="${y(marks.length) + (place === 'up' ? 2 : 6)}" text-anchor="middle">${sides.length}</text>`}</svg></a>`
}

/** The shape of a voice: a disc, a ring or a cross. */
const shape = (side: Side, x: number, y: number): Html =>
  side === 'against'
    ? html`<path class="against" d="M${x - 3} ${y - 3}l6 6m0-6l-6 6"/>`
    : html`<circle class="${side}" cx="${x}" cy="${y}" r="3.4"/>`

const mark = (side: Side): Html =>
  html`<svg class="mark-key" width="10" height="10" aria-hidden="true">${shape(side, 5, 5)}</svg>`
