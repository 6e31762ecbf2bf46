import { checkOf } from '../contract/check.ts'
import { NAMED_INPUTS, OPERATIONS, type Operation, type OperationName } from '../contract/operations.ts'
import { Problem } from '../contract/problems.ts'
import type { Schema } from '../contract/schema.ts'
import { isCleanText } from '../domain/text.ts'

export type Checks = {
  /** Gives the path parameters or throws INVALID_PATH. */
  params(values: Record<string, string>): Record<string, string>
  /** Gives the query or throws INVALID_QUERY; `search` is the raw text behind the question mark. */
  query(search: string): Record<string, string | number>
  /** Gives the parsed body or throws INVALID_BODY or INVALID_TEXT. */
  body(value: unknown): unknown
}

const checksOf = (operation: Operation): Checks => {
  const params = Object.entries(operation.params).map(([name, schema]) => [name, checkOf(schema)] as const)
  const query = checkOf(operation.query)
  const properties = (operation.query as { properties: Record<string, { type?: string }> }).properties
  const integers = new Set(Object.keys(properties).filter(name => properties[name]?.type === 'integer'))
  const body = operation.body === undefined ? undefined : checkOf<Schema>(NAMED_INPUTS[operation.body])
  const needsNothing = query.fits({})
  const closed = operation.path.startsWith('/api/')
  return {
    params(values) {
      for (const [name, check] of params) {
        const value = values[name]
        if (!check.fits(value) || !isCleanText(value)) throw new Problem('INVALID_PATH')
      }
      return values
    },
    query(search) {
      if (!closed || (search === '' && needsNothing)) return {}
      const values = parseQuery(search, integers)
      if (!query.fits(values)) throw new Problem('INVALID_QUERY')
      return values
    },
    body(value) {
      if (body === undefined) return undefined
      if (!body.fits(value)) throw new Problem('INVALID_BODY')
      if (!isCleanText(value)) throw new Problem('INVALID_TEXT')
      return value
    },
  }
}

/** The checks of every operation, compiled once. */
export const CHECKS = Object.fromEntries(
  Object.entries(OPERATIONS).map(([name, operation]) => [name, checksOf(operation)]),
) as Record<OperationName, Checks>

/** Reads a query string strictly: valid percent-encoding of UTF-8, no parameter twice, no U+0000. */
function parseQuery(search: string, integers: ReadonlySet<string>): Record<string, string | number> {
  const values: Record<string, string | number> = Object.create(null) as Record<string, string | number>
  for (const part of search.split('&')) {
    if (part === '') continue
    const equals = part.indexOf('=')
    const name = decode(equals < 0 ? part : part.slice(0, equals))
    const value = decode(equals < 0 ? '' : part.slice(equals + 1))
    if (name in values || !isCleanText(value)) throw new Problem('INVALID_QUERY')
    if (integers.has(name)) {
      if (!/^\d{1,9}$/.test(value)) throw new Problem('INVALID_QUERY')
      values[name] = Number(value)
    } else values[name] = value
  }
  return { ...values }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw new Problem('INVALID_QUERY')
  }
}
