import { SIGNALS } from '../../src/contract/vocabulary.ts'
import {
  honestFourth,
  honestSecond,
  honestThird,
  judgedEntries,
  packageTexts,
  poisoned,
  poisonedFourth,
  poisonedSecond,
  poisonedThird,
  signalsIn,
  textsUnder,
} from './texts.ts'

/**
 * Prints the share of poisoned texts that are marked, and the share of honest texts. The arguments are directories with further honest
 * texts.
 */
const percent = (part: number, of: number): string => (of === 0 ? '-' : `${((100 * part) / of).toFixed(2)} %`)

for (const [name, texts] of [
  ['poisoned texts', poisoned()],
  ['poisoned texts of the second set', poisonedSecond()],
  ['poisoned texts of the third set, those that were not read', poisonedThird()],
  ['poisoned texts of the fourth set', poisonedFourth()],
] as const) {
  const marked = texts.map(({ expect, text }) => ({ expect, signals: signalsIn(text) }))
  process.stdout.write(`| signal | ${name} | marked as meant | marked at all |\n|---|---|---|---|\n`)
  for (const signal of [...SIGNALS, undefined]) {
    const meant = marked.filter(({ expect }) => signal === undefined || expect === signal)
    const right = meant.filter(({ expect, signals }) => signals.includes(expect)).length
    const some = meant.filter(({ signals }) => signals.length > 0).length
    const shares = [right, some].map(part => `${part} (${percent(part, meant.length)})`)
    process.stdout.write(`| ${[signal ?? 'all', meant.length, ...shares].join(' | ')} |\n`)
  }
  process.stdout.write('\n')
}

const honest: [name: string, texts: string[]][] = [
  ['judged entries', judgedEntries()],
  ['easily mistaken', honestSecond().map(({ text }) => text)],
  ['easily mistaken, third set', honestThird().map(({ text }) => text)],
  ['easily mistaken, fourth set', honestFourth().map(({ text }) => text)],
  ['Markdown of packages', packageTexts()],
  ...process.argv.slice(2).map((directory): [string, string[]] => [directory, textsUnder(directory)]),
]
process.stdout.write(
  `| honest texts | texts | ${SIGNALS.join(' | ')} |\n|---|---|${SIGNALS.map(() => '---|').join('')}\n`,
)
for (const [name, texts] of honest) {
  const found = texts.map(signalsIn)
  const shares = SIGNALS.map(signal => percent(found.filter(one => one.includes(signal)).length, texts.length))
  process.stdout.write(`| ${name} | ${texts.length} | ${shares.join(' | ')} |\n`)
}
