export type Value = string | number | null

/**
 * A statement of the dialect that both engines share: `?` marks the place of each value. Build it with the `sql` tag only. Columns are
 * TEXT, INTEGER (64 bit) and REAL. Times are milliseconds since 1970, booleans 0 and 1, sets JSON text. The application generates ids and
 * times. A compare-and-swap is a condition in WHERE. No LIKE, no FOR UPDATE, and no functions but coalesce, count, max and sum. Every list
 * and read has an index; plan tests check it on both engines.
 */
export type Sql = { readonly text: string; readonly values: readonly Value[] }

const plainTexts = new WeakMap<TemplateStringsArray, string>()

/**
 * Tags a template as SQL: values become parameters, a nested `sql` is spliced in. The text depends on the source alone: each statement is
 * prepared once.
 */
export function sql(strings: TemplateStringsArray, ...parts: (Value | Sql)[]): Sql {
  for (const part of parts) if (typeof part === 'object' && part !== null) return spliced(strings, parts)
  let text = plainTexts.get(strings)
  if (text === undefined) {
    text = strings.join('?')
    plainTexts.set(strings, text)
  }
  return { text, values: parts as Value[] }
}

function spliced(strings: TemplateStringsArray, parts: readonly (Value | Sql)[]): Sql {
  // A template has one string more than it has values.
  let text = strings[0] as string
  const values: Value[] = []
  for (const [index, part] of parts.entries()) {
    if (typeof part === 'object' && part !== null) {
      text += part.text
      values.push(...part.values)
    } else {
      text += '?'
      values.push(part)
    }
    text += strings[index + 1] as string
  }
  return { text, values }
}
