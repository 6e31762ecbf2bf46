import type { IncomingHttpHeaders } from 'node:http'
import { checkOf, firstFault, type MemberFault } from '../contract/check.ts'
import { LIMITS } from '../contract/limits.ts'
import { codeOf } from '../contract/member-problems.ts'
import { NAMED_INPUTS, OPERATIONS, type Operation, type OperationName } from '../contract/operations.ts'
import { Problem } from '../contract/problem.ts'
import type { Schema } from '../contract/schema.ts'
import type { Awaitable } from '../engine/database.ts'
import { isUnclean, uncleanPath } from '../memory/values.ts'
import type { Exchange } from './exchange.ts'

const JSON_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*(?:utf-8|"utf-8")\s*)?;?\s*$/i

/** Maximum length of a Content-Type, in characters. Longer ones are refused without matching the pattern. */
const TYPE_CHARACTERS_MAX = 200

/** Refuses a body without a type, or with another type than uncompressed JSON in UTF-8. */
export function assertJsonBody(headers: IncomingHttpHeaders): void {
  const encoding = headers['content-encoding']
  const plain = encoding === undefined || encoding.trim().toLowerCase() === 'identity'
  const type = headers['content-type'] ?? ''
  if (!plain || type.length > TYPE_CHARACTERS_MAX || !JSON_TYPE.test(type)) throw new Problem('UNSUPPORTED_MEDIA_TYPE')
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Reads and parses the body of a request. Throws MALFORMED_JSON if it has none, and like `readBody` and `parseJson`. */
export async function readJson(exchange: Exchange): Promise<unknown> {
  const bytes = await readBody(exchange)
  if (bytes === undefined) throw new Problem('MALFORMED_JSON')
  return parseJson(bytes)
}

/** Parses the bytes of a body. Throws MALFORMED_JSON for invalid UTF-8, a byte order mark and invalid JSON. */
export function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(utf8.decode(bytes)) as unknown
  } catch {
    throw new Problem('MALFORMED_JSON')
  }
}

/** Reads the body of a request; undefined if it has none. Throws BODY_TOO_LARGE, or MALFORMED_REQUEST if the client disconnects. */
export function readBody(exchange: Exchange): Awaitable<Buffer | undefined> {
  const { headers, request, fields } = exchange
  const length = Number(headers['content-length'] ?? 0)
  if (length === 0 && headers['transfer-encoding'] === undefined) return undefined
  const tooLarge = (): Problem => {
    // The client may still send the rest of the body, so the connection is closed.
    fields.connection = 'close'
    return new Problem('BODY_TOO_LARGE')
  }
  if (length > LIMITS.bodyBytes) throw tooLarge()
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = []
    let received = 0
    const settle = (): void => {
      request.off('data', take).off('end', end).off('error', fail)
      request.on('error', () => {})
    }
    const take = (piece: Buffer): void => {
      received += piece.length
      pieces.push(piece)
      if (received <= LIMITS.bodyBytes) return
      settle()
      reject(tooLarge())
    }
    const end = (): void => {
      settle()
      resolve(pieces.length === 1 ? pieces[0] : Buffer.concat(pieces, received))
    }
    const fail = (): void => {
      settle()
      reject(new Problem('MALFORMED_REQUEST'))
    }
    request.on('data', take).on('end', end).on('error', fail)
  })
}

/** Each function throws a Problem whose code names the member and whose detail has its path. */
export type Checks = {
  params(values: Record<string, string>): Record<string, string>
  /** `search` is the raw text after the question mark. */
  query(search: string): Record<string, string | number>
  body(value: unknown): unknown
}

const checksOf = (operation: Operation): Checks => {
  const params = Object.entries(operation.params).map(([name, schema]) => [name, checkOf(schema)] as const)
  const query = checkOf(operation.query)
  const { properties } = operation.query as { properties: Record<string, { type?: string }> }
  const needsNothing = query.fits({})
  const closed = operation.path.startsWith('/api/')
  const schema: Schema | undefined = operation.body === undefined ? undefined : NAMED_INPUTS[operation.body]
  const body = schema === undefined ? undefined : checkOf<Schema>(schema)
  return {
    params(values) {
      for (const [name, check] of params) {
        const value = values[name] as string
        if (!check.fits(value) || isUnclean(value)) throw new Problem(codeOf(name), { member: name })
      }
      return values
    },
    query(search) {
      if (!closed || (search === '' && needsNothing)) return {}
      const values = parseQuery(search, properties)
      if (!query.fits(values)) throw queryProblem(firstFault(operation.query, values))
      return values
    },
    body(value) {
      if (body === undefined || schema === undefined) return undefined
      if (!body.fits(value)) throw bodyProblem(firstFault(schema, value))
      const unclean = uncleanPath(value)
      if (unclean !== undefined) throw new Problem('INVALID_TEXT', memberAt(unclean))
      return value
    },
  }
}

/** The compiled checks of all operations. */
export const CHECKS = Object.fromEntries(
  Object.entries(OPERATIONS).map(([name, operation]) => [name, checksOf(operation)]),
) as Record<OperationName, Checks>

const NAME = /^[\w-]{1,64}$/
const PATH_PARTS_MAX = 6

/** A path for a Problem. Callers may choose names, so a path is omitted unless its names consist of letters, digits, `_` and `-`. */
function memberAt(path: readonly string[]): { member?: string } {
  const plain = path.length > 0 && path.length <= PATH_PARTS_MAX && path.every(part => NAME.test(part))
  return plain ? { member: path.join('.') } : {}
}

/** The innermost name of a path, without list indexes. */
const nameIn = (path: readonly string[]): string | undefined => path.findLast(part => !/^\d+$/.test(part))

function bodyProblem({ kind, path }: MemberFault = { kind: 'invalid', path: [] }): Problem {
  if (kind === 'unknown') return new Problem('UNKNOWN_MEMBER', memberAt(path))
  if (kind === 'missing') return new Problem('MISSING_MEMBER', memberAt(path))
  const name = nameIn(path)
  return name === undefined ? new Problem('INVALID_BODY') : new Problem(codeOf(name), memberAt(path))
}

function queryProblem({ kind, path }: MemberFault = { kind: 'invalid', path: [] }): Problem {
  const [name] = path
  if (name === undefined || kind === 'unknown') return new Problem('INVALID_QUERY')
  return new Problem(kind === 'missing' ? 'MISSING_PARAMETER' : codeOf(name), { member: name })
}

/** Parses a query string strictly: only known parameters, none twice, valid percent-encoding of UTF-8, no U+0000. */
function parseQuery(search: string, known: Record<string, { type?: string }>): Record<string, string | number> {
  const values: Record<string, string | number> = {}
  for (const part of search.split('&')) {
    if (part === '') continue
    const equals = part.indexOf('=')
    const name = decoded(equals < 0 ? part : part.slice(0, equals))
    if (name === undefined) throw new Problem('INVALID_QUERY')
    if (!Object.hasOwn(known, name)) throw new Problem('UNKNOWN_PARAMETER', memberAt([name]))
    if (Object.hasOwn(values, name)) throw new Problem('REPEATED_PARAMETER', { member: name })
    const value = decoded(equals < 0 ? '' : part.slice(equals + 1))
    const whole = known[name]?.type === 'integer'
    if (value === undefined || isUnclean(value) || (whole && !/^\d{1,9}$/.test(value))) {
      throw new Problem(codeOf(name), { member: name })
    }
    values[name] = whole ? Number(value) : value
  }
  return values
}

/** Decodes percent-encoding; undefined if it is malformed. */
function decoded(text: string): string | undefined {
  if (!/[%+]/.test(text)) return text
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}
