import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

/** An entry as every system indexes it. */
export type Entry = { id: string; title: string; summary: string; content: string; tags: string[] }

export const KINDS = ['question', 'error', 'code', 'typo', 'forms', 'language', 'stacktrace', 'foreign'] as const
export type Kind = (typeof KINDS)[number]

/** A judged question. `relevant` maps entry ids to grades: 2 is exact, 1 is related. A foreign question has no relevant entries. */
export type Question = {
  id: string
  text: string
  kind: Kind
  /** The same question without the fault, for `typo` and `forms`. */
  twin: string | undefined
  relevant: Map<string, number>
}

export type Collection = { name: string; entries: Entry[]; questions: Question[] }

type Line = {
  _id: string
  title?: string
  summary?: string
  text: string
  tags?: string[]
  kind?: string
  twin?: string
}

/** Limits of the contract, in code points. Peers index the same shortened texts. */
const TITLE_MAX = 180
const SUMMARY_MAX = 500
const CONTENT_MAX = 20_000
/** Lengths in code points of a title and a summary that are made from the beginning of a text. */
const TITLE_MADE = 100
const SUMMARY_MADE = 200
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\ufffe\uffff]/g

/**
 * Reads a folder: `corpus*.jsonl`, `queries*.jsonl` and `qrels/*.tsv`. Its entries include those of the folders `beside`. Throws if a line
 * names a missing entry or question.
 */
export function readCollection(folder: string, beside: string[] = []): Collection {
  const entries = [...beside, folder].flatMap(one => linesOf(one, 'corpus')).map(entryOf)
  const known = new Set(entries.map(({ id }) => id))
  const judgments = readJudgments(join(folder, 'qrels'), known)
  const questions = linesOf(folder, 'queries').map(line => questionOf(line, judgments.get(line._id)))
  const asked = new Set(questions.map(({ id }) => id))
  assertDistinct(folder, 'entry', entries)
  assertDistinct(folder, 'question', questions)
  for (const id of judgments.keys()) {
    if (!asked.has(id)) throw new Error(`${folder}: a judgment names the question "${id}", which is not there.`)
  }
  for (const { id, twin } of questions) {
    if (twin !== undefined && !asked.has(twin)) throw new Error(`${folder}: the twin of "${id}" is not there.`)
  }
  const judged = questions.filter(({ kind, relevant }) => (kind === 'foreign') === (relevant.size === 0))
  return { name: basename(folder), entries, questions: judged }
}

/** The folders under `directory` that have a corpus, by name. */
export function foldersOf(directory: string): string[] {
  const holds = (folder: string): boolean => readdirSync(folder).some(name => /^corpus.*\.jsonl$/.test(name))
  if (!existsSync(directory)) throw new Error(`--collections: there is no directory ${directory}.`)
  return readdirSync(directory, { withFileTypes: true })
    .filter(entry => entry.isDirectory())
    .map(entry => join(directory, entry.name))
    .filter(holds)
    .sort()
}

function linesOf(folder: string, prefix: string): Line[] {
  const files = readdirSync(folder)
    .filter(name => name.startsWith(prefix) && name.endsWith('.jsonl'))
    .sort()
  return files.flatMap(name =>
    readFileSync(join(folder, name), 'utf8')
      .split('\n')
      .filter(line => line !== '')
      .map((line, at) => parseLine(line, `${join(folder, name)}:${at + 1}`)),
  )
}

function parseLine(line: string, place: string): Line {
  try {
    return JSON.parse(line) as Line
  } catch {
    throw new Error(`${place} is not a line of JSON.`)
  }
}

function readJudgments(folder: string, known: Set<string>): Map<string, Map<string, number>> {
  const judgments = new Map<string, Map<string, number>>()
  for (const name of readdirSync(folder)
    .filter(name => name.endsWith('.tsv'))
    .sort()) {
    for (const line of readFileSync(join(folder, name), 'utf8').trim().split('\n').slice(1)) {
      const [question = '', entry = '', grade = ''] = line.split('\t')
      if (!known.has(entry)) throw new Error(`${join(folder, name)}: the entry "${entry}" is not there.`)
      if (Number(grade) <= 0) continue
      judgments.set(question, (judgments.get(question) ?? new Map<string, number>()).set(entry, Number(grade)))
    }
  }
  return judgments
}

function entryOf({ _id, title = '', summary = '', text, tags = [] }: Line): Entry {
  const content = text.trim() === '' ? title : text
  return {
    id: _id,
    title: cut(filled(title, beginning(content, TITLE_MADE)), TITLE_MAX),
    summary: cut(filled(summary, beginning(content, SUMMARY_MADE)), SUMMARY_MAX),
    content: cut(content, CONTENT_MAX),
    tags,
  }
}

function questionOf({ _id, text, kind = 'question', twin }: Line, relevant = new Map<string, number>()): Question {
  const known = KINDS.find(name => name === kind)
  if (known === undefined)
    throw new Error(`The question "${_id}" is of the kind "${kind}"; there are ${KINDS.join(', ')}.`)
  return { id: _id, text, kind: known, twin, relevant }
}

const filled = (text: string, other: string): string => (text.trim() === '' ? other : text)

const cut = (text: string, most: number): string => [...text.replace(CONTROLS, ' ').trim()].slice(0, most).join('')

/** The first characters of a text on one line, up to a space if there is one. */
function beginning(text: string, most: number): string {
  const line = text.replace(/\s+/g, ' ').trim()
  const short = [...line].slice(0, most).join('')
  const space = short.lastIndexOf(' ')
  return short.length < line.length && space > most / 2 ? short.slice(0, space) : short
}

function assertDistinct(folder: string, noun: string, list: { id: string }[]): void {
  const seen = new Set<string>()
  for (const { id } of list) {
    if (seen.has(id)) throw new Error(`${folder}: there are two of the ${noun} "${id}".`)
    seen.add(id)
  }
}
