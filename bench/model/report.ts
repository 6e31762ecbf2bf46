import { drawScaling } from './chart.ts'
import { readCosts } from './costs.ts'
import { type ModelResults, readModel } from './results.ts'
import { costTable, hitTable, scenarioTables, validationTable } from './tables.ts'
import { TOLERANCE } from './validate.ts'

const BEGIN = '<!-- Made from bench/results/model.json by `npm run docs`; do not edit. -->'
const END = '<!-- So far made. -->'

const latest = (): ModelResults => {
  const results = readModel()
  if (results === undefined) throw new Error('bench/results/model.json is not there; npm run bench:model makes it.')
  return results
}

/** The picture of the latest results of the model. */
export const latestScaling = (): string => drawScaling(latest())

/** Replaces the text between the two marks of a document by tables of the latest results. Leaves the rest unchanged. */
export function withModel(document: string): string {
  const [begin, end] = [document.indexOf(BEGIN), document.indexOf(END)]
  if (begin === -1 || end < begin) throw new Error('The document has no place for the results of the model.')
  return `${document.slice(0, begin)}${BEGIN}\n${sections(latest())}\n${document.slice(end)}`
}

function sections({ validation, hitRatios, settings, scenarios }: ModelResults): string {
  const { date, machine, seconds, rounds } = validation
  const { saved, costs } = readCosts()
  const [mirrors, postgres, sizes, sensitivity] = scenarioTables(scenarios)
  const where = `${machine.processor}, ${machine.cores} cores, ${machine.memoryGb} GB, Linux ${machine.kernel}, Node ${machine.node}`
  const percent = (share: number): string => `${Math.round(100 * share)} %`
  return `
### The model beside this machine

Measured ${date} on ${where}; medians of ${rounds} rounds of ${seconds} s. A row that "sets costs" is a measurement from which costs are computed, so it proves nothing. A row that is "compared" sets no cost. \`npm run bench:model -- --validate\` fails if a compared throughput is off by more than ${percent(TOLERANCE)}. The latencies are not judged.

${validationTable(validation.points)}

Hit ratios are computed in two ways that agree:

${hitTable(hitRatios)}

### One writer, mirrors and shared caches

Estimated by the model, not tried. Each server is planned to be ${percent(scenarios.planned)} busy. ${percent(scenarios.searches)} of the reads are questions to \`/api/find\`; the popularity of entries follows Zipf's law with exponent ${scenarios.exponent}. "Following" is the share of one core that a mirror needs to copy the writes. "Bottleneck" names the thread or the lock that saturates first among those that more servers do not relieve, and the multiple of the load at which this happens. Below 1 × the installation cannot serve the load. The model takes its quantiles from ${settings.requests.toLocaleString('en-US')} simulated reads (seed ${settings.seed}), without the network to the client.

${mirrors}

### Nodes over PostgreSQL and shared caches

Estimated by the model, not tried.

${postgres}

### Sizes

The store has two revisions of 2 kB for each entry. The index is for entries of 2 kB. Bytes for each entry are measured; the multiplication to this many is not tried.

${sizes}

### How much depends on popularity

10^9 entries, 100,000 reads and 2,000 writes a second, with one writer and mirrors:

${sensitivity}

### Inputs

${costTable(saved, costs)}
`
}
