export type Value = string | number | null

/** A statement of the shared dialect: `?` marks where each value goes. Build it with the `sql` tag only. */
export type Sql = { readonly text: string; readonly values: readonly Value[] }

const isSql = (value: unknown): value is Sql => typeof value === 'object' && value !== null && 'text' in value

const plainTexts = new WeakMap<TemplateStringsArray, string>()

/**
 * Tags a template as SQL: values become parameters, a nested `sql` is spliced in.
 * The text depends on the source alone, so that every statement is prepared once.
 */
export function sql(strings: TemplateStringsArray, ...parts: (Value | Sql)[]): Sql {
  if (!parts.some(isSql)) {
    let text = plainTexts.get(strings)
    if (text === undefined) {
      text = strings.join('?')
      plainTexts.set(strings, text)
    }
    return { text, values: parts as Value[] }
  }
  let text = strings[0] ?? ''
  const values: Value[] = []
  parts.forEach((part, index) => {
    if (isSql(part)) {
      text += part.text
      values.push(...part.values)
    } else {
      text += '?'
      values.push(part)
    }
    text += strings[index + 1] ?? ''
  })
  return { text, values }
}
