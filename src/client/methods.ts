import type { Connection } from './connection.ts'
import { clientError } from './problem.ts'
import type { Call } from './request.ts'
import type { CallOptions } from './settings.ts'
import { type Methods, OPERATIONS } from './table.ts'

type Row = { method: 'GET' | 'POST'; path: string; token: boolean; charged: boolean; input: 'body' | 'query' | 'none' }

/** Makes one method per row of `OPERATIONS`. `tokenFor` returns the token to send with a call, or undefined. */
export function methodsOver(connection: Pick<Connection, 'send'>, tokenFor: (row: Row) => string | undefined): Methods {
  const methods = Object.entries(OPERATIONS).map(([name, row]: [string, Row]) => {
    const names = [...row.path.matchAll(/\{(\w+)\}/g)].map(([, param = '']) => param)
    const method = async (...given: unknown[]): Promise<unknown> => {
      const input = row.input === 'none' ? undefined : given[names.length]
      const options = given[names.length + (row.input === 'none' ? 0 : 1)] as CallOptions | undefined
      const token = tokenFor(row)
      const call: Call = {
        method: row.method,
        path: pathOf(row.path, name, given) + (row.input === 'query' ? await queryOf(name, input) : ''),
        charged: row.charged,
        ...(token === undefined ? {} : { token }),
        ...(row.input === 'body' ? { body: input ?? {} } : {}),
      }
      return connection.send(call, options)
    }
    return [name, method]
  })
  return Object.fromEntries(methods) as Methods
}

function pathOf(path: string, operation: string, given: readonly unknown[]): string {
  let index = 0
  return path.replaceAll(/\{(\w+)\}/g, (_, param: string) => {
    const value = given[index]
    index += 1
    // In a URL path, `.`, `..` and an empty segment would change the path.
    if (typeof value !== 'string' || !value.isWellFormed() || /^\.{0,2}$/.test(value)) {
      throw clientError('INVALID_ARGUMENT', `The ${param} of ${operation} is a text that names something.`)
    }
    return encodeURIComponent(value)
  })
}

/** Every q up to this length is sent unchanged. */
const Q_CHARACTERS = 200

async function queryOf(operation: string, query: unknown): Promise<string> {
  const given = new URLSearchParams()
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value === undefined) continue
    const text = String(value)
    const isLong = name === 'q' && text.length > Q_CHARACTERS
    given.set(name, isLong ? (await import('./shorten.ts')).acceptedQ(operation, text) : text)
  }
  return given.size === 0 ? '' : `?${given}`
}
