import { OperatorError } from '../../operator-error.ts'
import { parsedJson } from './credentials.ts'

/** A text that is to be published or committed, as far as a file says it; members are the contract's. */
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
const HEADING = /^#[ \t]+(.+?)[ \t]*#*[ \t]*$/m

/** What a conflict leaves to be decided; a text with it is not finished. */
export const OPEN_MARKS = { mine: '<<<<<<< yours', between: '=======', theirs: '>>>>>>> theirs' } as const

/** Reads a draft: JSON where the text begins with a brace, else Markdown with front matter. `name` is said in errors. */
export function parseDraft(text: string, name: string): Draft {
  const plain = text.replace(/^\ufeff/, '')
  const draft = /^\s*\{/.test(plain) && !name.endsWith('.md') ? jsonDraft(plain, name) : markdownDraft(plain, name)
  const open = Object.values(draft).some(
    value => typeof value === 'string' && `\n${value}`.includes(`\n${OPEN_MARKS.mine}`),
  )
  if (open) throw new OperatorError(`${name} still holds "${OPEN_MARKS.mine}": decide what stays there first.`)
  return draft
}

function jsonDraft(text: string, name: string): Draft {
  const value = parsedJson(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new OperatorError(`${name} begins like a JSON object and is none; mend it, or call the file .md.`)
  }
  const strange = Object.keys(value).find(member => !MEMBERS.includes(member))
  if (strange !== undefined) {
    throw new OperatorError(`${name}: "${strange}" is no member of a draft; they are ${MEMBERS.join(', ')}.`)
  }
  return value as Draft
}

/** A final line break belongs to the file, one empty line to the front matter; all else is content, byte for byte. */
function markdownDraft(text: string, name: string): Draft {
  const fence = FENCE.exec(text)
  const { draft, rest } = fence === null ? { draft: {}, rest: text } : frontMatter(text.slice(fence[0].length), name)
  const content = rest.replace(/^[^\n]*\r\n/.test(text) ? /\r\n$/ : /\n$/, '')
  const title = draft.title ?? HEADING.exec(content)?.[1]
  return { ...draft, ...(title === undefined ? {} : { title }), content }
}

function frontMatter(text: string, name: string): { draft: Omit<Draft, 'content'>; rest: string } {
  const draft: Record<string, unknown> = {}
  let list: string[] | undefined
  let from = 0
  for (let number = 2; from < text.length; number += 1) {
    const end = text.indexOf('\n', from)
    const line = text.slice(from, end < 0 ? text.length : end).trimEnd()
    from = end < 0 ? text.length : end + 1
    if (line === '---') return { draft: checked(draft, name), rest: text.slice(from).replace(/^\r?\n/, '') }
    if (line.trim() === '' || line.startsWith('#')) continue
    const item = /^\s*-\s+(.*)$/s.exec(line)
    const member = /^(\w+):\s*(.*)$/s.exec(line)
    if (item !== null && list !== undefined) list.push(scalar(item[1] ?? ''))
    else if (member !== null) list = put(draft, member[1] ?? '', member[2] ?? '', `${name}, line ${number}`)
    else throw new OperatorError(`${name}, line ${number}, is neither "name: value" nor "- item".`)
  }
  throw new OperatorError(`${name} begins with --- and has no second line of ---: its front matter never ends.`)
}

/** Puts a member where it belongs, and gives the list that the lines below may go on with. */
function put(draft: Record<string, unknown>, member: string, value: string, where: string): string[] | undefined {
  if (Object.hasOwn(draft, member)) throw new OperatorError(`${where}: ${member} is there twice.`)
  if ((TEXTS as readonly string[]).includes(member)) {
    draft[member] = scalar(value)
    return undefined
  }
  if (!(LISTS as readonly string[]).includes(member)) {
    const names = [...TEXTS, ...LISTS].join(', ')
    throw new OperatorError(`${where}: "${member}" is no member of the front matter; they are ${names}.`)
  }
  const items = value
    .replace(/^\[(.*)\]$/s, '$1')
    .split(',')
    .map(one => scalar(one.trim()))
    .filter(one => one !== '')
  draft[member] = items
  return items
}

/** A value in quotes is read as JSON, any other as it stands. */
function scalar(text: string): string {
  const quoted = text.startsWith('"') ? parsedJson(text) : undefined
  return typeof quoted === 'string' ? quoted : text
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

/** A draft as Markdown with front matter; parseDraft gives the same draft back. */
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
