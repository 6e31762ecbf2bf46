import type { RelationType } from '../contract/words.ts'
import { type Html, html } from './html.ts'
import { titleOf } from './parts.ts'

/** An entry at the other end of a relation. `outward` relations start at the entry in the middle. */
export type Neighbour = { slug: string; title: string; relationType: RelationType; outward: boolean }

const WIDTH = 720
const BOX = 196
const LINE = 18
/** Characters of a title in one line of its box. */
const LABEL = 22

export const TONES: Record<RelationType, string> = {
  CONNECT: 'connects',
  REUSES: 'reuses',
  SYNTHESIZES: 'synthesizes',
  CONTRADICTS: 'contradicts',
}

/** How many neighbours fit into the picture; the list beside it has all of the page. */
export const NEIGHBOURS_MAX = 12

/** The neighbourhood of an entry: itself in the middle, every other entry once around it, as links that the keyboard reaches. */
export function relationGraph(title: string, neighbours: readonly Neighbour[]): Html {
  const shown = [...new Map(neighbours.map(one => [one.slug, one])).values()].slice(0, NEIGHBOURS_MAX)
  const height = shown.length <= 2 ? 90 : shown.length <= 4 ? 270 : 440
  const placed = shown.map((one, index) => ({ ...one, ...placeOf(index, shown.length, height) }))
  // One neighbour stands to the right: there is nothing to the left of the middle.
  const one = shown.length === 1
  const left = one ? WIDTH / 2 - BOX / 2 - 4 : 0
  return html`<figure class="picture graph"><div class="wide"><svg class="plot${one && ' one'}" viewBox="${left} 0 ${WIDTH - left} ${height}" role="group" aria-label="The entries around this one">
<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse"><path d="M0 0L8 4L0 8Z"/></marker></defs>
${placed.map(({ x, y, relationType, outward }) => edge({ x, y, relationType, outward }, height / 2))}
${node(WIDTH / 2, height / 2, title, 'here')}
${placed.map(({ x, y, slug, title: name, relationType }) => html`<a href="/entries/${slug}">${node(x, y, name, TONES[relationType])}</a>`)}
</svg></div><figcaption><ul class="legend">${Object.entries(TONES).map(([type, tone]) => html`<li><i class="key ${tone}"></i>${type.toLowerCase()}</li>`)}</ul></figcaption></figure>`
}

/** Places on an ellipse: beside the middle where there are only two, else from the top around. */
function placeOf(index: number, count: number, height: number): { x: number; y: number } {
  const angle = (index / count) * 2 * Math.PI + (count <= 2 ? 0 : -Math.PI / 2)
  const x = WIDTH / 2 + Math.cos(angle) * (WIDTH / 2 - BOX / 2 - 2)
  const y = height / 2 + Math.sin(angle) * (height / 2 - 28)
  return { x: Math.round(x), y: Math.round(y) }
}

type Place = Pick<Neighbour, 'relationType' | 'outward'> & { x: number; y: number }

/** A line from border to border of two boxes; its tip shows where the relation leads. */
function edge({ x, y, relationType, outward }: Place, middle: number): Html {
  const [dx, dy] = [x - WIDTH / 2, y - middle]
  const reach = Math.min(1, (BOX / 2 + 5) / Math.max(Math.abs(dx), 1), 32 / Math.max(Math.abs(dy), 1))
  const [ax, ay] = [WIDTH / 2 + dx * reach, middle + dy * reach]
  const [bx, by] = [x - dx * reach, y - dy * reach]
  const [x1, y1, x2, y2] = (outward ? [ax, ay, bx, by] : [bx, by, ax, ay]).map(Math.round)
  return html`<line class="edge ${TONES[relationType]}" x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}" marker-end="url(#tip)"/>`
}

function node(x: number, y: number, title: string, tone: string): Html {
  const [first, second] = linesOf(titleOf(title))
  const text = (line: string, at: number): Html =>
    html`<text x="${x}" y="${at}" text-anchor="middle" direction="ltr">${line}</text>`
  return html`<g class="node ${tone}"><title>${titleOf(title)}</title><rect x="${x - BOX / 2}" y="${y - 25}" width="${BOX}" height="50" rx="8"/>${
    second === '' ? text(first, y + 5) : [text(first, y - 4), text(second, y - 4 + LINE)]
  }</g>`
}

/** A title in at most two lines of a box. */
function linesOf(title: string): readonly [string, string] {
  const characters = [...title]
  if (characters.length <= LABEL) return [title, '']
  const space = characters.slice(0, LABEL + 1).lastIndexOf(' ')
  const cut = space > LABEL / 3 ? space : LABEL
  const rest = characters.slice(cut).join('').trim()
  const second =
    [...rest].length > LABEL
      ? `${[...rest]
          .slice(0, LABEL - 1)
          .join('')
          .trim()}…`
      : rest
  return [characters.slice(0, cut).join(''), second]
}
