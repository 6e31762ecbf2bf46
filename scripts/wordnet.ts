import { createReadStream, existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** The directory of WordNet 3.0 in Debian's package wordnet-base. */
export const WORDNET = '/usr/share/wordnet'
export const hasWordnet = (directory = WORDNET): boolean => existsSync(join(directory, 'data.noun'))

const FILES = ['noun', 'verb', 'adj', 'adv'] as const
const PARTS: Record<string, string> = { n: 'noun', v: 'verb', a: 'adjective', s: 'adjective', r: 'adverb' }

/** The lexicographer files by number (lexnames(5WN)), which are the domains of synsets. */
const DOMAINS =
  'all pert all Tops act animal artifact attribute body cognition communication event feeling food group location motive object person phenomenon plant possession process quantity relation shape state substance time body change cognition communication competition consumption contact creation emotion motion perception possession social stative weather ppl'.split(
    ' ',
  )

/** Pointers (wninput(5WN)), with the relation of their source to their target. Of two inverse pointers, only one is used. */
const POINTERS: Record<string, string> = {
  '@': 'is a kind of',
  '@i': 'is an instance of',
  '#m': 'is a member of',
  '#s': 'is a substance of',
  '#p': 'is a part of',
  '!': 'is the opposite of',
  '=': 'is an attribute of, or has as values',
  '+': 'is related in form to',
  '*': 'entails',
  '>': 'causes',
  '^': 'see also',
  $: 'is grouped with',
  '&': 'is similar to',
  '<': 'is a participle of',
  '\\': 'pertains to',
  ';c': 'belongs to the topic of',
  ';r': 'is used in the region of',
  ';u': 'is a usage of',
}
/** Pointers that WordNet lists in both directions with the same symbol. */
const SYMMETRIC = new Set(['!', '=', '+', '^', '$', '&'])

export type Synset = {
  id: string
  title: string
  summary: string
  content: string
  tags: string[]
  pointers: { target: string; rationale: string }[]
}

/** All synsets of the four data files, in their order. */
export async function* synsets(directory = WORDNET): AsyncGenerator<Synset> {
  for (const file of FILES) {
    const lines = createInterface({ input: createReadStream(join(directory, `data.${file}`), 'utf8') })
    for await (const line of lines) if (!line.startsWith('  ')) yield parse(line)
  }
}

const idOf = (part: string, offset: string): string => `wn-${part === 's' ? 'a' : part}${offset}`

/** One line of a data file: offset, domain, part of speech, words, pointers, gloss (wndb(5WN)). */
function parse(line: string): Synset {
  const bar = line.indexOf('|')
  const fields = line.slice(0, bar).trim().split(' ')
  const gloss = line.slice(bar + 1).trim()
  let at = 0
  const take = (): string => fields[at++] ?? ''
  const offset = take()
  const domain = DOMAINS[Number(take())] ?? 'all'
  const part = take()
  const id = idOf(part, offset)
  const words = Array.from({ length: Number.parseInt(take(), 16) }, () => {
    const word = take()
      .replace(/\((?:a|p|ip)\)$/, '')
      .replaceAll('_', ' ')
    take()
    return word
  })
  const pointers = new Map<string, { target: string; rationale: string }>()
  for (let left = Number(take()); left > 0; left--) {
    const [symbol, targetOffset, targetPart] = [take(), take(), take()]
    take()
    const target = idOf(targetPart, targetOffset)
    const meaning = POINTERS[symbol]
    if (meaning === undefined || target === id || (SYMMETRIC.has(symbol) && target < id)) continue
    pointers.set(`${symbol} ${target}`, { target, rationale: `WordNet: the source ${meaning} the target.` })
  }
  const speech = PARTS[part] ?? 'word'
  return {
    id,
    title: cut(words.join(', '), 180),
    summary: cut(gloss.split(/; (?=")/)[0] ?? gloss, 500),
    content: cut(`${words.join(', ')} (${speech})\n\n${gloss}`, 20_000),
    tags: [speech, domain],
    pointers: [...pointers.values()],
  }
}

const cut = (text: string, most: number): string => (text.length <= most ? text : `${text.slice(0, most - 1)}…`)
