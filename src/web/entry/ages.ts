import type { AgedPiece } from '../../memory/entries/blame.ts'
import { percentOf } from '../../memory/evidence/rules.ts'
import { type Html, html } from '../html.ts'
import { many } from '../parts/components.ts'

/** Number of steps of age, from 0 for the newest revisions to the faintest. */
const SHADES = 5

/** A step of age: the first and the last of its revisions, and the number of characters that they wrote. */
type Step = { shade: number; from: number; to: number; size: number }

/**
 * How the pieces of a text look. `layers` has the number of characters of each revision and `shades` its step of age, by its ordinal, newest
 * first: the newest has the step 0, and the oldest of several the last one. `common` is the number of objections that all pieces have.
 */
export type Look = { layers: Map<number, number>; shades: Map<number, number>; common: number; steps: Step[] }

export function lookOf(pieces: readonly AgedPiece[]): Look {
  const sizes = new Map<number, number>()
  let common = Number.MAX_SAFE_INTEGER
  for (const { size, ordinal, against } of pieces) {
    sizes.set(ordinal, (sizes.get(ordinal) ?? 0) + size)
    if (against < common) common = against
  }
  const layers = new Map([...sizes].sort(([one], [other]) => other - one))
  const step = (SHADES - 1) / Math.max(layers.size - 1, 1)
  const shades = new Map([...layers.keys()].map((ordinal, index) => [ordinal, Math.round(index * step)]))
  const steps = [...Map.groupBy(shades, ([, shade]) => shade)].map(([shade, own]) => ({
    shade,
    from: own.at(-1)?.[0] ?? 0,
    to: own[0]?.[0] ?? 0,
    size: own.reduce((sum, [ordinal]) => sum + (layers.get(ordinal) ?? 0), 0),
  }))
  return { layers, shades, common, steps }
}

/** The number of characters of all steps. */
export const allOf = (steps: readonly Pick<Step, 'size'>[]): number => steps.reduce((sum, { size }) => sum + size, 0)

/** A share of a text in words. */
export const shareOf = (size: number, all: number): string => {
  const percent = percentOf(size / Math.max(all, 1))
  return `${percent < 1 ? 'under 1' : percent} %`
}

/** The revisions of a step in words. */
export const revisionsOf = ({ from, to }: Pick<Step, 'from' | 'to'>): string =>
  from === to ? `Revision ${to}` : `Revisions ${from} to ${to}`

/** The words of a picture. */
function wordsOf(pieces: readonly AgedPiece[], { steps, common }: Look): string {
  const all = allOf(steps)
  const contested = pieces.filter(({ against }) => against > common).length
  const ages = steps.map(step => ` ${revisionsOf(step)} wrote ${shareOf(step.size, all)}.`).join('')
  return `Ages of the text.${ages}${contested === 0 ? '' : ` Contested: ${many(contested, 'sentence')}.`}`
}

/** The height of a band by its step of age, of the mark below contested ones, and of a row with both. */
const BANDS = [10, 8, 6, 4, 2]
const MARK = { y: 10, height: 2 }
const ROW = 12
/** The colours where no style sheet applies: by step of age, then of the mark. */
export const COLOURS = ['#5b2c6f', '#71497d', '#87658c', '#9d829a', '#b39ea9', '#815200']

/** A bar of a picture: its step of age, or `SHADES` for the mark of contested sentences. */
type Bar = { look: number; x: number; y: number; width: number; height: number }

/** The bars of a text that fills `rows` rows of `columns` units from its start to its end. A unit has the newest age of its pieces. */
export function barsOf(
  pieces: readonly AgedPiece[],
  { steps, shades, common }: Look,
  rows: number,
  columns: number,
): Bar[] {
  const unit = Math.max(allOf(steps), 1) / (rows * columns)
  const ages = new Uint8Array(rows * columns).fill(SHADES - 1)
  const marks = new Uint8Array(rows * columns)
  let end = 0
  for (const { size, ordinal, against } of pieces) {
    const first = Math.floor(end / unit)
    end += size
    const [last, shade] = [Math.min(end / unit, ages.length), shades.get(ordinal) ?? 0]
    for (let at = first; at < last; at++) {
      if (shade < (ages[at] ?? 0)) ages[at] = shade
      if (against > common) marks[at] = 1
    }
  }
  const bars: Bar[] = []
  for (let row = 0; row < rows; row++) {
    const y = row * ROW
    for (const { value, x, width } of runsOf(ages.subarray(row * columns, (row + 1) * columns)))
      bars.push({ look: value, x, y, width, height: BANDS[value] ?? 0 })
    for (const { value, x, width } of runsOf(marks.subarray(row * columns, (row + 1) * columns)))
      if (value === 1) bars.push({ look: SHADES, x, y: y + MARK.y, width, height: MARK.height })
  }
  return bars
}

/** The runs of equal values. */
function runsOf(values: Uint8Array): { value: number; x: number; width: number }[] {
  const runs: { value: number; x: number; width: number }[] = []
  for (const [x, value] of values.entries()) {
    const last = runs.at(-1)
    if (last?.value === value) last.width += 1
    else runs.push({ value, x, width: 1 })
  }
  return runs
}

/**
 * Draws the text of an entry as SVG: bands from its start to its end, each as high and as dark as its revision is new, and a line below
 * contested sentences. Equal pieces have the same picture. `rows` times `columns` bounds its size and its time.
 */
export function agesPicture(pieces: readonly AgedPiece[], rows = 1, columns = 120): Html {
  const look = lookOf(pieces)
  const byLook = [...Map.groupBy(barsOf(pieces, look, rows, columns), ({ look }) => look)]
  return html`<svg xmlns="http://www.w3.org/2000/svg" class="strata" viewBox="0 0 ${columns} ${rows * ROW}" preserveAspectRatio="none" role="img" aria-label="${wordsOf(pieces, look)}">${byLook.map(
    ([look, bars]) =>
      html`<path class="ink-${look}" stroke="${COLOURS[look]}" stroke-width="${bars[0]?.height}" d="${bars.map(({ x, y, width, height }) => `M${x} ${y + height / 2}h${width}`).join('')}"/>`,
  )}</svg>`
}
