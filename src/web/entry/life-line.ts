import type { Judged, Life, Step } from '../../memory/entries/views.ts'
import { type Html, html, NOTHING } from '../html.ts'
import { CHANGE_WORDS, day, many } from '../parts/components.ts'

/** Maximum number of revisions in the life line. */
export const COLUMNS_MAX = 16
/** Maximum number of marks in one stack. Above it, a number is shown instead. */
const MARKS_MAX = 4
const STACK = { width: 28, height: 44, step: 9 } as const

/** A revision with the evidence about it. */
type Column = { step: Step; up: Judged[]; down: Judged[] }

/**
 * The life of an entry: revisions in their order, supporting and undecided evidence above them, opposing evidence below. Each mark is a
 * link. If there are more than COLUMNS_MAX revisions, shows the newest one, then judged ones, then the newest others.
 */
export function lifeLine(slug: string, { steps, judged }: Life, revisions: number): Html {
  const about = Map.groupBy(judged, ({ revision }) => revision)
  const chosen = steps
    .slice(1)
    .sort((a, b) => Number(about.has(b.record)) - Number(about.has(a.record)) || b.ordinal - a.ordinal)
    .slice(0, COLUMNS_MAX - 1)
  const shown = [...new Set([...steps.slice(0, 1), ...chosen])].sort((a, b) => a.ordinal - b.ordinal)
  const [first, last] = [shown[0], shown.at(-1)]
  if (first === undefined || last === undefined || (revisions < 2 && judged.length === 0)) return NOTHING
  const isCurrent = ({ ordinal }: Step): boolean => ordinal === revisions
  const columns: Column[] = shown.map(step => {
    const pieces = about.get(step.record) ?? []
    return {
      step,
      up: pieces.filter(({ side }) => side !== 'against'),
      down: pieces.filter(({ side }) => side === 'against'),
    }
  })
  const hasCorrection = shown.some(step => step.changeType === 'CORRECT' && !isCurrent(step))
  const hasAgainst = columns.some(({ down }) => down.length > 0)
  return html`<figure class="life${!hasAgainst && ' unopposed'}"><ol aria-label="Revisions, oldest first, with their evidence">${columns.map(
    (column, index) => [
      gap(slug, (columns[index - 1]?.step.ordinal ?? 0) + 1, column.step.ordinal),
      columnOf(slug, column, isCurrent(column.step)),
    ],
  )}</ol>
<figcaption class="legend"><span><span class="step-key">1</span> revision</span>${hasCorrection && html`<span><span class="step-key correct">2</span> correction</span>`}<span class="range">${daysFrom(first.at, last.at)}</span><span>${mark('for')} supported</span><span>${mark('open')} undecided</span><span>${mark('against')} against</span></figcaption></figure>`
}

/** The range of days between two times in milliseconds since 1970; one day if both are on the same day. */
function daysFrom(from: number, to: number): Html {
  const [start, end] = [new Date(from).toISOString(), new Date(to).toISOString()]
  return start.slice(0, 10) === end.slice(0, 10) ? day(start) : html`${day(start)} to ${day(end)}`
}

/** Links the revisions between two columns to the history. */
const gap = (slug: string, from: number, next: number): Html =>
  from >= next
    ? NOTHING
    : html`<li><a class="more" href="/entries/${slug}/history?at=${next - 1}" aria-label="${many(next - from, 'more revision')}">⋯</a></li>`

function columnOf(slug: string, { step, up, down }: Column, current: boolean): Html {
  const { id, ordinal, changeType, at } = step
  const name = `Revision ${ordinal}, ${(CHANGE_WORDS[changeType] ?? 'changed').toLowerCase()} ${new Date(at).toISOString().slice(0, 10)}`
  return html`<li>${stack(slug, ordinal, up, 'up')}<a class="step ${changeType.toLowerCase()}${current && ' now'}" href="/entries/${slug}/revisions/${id}" aria-label="${name}">${ordinal}</a>${stack(slug, ordinal, down, 'down')}</li>`
}

const WORDS: Record<Judged['side'], string> = { for: 'supported', open: 'undecided', against: 'against' }

function stack(slug: string, ordinal: number, pieces: readonly Judged[], place: 'up' | 'down'): Html {
  const [newest] = pieces
  if (newest === undefined) return NOTHING
  const counts = Object.entries(WORDS).flatMap(([side, word]) => {
    const count = pieces.filter(one => one.side === side).length
    return count > 0 ? `${count} ${word}` : []
  })
  const marks = pieces.toReversed().slice(0, pieces.length > MARKS_MAX ? MARKS_MAX - 1 : MARKS_MAX)
  const y = (index: number): number => (place === 'up' ? STACK.height - 7 - index * STACK.step : 7 + index * STACK.step)
  const more = pieces.length - marks.length
  return html`<a class="${place}" href="${evidencePath(slug, newest)}" aria-label="Revision ${ordinal}: ${counts.join(', ')}${more > 0 && `, +${more} without a mark`}"><svg width="${STACK.width}" height="${STACK.height}" aria-hidden="true">${marks.map(
    ({ side }, index) => shape(side, STACK.width / 2, y(index)),
  )}${more > 0 && html`<text x="${STACK.width / 2}" y="${y(marks.length) + (place === 'up' ? 2 : 6)}" text-anchor="middle">+${more}</text>`}</svg></a>`
}

/** The shape of a piece of evidence: a disc, a ring or a cross. */
const shape = (side: Judged['side'], x: number, y: number): Html =>
  side === 'against'
    ? html`<path class="against" d="M${x - 3} ${y - 3}l6 6m0-6l-6 6"/>`
    : html`<circle class="${side}" cx="${x}" cy="${y}" r="3.4"/>`

const mark = (side: Judged['side']): Html =>
  html`<svg class="mark-key" width="10" height="10" aria-hidden="true">${shape(side, 5, 5)}</svg>`

/** The address of a piece of evidence: the page of evidence that begins with that piece. */
const evidencePath = (slug: string, { id, cursor }: Pick<Judged, 'id' | 'cursor'>): string =>
  `/entries/${slug}/evidence?before=${cursor}#evidence-${id}`
