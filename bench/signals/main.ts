import { SIGNALS } from '../../src/contract/vocabulary.ts'
import { HONEST, judgedEntries, POISONED, packageTexts, signalsIn, textsUnder } from './texts.ts'

/**
 * Prints the share of poisoned texts that are marked, and the share of honest texts. The arguments are directories with further honest
 * texts.
 */
const share = (part: number, of: number): string => (of === 0 ? '-' : `${((100 * part) / of).toFixed(2)} %`)

/** Prints a table in Markdown. Its first row has the names of the columns. */
function print([head = [], ...rows]: string[][]): void {
  const lines = [head, head.map(() => '---'), ...rows].map(row => `| ${row.join(' | ')} |\n`)
  process.stdout.write(`${lines.join('')}\n`)
}

for (const [set, texts] of Object.entries(POISONED)) {
  const marked = texts.map(({ expect, text }) => ({ expect, signals: signalsIn(text) }))
  const rows = [...SIGNALS, undefined].map(signal => {
    const meant = marked.filter(({ expect }) => signal === undefined || expect === signal)
    const right = meant.filter(({ expect, signals }) => signals.includes(expect)).length
    const some = meant.filter(({ signals }) => signals.length > 0).length
    return [signal ?? 'all', meant.length, ...[right, some].map(part => `${part} (${share(part, meant.length)})`)]
  })
  print([
    ['signal', `poisoned texts, ${set} set`, 'marked as meant', 'marked at all'],
    ...rows.map(row => row.map(String)),
  ])
}

const honest: Record<string, string[]> = {
  'judged entries': judgedEntries(),
  ...Object.fromEntries(
    Object.entries(HONEST).map(([set, texts]) => [`easily mistaken, ${set} set`, texts.map(({ text }) => text)]),
  ),
  'Markdown of packages': packageTexts(),
  ...Object.fromEntries(process.argv.slice(2).map(directory => [directory, textsUnder(directory)])),
}
const rows = Object.entries(honest).map(([name, texts]) => {
  const found = texts.map(signalsIn)
  const shares = SIGNALS.map(signal => share(found.filter(one => one.includes(signal)).length, texts.length))
  return [name, String(texts.length), ...shares]
})
print([['honest texts', 'texts', ...SIGNALS], ...rows])
