import MarkdownIt from 'markdown-it'

/** A line of a recorded terminal: seconds since the beginning, and one of two columns, or the whole width. */
export type Row = {
  at: number
  column: 'left' | 'right' | 'both'
  text: string
  style: 'plain' | 'command' | 'fault'
}

const LEFT = 42
const WIDTH = 100
const LINE = 18
const CHARACTER = 7.9
const TOP = 34
const COLOURS: Record<Row['style'], number> = { plain: 0, command: 1, fault: 31 }

/** The recording as asciicast 2 (https://docs.asciinema.org/manual/asciicast/v2/), one line of JSON for each event. */
export function asciicast(title: string, rows: readonly Row[]): string {
  const header = { version: 2, width: WIDTH, height: rows.length + 1, title }
  const events = rows.map(({ at, column, text, style }) => {
    const margin = column === 'right' ? `${' '.repeat(LEFT)}│ ` : ''
    const end = column === 'left' ? `${' '.repeat(Math.max(0, LEFT - text.length))}│` : ''
    return [Number(at.toFixed(3)), 'o', `${margin}\u001b[${COLOURS[style]}m${text}\u001b[0m${end}\r\n`]
  })
  return `${[header, ...events].map(line => JSON.stringify(line)).join('\n')}\n`
}

/** The recording as SVG. Each line appears at its time, once; a viewer without animations shows all of them. */
export function drawing(title: string, rows: readonly Row[]): string {
  const escaped = new MarkdownIt().utils.escapeHtml
  const height = TOP + rows.length * LINE + 8
  const width = WIDTH * CHARACTER
  const half = (LEFT + 1) * CHARACTER
  const lines = rows.map(({ at, column, text, style }, index) => {
    const x = column === 'right' ? half + CHARACTER : CHARACTER
    const time = `<text class="time" x="${width - 8}" y="${TOP + index * LINE}">${at.toFixed(2)} s</text>`
    const shown = `<text class="${style}" x="${x.toFixed(1)}" y="${TOP + index * LINE}">${escaped(text)}</text>`
    return `<g style="animation-delay:${at.toFixed(2)}s">${shown}${time}</g>`
  })
  const columns = TOP + rows.findIndex(({ column }) => column === 'both') * LINE - 12
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(title)}">
<style>
text { font: 13px ui-monospace, 'DejaVu Sans Mono', monospace; fill: #d1d7e0; white-space: pre }
.command, .head { fill: #fff; font-weight: 600 }
.fault { fill: #ff7b72; font-weight: 600 }
.time { fill: #8b949e; text-anchor: end }
g { animation: appear 1ms both }
@keyframes appear { from { opacity: 0 } }
@media (prefers-reduced-motion: reduce) { g { animation: none } }
</style>
<rect width="${width}" height="${height}" rx="6" fill="#161b22"/>
<path d="M${half.toFixed(1)} 0V${columns}M0 ${columns}H${width}" stroke="#30363d"/>
<text class="head" x="${CHARACTER}" y="16">window A</text><text class="head" x="${(half + CHARACTER).toFixed(1)}" y="16">window B</text>
${lines.join('\n')}
</svg>
`
}
