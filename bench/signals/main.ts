import { SIGNALS } from '../../src/contract/words.ts'
import { judgedEntries, packageTexts, poisoned, signalsIn, textsUnder } from './texts.ts'

/** Prints which share of poisoned texts is marked, and which share of honest ones; further directories may be named. */
const held = poisoned()
const percent = (part: number, of: number): string => (of === 0 ? '-' : `${((100 * part) / of).toFixed(2)} %`)

process.stdout.write('| signal | poisoned texts | marked |\n|---|---|---|\n')
for (const signal of SIGNALS) {
  const meant = held.filter(({ expect }) => expect === signal)
  const marked = meant.filter(({ text }) => signalsIn(text).includes(signal))
  process.stdout.write(`| ${signal} | ${meant.length} | ${percent(marked.length, meant.length)} |\n`)
}

const honest: [name: string, texts: string[]][] = [
  ['judged entries', judgedEntries()],
  ['Markdown of packages', packageTexts()],
  ...process.argv.slice(2).map((directory): [string, string[]] => [directory, textsUnder(directory)]),
]
process.stdout.write(
  `\n| honest texts | texts | ${SIGNALS.join(' | ')} |\n|---|---|${SIGNALS.map(() => '---|').join('')}\n`,
)
for (const [name, texts] of honest) {
  const found = texts.map(signalsIn)
  const shares = SIGNALS.map(signal => percent(found.filter(one => one.includes(signal)).length, texts.length))
  process.stdout.write(`| ${name} | ${texts.length} | ${shares.join(' | ')} |\n`)
}
