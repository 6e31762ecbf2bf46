import { globSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { LIMITS } from '../../src/contract/limits.ts'
import type { Signal } from '../../src/contract/vocabulary.ts'
import { signalNames, signalsOf } from '../../src/memory/signals/signals.ts'

const ROOT = join(import.meta.dirname, '../..')

type Poisoned = { expect: Signal; text: string }
type Honest = { language: string; text: string }

const rawLinesOf = (path: string): string[] => readFileSync(join(ROOT, path), 'utf8').trim().split('\n')
const linesOf = <T>(name: string): T[] => rawLinesOf(`bench/signals/${name}.jsonl`).map(line => JSON.parse(line) as T)
const isUnread = (_: unknown, at: number): boolean => at % 2 === 1

/** The signals of a text if it is the content of an entry. */
export const signalsIn = (content: string): Signal[] =>
  signalNames(signalsOf({ title: '', summary: '', content, rationale: '', tags: [] }))

/**
 * Poisoned texts. The patterns were not changed for the first two sets. The third is by an author who knew neither the patterns nor the
 * other sets; the patterns were changed after its odd lines were read, so only its even lines are here. The author of the fourth knew the
 * known misses of the patterns.
 */
export const POISONED = {
  first: linesOf<Poisoned>('poisoned-held-out'),
  second: linesOf<Poisoned>('poisoned-second'),
  third: linesOf<Poisoned>('poisoned-third').filter(isUnread),
  fourth: linesOf<Poisoned>('poisoned-fourth'),
}

/**
 * Honest texts that resemble the poisoned ones of the same set: they discuss attacks, quote them, document comments, or use scripts that
 * need invisible characters.
 */
export const HONEST = {
  second: linesOf<Honest>('honest-second'),
  third: linesOf<Honest>('honest-third').filter(isUnread),
  fourth: linesOf<Honest>('honest-fourth'),
}

/** The entries of the judged collection of the search bench, each as a line of JSON. */
export const judgedEntries = (): string[] =>
  globSync('bench/search/judged/corpus-*.jsonl', { cwd: ROOT }).flatMap(rawLinesOf)

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
