import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { LIMITS } from '../../src/contract/limits.ts'
import type { Signal } from '../../src/contract/vocabulary.ts'
import { signalNames, signalsOf } from '../../src/memory/signals/signals.ts'

const HERE = import.meta.dirname
const ROOT = join(HERE, '../..')

export type Poisoned = { expect: Signal; text: string }
export type Honest = { language: string; text: string }

const linesOf = <T>(name: string): T[] =>
  readFileSync(join(HERE, name), 'utf8')
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as T)

/** The signals of a text if it is the content of an entry. */
export const signalsIn = (content: string): Signal[] =>
  signalNames(signalsOf({ title: '', summary: '', content, rationale: '', tags: [] }))

/** Texts that were written after the patterns. The patterns were not changed for them. */
export const poisoned = (): Poisoned[] => linesOf('poisoned-held-out.jsonl')

/** A second set of texts with other words and other tricks, each with its language and its trick. */
export const poisonedSecond = (): Poisoned[] => linesOf('poisoned-second.jsonl')

/**
 * A third set by an author who knew neither the patterns nor the other sets. The patterns were changed after the odd lines were read. The
 * even lines, which this function returns, were not read.
 */
export const poisonedThird = (): Poisoned[] => linesOf<Poisoned>('poisoned-third.jsonl').filter((_, at) => at % 2 === 1)
export const honestThird = (): Honest[] => linesOf<Honest>('honest-third.jsonl').filter((_, at) => at % 2 === 1)

/** A fourth set, whose author knew the known misses of the patterns. */
export const poisonedFourth = (): Poisoned[] => linesOf('poisoned-fourth.jsonl')
export const honestFourth = (): Honest[] => linesOf('honest-fourth.jsonl')

/**
 * Honest texts that resemble poisoned ones: they discuss attacks, quote them, document comments, or use scripts that need invisible
 * characters.
 */
export const honestSecond = (): Honest[] => linesOf('honest-second.jsonl')

/** The entries of the judged collection of the search bench. */
export const judgedEntries = (): string[] =>
  readdirSync(join(ROOT, 'bench/search/judged'))
    .filter(name => name.startsWith('corpus-'))
    .flatMap(name =>
      readFileSync(join(ROOT, 'bench/search/judged', name), 'utf8')
        .trim()
        .split('\n'),
    )

/** Markdown and text files under a directory, divided into contents of entries. */
export function textsUnder(directory: string): string[] {
  const contents: string[] = []
  for (const found of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    if (!found.isFile() || !/\.(?:md|markdown|txt|rst)$/i.test(found.name)) continue
    const text = readFileSync(join(found.parentPath, found.name), 'utf8')
    for (let from = 0; from < text.length; from += LIMITS.contentCharacters) {
      contents.push(text.slice(from, from + LIMITS.contentCharacters))
    }
  }
  return contents
}

/** The Markdown files of the installed packages. */
export const packageTexts = (): string[] => textsUnder(join(ROOT, 'node_modules'))
