import { open } from 'node:fs/promises'
import { OperatorError, systemFault } from '../../operator-error.ts'
import { merge, mergeSets, wholeLines } from '../../web/browser/three-way.js'
import { parsedJson, readBounded, utf8Text } from '../read.ts'
import type { Session } from './session.ts'

/** A text to publish or commit, with the members that a file has; their names are those of the contract. */
export type Draft = {
  title?: string
  summary?: string
  content: string
  tags?: string[]
  sources?: { entryId: string; revisionId: string }[]
  previousRevisionId?: string
  changeType?: string
  rationale?: string
}

const TEXTS = ['previousRevisionId', 'title', 'summary', 'changeType', 'rationale'] as const
const LISTS = ['tags', 'sources'] as const
const MEMBERS: readonly string[] = [...TEXTS, ...LISTS, 'content']
const FENCE = /^---[ \t]*\r?\n/
const FRONT = /^---[ \t]*\r?\n((?:[^\n]*\n)*?)---[ \t]*(?:\r?\n|$)(?:\r?\n)?/
export const HEADING = /^#[ \t]+(.+?)[ \t]*#*[ \t]*$/m

/** The front matter of a text, without its lines of ---, and the rest; undefined if the text has none. */
export function splitFront(text: string): { front: string; rest: string } | undefined {
  const found = FRONT.exec(text)
  return found === null ? undefined : { front: found[1] ?? '', rest: text.slice(found[0].length) }
}

/** A member of a front matter: its value, or its list in brackets or on the lines below it. `number` is that of its line. */
type FrontMember = { number: number; name: string; value: string; list: string[] }

/** The members of a front matter. A line that is neither a member nor an item of a list has an empty name. */
export function frontMembers(front: string): FrontMember[] {
  const members: FrontMember[] = []
  for (const [index, raw] of front.split('\n').entries()) {
    const line = raw.trimEnd()
    if (line.trim() === '' || line.startsWith('#')) continue
    const last = members.at(-1)
    const item = /^\s*-\s+(.*)$/s.exec(line)?.[1]
    const [, name = '', value = ''] = /^([\w-]+):\s*(.*)$/s.exec(line) ?? []
    if (item !== undefined && last?.value === '') last.list.push(scalar(item))
    else members.push({ number: index + 2, name, value: scalar(value), list: listOf(value) })
  }
  return members
}

/** A list in brackets, which may be JSON, or with commas alone. */
function listOf(value: string): string[] {
  const list = value.startsWith('[') ? parsedJson(value) : undefined
  if (Array.isArray(list)) return list.map(String)
  const items = value.replace(/^\[(.*)\]$/s, '$1').split(',')
  return items.map(one => scalar(one.trim())).filter(one => one !== '')
}

/** A value in double quotes is parsed as JSON, which YAML includes; one in single quotes has them doubled. */
function scalar(text: string): string {
  const quoted = text.startsWith('"') ? parsedJson(text) : undefined
  if (typeof quoted === 'string') return quoted
  return /^'.*'$/.test(text) ? text.slice(1, -1).replaceAll("''", "'") : text
}

/** The markers of a conflict. A text with one is not finished. */
const OPEN_MARKS = { mine: '<<<<<<< yours', between: '=======', theirs: '>>>>>>> theirs' } as const

/** Parses a draft: JSON if the text begins with a brace, otherwise Markdown with front matter. Errors contain `name`. */
export function parseDraft(text: string, name: string): Draft {
  const plain = text.replace(/^\ufeff/, '')
  const draft = /^\s*\{/.test(plain) && !name.endsWith('.md') ? jsonDraft(plain, name) : markdownDraft(plain, name)
  const open = Object.values(draft).some(
    value => typeof value === 'string' && `\n${value}`.includes(`\n${OPEN_MARKS.mine}`),
  )
  if (open) throw new OperatorError(`${name} still contains "${OPEN_MARKS.mine}"; resolve the conflict first.`)
  return draft
}

function jsonDraft(text: string, name: string): Draft {
  const value = parsedJson(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new OperatorError(`${name} begins like a JSON object but is invalid; fix it, or name the file .md.`)
  }
  const strange = Object.keys(value).find(member => !MEMBERS.includes(member))
  if (strange !== undefined) {
    throw new OperatorError(`${name}: "${strange}" is not a member of a draft; the members are ${MEMBERS.join(', ')}.`)
  }
  return value as Draft
}

/** A final line break belongs to the file, one empty line to the front matter. All other bytes are the content. */
function markdownDraft(text: string, name: string): Draft {
  const split = splitFront(text)
  if (split === undefined && FENCE.test(text))
    throw new OperatorError(`${name} begins with --- but has no second line of ---, so its front matter has no end.`)
  const { front, rest } = split ?? { front: '', rest: text }
  const draft = frontMatter(front, name)
  const content = rest.replace(/^[^\n]*\r\n/.test(text) ? /\r\n$/ : /\n$/, '')
  const title = draft.title ?? HEADING.exec(content)?.[1]
  return { ...draft, ...(title === undefined ? {} : { title }), content }
}

function frontMatter(front: string, name: string): Omit<Draft, 'content'> {
  const draft: Record<string, unknown> = {}
  for (const { number, name: member, value, list } of frontMembers(front)) {
    const where = `${name}, line ${number}`
    if (member === '') throw new OperatorError(`${where}, is neither "name: value" nor "- item".`)
    if (Object.hasOwn(draft, member)) throw new OperatorError(`${where}: ${member} exists twice.`)
    const isText = (TEXTS as readonly string[]).includes(member)
    if (!isText && !(LISTS as readonly string[]).includes(member)) {
      const names = [...TEXTS, ...LISTS].join(', ')
      throw new OperatorError(`${where}: "${member}" is not a member of the front matter; the members are ${names}.`)
    }
    draft[member] = isText ? value : list
  }
  return checked(draft, name)
}

function checked(draft: Record<string, unknown>, name: string): Omit<Draft, 'content'> {
  const { sources, ...members } = draft as Omit<Draft, 'content' | 'sources'> & { sources?: string[] }
  if (sources === undefined) return members
  const pairs = sources.map(source => {
    const [entryId, revisionId, more] = source.split(/[\s@]+/)
    if (entryId === undefined || revisionId === undefined || more !== undefined) {
      throw new OperatorError(`${name}: the source "${source}" is not "<entry id>@<revision id>".`)
    }
    return { entryId, revisionId }
  })
  return { ...members, sources: pairs }
}

/** Formats a draft as Markdown with front matter. parseDraft returns the same draft. */
export function formatDraft({ content, tags, sources, ...texts }: Draft): string {
  const lines = TEXTS.flatMap(name => {
    const value = texts[name]
    return value === undefined ? [] : [`${name}: ${name === 'previousRevisionId' ? value : JSON.stringify(value)}`]
  })
  if (tags !== undefined && tags.length > 0) lines.push(`tags: [${tags.join(', ')}]`)
  if (sources !== undefined && sources.length > 0) {
    lines.push('sources:', ...sources.map(({ entryId, revisionId }) => `  - ${entryId}@${revisionId}`))
  }
  return `---\n${lines.join('\n')}\n---\n\n${content}\n`
}

type Merged = { text: string; open: number }

/** Merges two changes of one text. Different changes of the same words stay as whole lines between markers; `open` is their number. */
export function mergeTexts(base: string, theirs: string, mine: string): Merged {
  const parts = wholeLines(merge(base, theirs, mine))
  return {
    text: parts.map(part => (part.kind === 'settled' ? part.text : marked(part))).join(''),
    open: parts.filter(({ kind }) => kind === 'open').length,
  }
}

function marked({ theirs, mine }: { theirs: string; mine: string }): string {
  const ended = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`)
  const { mine: begin, between, theirs: end } = OPEN_MARKS
  return `${begin}\n${ended(mine)}${between}\n${ended(theirs)}${end}\n`
}

/** Merges two changes of the texts of an entry. The result has the change type and rationale of `mine`. */
export function mergeDrafts(base: Draft, theirs: Draft, mine: Draft): { draft: Draft; open: number } {
  const title = mergeTexts(base.title ?? '', theirs.title ?? '', mine.title ?? '')
  const summary = mergeTexts(base.summary ?? '', theirs.summary ?? '', mine.summary ?? '')
  const content = mergeTexts(base.content, theirs.content, mine.content)
  const lists = [base, theirs, mine].map(({ sources = [] }) => sources)
  const [before = [], other = [], own = []] = lists
  const sources = mergeSets(before, other, own, ({ entryId, revisionId }) => `${entryId}@${revisionId}`)
  return {
    draft: { ...mine, title: title.text, summary: summary.text, content: content.text, sources },
    open: title.open + summary.open + content.open,
  }
}

/** More bytes than any body that the service accepts. */
const FILE_BYTES_MAX = 1_000_000

/** Reads the draft of a command: a file, or - for standard input. */
export const readDraft = async (session: Session, file: string): Promise<Draft> =>
  parseDraft(await readText(session, file), nameOf(file))

const nameOf = (file: string): string => (file === '-' ? 'Standard input' : file)

/** Reads a text in UTF-8 from a file, or from standard input as -. */
export async function readText({ invocation }: Session, file: string): Promise<string> {
  const name = nameOf(file)
  const bytes = file === '-' ? await bytesOf(invocation.stdin, name) : await bytesOfFile(file)
  const text = utf8Text(bytes)
  if (text === undefined) throw new OperatorError(`${name} is not text in UTF-8.`)
  return text
}

async function bytesOfFile(file: string): Promise<Buffer> {
  try {
    await using handle = await open(file)
    return await bytesOf(handle.createReadStream({ autoClose: false, end: FILE_BYTES_MAX }), file)
  } catch (error) {
    if (error instanceof OperatorError) throw error
    throw new OperatorError(`${file} cannot be read (${systemFault(error)}); name a text file, or -.`)
  }
}

async function bytesOf(stream: NodeJS.ReadableStream, name: string): Promise<Buffer> {
  const bytes = await readBounded(stream, FILE_BYTES_MAX)
  if (bytes === undefined) throw new OperatorError(`${name} is over ${FILE_BYTES_MAX} bytes; shorten it.`)
  return bytes
}
