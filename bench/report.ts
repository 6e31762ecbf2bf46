import { join } from 'node:path'
import { drawChart } from './chart.ts'
import { type Results, readResults } from './results.ts'
import { claimTable, ratioTable } from './tables.ts'

/** The figures that the documents show. */
export const LATEST = join(import.meta.dirname, 'results/latest.json')
const BEGIN = '<!-- Made from bench/results/latest.json by `npm run docs`; do not edit. -->'
const END = '<!-- So far made. -->'

const latest = (): Results => {
  const results = readResults(LATEST)
  if (results === undefined) throw new Error(`${LATEST} is not there; npm run bench makes it.`)
  return results
}

/** The picture of the latest figures. */
export const latestChart = (): string => drawChart(latest())

/** Replaces the text between the two marks of a document by tables of the latest figures. Leaves the rest unchanged. */
export function withFigures(document: string): string {
  const [begin, end] = [document.indexOf(BEGIN), document.indexOf(END)]
  if (begin === -1 || end < begin) throw new Error('The document has no place for figures.')
  return `${document.slice(0, begin)}${BEGIN}\n${figures(latest())}\n${document.slice(end)}`
}

function figures(results: Results): string {
  const { date, machine, settings, targets } = results
  const where = `${machine.processor}, ${machine.cores} cores, ${machine.memoryGb} GB, Linux ${machine.kernel}, Node ${machine.node}`
  const how = `${settings.connections} connections, ${settings.rounds} alternating rounds of ${settings.seconds} s${machine.pinned ? ', servers on one core, the load on another' : ''}`
  const who = Object.entries(targets).map(([name, { about }]) => `- ${name}: ${about}`)
  return `
Measured ${date} on ${where}; ${how}. Figures are medians per second. In brackets: the rate of this service divided by that of the row.

${ratioTable(results)}

${who.join('\n')}

${claimTable(results.claims)}
`
}
