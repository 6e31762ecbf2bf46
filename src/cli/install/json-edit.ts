/**
 * A change of a JSON file: a member of an object, or an item of a list, at a path of members from the top. A shared member belongs to
 * everyone: it is added if it is missing, and never removed.
 */
export type JsonEdit = { path: readonly string[]; value: unknown; isItem?: true; isShared?: true }

type Json = Record<string, unknown>
export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The value at a path; undefined if there is none. */
export const valueAt = (root: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((value, name) => (isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined), root)

/** A container of JSON that was found in a text: the place after its opening bracket, and its members or items. */
type Span = { key: string; from: number; valueFrom: number; to: number }
type Container = { opened: number; closed: number; spans: Span[] }

/** Reads the container whose bracket is at `at`. The text must be valid JSON. */
function containerAt(text: string, at: number): Container {
  const isList = text[at] === '['
  const spans: Span[] = []
  let place = skipSpace(text, at + 1)
  while (text[place] !== ']' && text[place] !== '}') {
    const from = place
    let key = ''
    if (!isList) {
      const end = valueEnd(text, place)
      key = JSON.parse(text.slice(place, end)) as string
      place = skipSpace(text, skipSpace(text, end) + 1)
    }
    const to = valueEnd(text, place)
    spans.push({ key, from, valueFrom: place, to })
    place = skipSpace(text, to)
    if (text[place] === ',') place = skipSpace(text, place + 1)
  }
  return { opened: at + 1, closed: place, spans }
}

function skipSpace(text: string, from: number): number {
  let place = from
  while (/\s/.test(text[place] ?? '')) place += 1
  return place
}

/** The place after the value that begins at `from`. */
function valueEnd(text: string, from: number): number {
  let depth = 0
  for (let place = from; place < text.length; place += 1) {
    const character = text[place] as string
    if (character === '"') {
      for (place += 1; text[place] !== '"'; place += 1) if (text[place] === '\\') place += 1
      if (depth === 0) return place + 1
    } else if (character === '{' || character === '[') depth += 1
    else if (character === '}' || character === ']') {
      if (depth === 0) return place
      depth -= 1
      if (depth === 0) return place + 1
    } else if (depth === 0 && /[\s,]/.test(character)) return place
  }
  return text.length
}

const indentOf = (text: string): string => /\n([ \t]+)"/.exec(text)?.[1] ?? '  '

/** Adds a member or an item in front of the others, and creates missing containers. Changes no other character of the text. */
export function added(text: string, { path, value, isItem }: JsonEdit): string {
  const indent = indentOf(text)
  let container = containerAt(text, skipSpace(text, 0))
  let depth = 1
  const names = isItem ? path : path.slice(0, -1)
  for (const name of names) {
    const found = container.spans.find(({ key }) => key === name)
    if (found === undefined) break
    container = containerAt(text, found.valueFrom)
    depth += 1
  }
  const missing = path.slice(depth - 1)
  const [first, ...rest] = missing
  const inner = rest.reduceRight<unknown>(
    (nested, name) => ({ [name]: nested }),
    isItem && missing.length > 0 ? [value] : value,
  )
  const written = JSON.stringify(first === undefined ? value : inner, null, indent).replaceAll(
    '\n',
    `\n${indent.repeat(depth)}`,
  )
  const line = `\n${indent.repeat(depth)}${first === undefined ? '' : `${JSON.stringify(first)}: `}${written}`
  const { opened, closed, spans } = container
  if (spans.length > 0) return `${text.slice(0, opened)}${line},${text.slice(opened)}`
  return `${text.slice(0, opened)}${line}\n${indent.repeat(depth - 1)}${text.slice(closed)}`
}

/** Removes the member at a path, or the items of a list that `isOurs` accepts. Removes containers that become empty, down to `keep`. */
export function removed(
  text: string,
  { path, isItem }: JsonEdit,
  isOurs: (item: unknown) => boolean,
  keeps: (path: readonly string[]) => boolean,
): string {
  let container = containerAt(text, skipSpace(text, 0))
  for (const name of isItem ? path : path.slice(0, -1)) {
    const found = container.spans.find(({ key }) => key === name)
    if (found === undefined || !/[{[]/.test(text[found.valueFrom] ?? '')) return text
    container = containerAt(text, found.valueFrom)
  }
  const place = container.spans.findIndex(({ key, valueFrom, to }) =>
    isItem ? isOurs(JSON.parse(text.slice(valueFrom, to))) : key === path.at(-1),
  )
  if (place < 0) return text
  const rest = without(text, container, place)
  const parent = isItem ? path : path.slice(0, -1)
  const isEmpty = container.spans.length === 1
  if (isEmpty && parent.length > 0 && !keeps(parent))
    return removed(rest, { path: parent, value: undefined }, isOurs, keeps)
  return isItem && !isEmpty ? removed(rest, { path, value: undefined, isItem }, isOurs, keeps) : rest
}

function without(text: string, { opened, closed, spans }: Container, place: number): string {
  const span = spans[place] as Span
  const next = spans[place + 1]
  if (spans.length === 1) return text.slice(0, opened) + text.slice(closed)
  if (next !== undefined) return text.slice(0, span.from) + text.slice(next.from)
  return text.slice(0, (spans[place - 1] as Span).to) + text.slice(span.to)
}
