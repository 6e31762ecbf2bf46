import type { RelationType } from '../contract/words.ts'
import { type Html, html } from './html.ts'
import { titleOf } from './parts.ts'

/** An entry at the other end of a relation. `outward` relations start at the entry in the middle. */
export type Neighbour = { slug: string; title: string; relationType: RelationType; outward: boolean }

/** One picture: its size and the size of its boxes, in the same units. `label` is the number of characters in one line of a title. */
type Frame = { name: 'broad' | 'narrow'; width: number; box: number; label: number }
/** Neighbours to the left and right of the middle. */
const BROAD: Frame = { name: 'broad', width: 720, box: 192, label: 23 }
/** Neighbours in two columns below the middle. */
const NARROW: Frame = { name: 'narrow', width: 340, box: 136, label: 16 }
const BOX_HEIGHT = 50
/** The distance between the middles of two rows of boxes. */
const ROW = 62
const LINE = 18
const BORDER = 2
/** By how many characters a line in bold is shorter. */
const BOLD = 3

export const TONES: Record<RelationType, string> = {
  CONNECT: 'connects',
  REUSES: 'reuses',
  SYNTHESIZES: 'synthesizes',
  CONTRADICTS: 'contradicts',
}

/** How many neighbours fit into the picture. The list beside it has all of the page. */
export const NEIGHBOURS_MAX = 12

/**
 * The neighbourhood of an entry: the entry and each related entry once, as links that the keyboard reaches. It is drawn twice, for broad
 * and for narrow screens; the style sheet shows one.
 */
export function relationGraph(title: string, neighbours: readonly Neighbour[]): Html {
  const shown = [...new Map(neighbours.map(one => [one.slug, one])).values()].slice(0, NEIGHBOURS_MAX)
  return html`<figure class="picture graph">${[BROAD, NARROW].map(frame => picture(frame, title, shown))}<figcaption><ul class="legend">${Object.entries(TONES).map(([type, tone]) => html`<li><i class="key ${tone}"></i>${type.toLowerCase()}</li>`)}</ul></figcaption></figure>`
}

function picture(frame: Frame, title: string, neighbours: readonly Neighbour[]): Html {
  const { name, width } = frame
  const rows = Math.ceil(neighbours.length / 2)
  const middle = { x: width / 2, y: name === 'broad' ? (rows * ROW) / 2 : ROW / 2 }
  const placed = neighbours.map((one, index) => ({ ...one, ...placeOf(frame, index, neighbours.length) }))
  const height = name === 'broad' ? rows * ROW : (rows + 1.5) * ROW
  // A single neighbour is to the right: the space to the left of the middle is cut off.
  const left = name === 'broad' && neighbours.length === 1 ? middle.x - frame.box / 2 - BORDER : 0
  return html`<svg class="plot ${name}" width="${width - left}" height="${height}" viewBox="${left} 0 ${width - left} ${height}" role="group" aria-label="The entries around this one">
<defs>${tip(`to-${name}`, 7)}${tip(`from-${name}`, 1)}</defs>
${placed.map(one => (name === 'broad' ? curve(frame, middle, one) : branch(frame, middle, one)))}
${node(frame, middle, title, 'here')}
${placed.map(one => html`<a href="/entries/${one.slug}">${node(frame, one, one.title, TONES[one.relationType])}</a>`)}
</svg>`
}

/** The tip of an arrow along its line; `at` is the position of the end of the line within the tip. */
const tip = (id: string, at: number): Html =>
  html`<marker id="${id}" viewBox="0 0 8 8" refX="${at}" refY="4" markerWidth="6" markerHeight="6" orient="auto"><path d="M0 0L8 4L0 8Z"/></marker>`

type Point = { x: number; y: number }
/** `side` is 1 to the right of the middle and -1 to the left; `row` counts from the top of that side. */
type Place = Point & { side: 1 | -1; row: number; rows: number }

/** Neighbours alternate between the sides, from the top down. */
function placeOf({ name, width, box }: Frame, index: number, count: number): Place {
  const side = index % 2 === 0 ? 1 : -1
  const row = Math.floor(index / 2)
  const rows = side === 1 ? Math.ceil(count / 2) : Math.floor(count / 2)
  const fromTop = name === 'broad' ? (Math.ceil(count / 2) - rows) / 2 : 1.5
  const x = side === 1 ? width - box / 2 - BORDER : box / 2 + BORDER
  return { x, y: (row + fromTop + 0.5) * ROW, side, row, rows }
}

type Edge = Place & Pick<Neighbour, 'relationType' | 'outward'>

/** A curve between two boxes side by side; the tip shows where the relation leads. */
function curve({ box }: Frame, middle: Point, { x, y, side, row, rows, relationType, outward }: Edge): Html {
  const spread = (row - (rows - 1) / 2) * Math.min(10, (BOX_HEIGHT - 8) / rows)
  const near = { x: middle.x + (side * box) / 2, y: middle.y + spread }
  const far = { x: x - (side * box) / 2, y }
  const turn = (near.x + far.x) / 2
  const [from, to] = outward ? [near, far] : [far, near]
  const path = `M${from.x} ${from.y}C${turn} ${from.y} ${turn} ${to.y} ${to.x} ${to.y}`
  return html`<path class="edge ${TONES[relationType]}" d="${path}" marker-end="url(#to-broad)"/>`
}

/** A line from the middle down between the columns and to a box; the tip at the box shows where the relation leads. */
function branch({ box }: Frame, middle: Point, { x, y, side, row, rows, relationType, outward }: Edge): Html {
  const lane = middle.x + side * (14 - (row * 10) / Math.max(rows - 1, 1))
  const path = `M${x - (side * box) / 2} ${y}H${lane}V${middle.y + BOX_HEIGHT / 2}`
  const back = `M${lane} ${middle.y + BOX_HEIGHT / 2}V${y}H${x - (side * box) / 2}`
  return outward
    ? html`<path class="edge ${TONES[relationType]}" d="${back}" marker-end="url(#to-narrow)"/>`
    : html`<path class="edge ${TONES[relationType]}" d="${path}" marker-start="url(#from-narrow)"/>`
}

function node({ box, label }: Frame, { x, y }: Point, title: string, tone: string): Html {
  const [first, second] = linesOf(titleOf(title), tone === 'here' ? label - BOLD : label)
  const text = (line: string, at: number): Html =>
    html`<text x="${x}" y="${at}" text-anchor="middle" direction="ltr">${line}</text>`
  return html`<g class="node ${tone}"><title>${titleOf(title)}</title><rect x="${x - box / 2}" y="${y - BOX_HEIGHT / 2}" width="${box}" height="${BOX_HEIGHT}" rx="8"/>${
    second === '' ? text(first, y + 5) : [text(first, y - 4), text(second, y - 4 + LINE)]
  }</g>`
}

/** A title in at most two lines of this many characters. */
function linesOf(title: string, label: number): readonly [string, string] {
  const characters = [...title]
  if (characters.length <= label) return [title, '']
  const space = characters.slice(0, label + 1).lastIndexOf(' ')
  const cut = space > label / 3 ? space : label
  const rest = characters.slice(cut).join('').trim()
  const second =
    [...rest].length > label
      ? `${[...rest]
          .slice(0, label - 1)
          .join('')
          .trim()}…`
      : rest
  return [characters.slice(0, cut).join(''), second]
}
