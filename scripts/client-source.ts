import { readFileSync } from 'node:fs'
import { NAMED_INPUTS, OPERATIONS, type Operation } from '../src/contract/operations.ts'
import { PROBLEMS } from '../src/contract/problems.ts'
import * as queries from '../src/contract/queries.ts'
import { NAMED_RESOURCES } from '../src/contract/resources.ts'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
const MADE = '// Made from src/contract by `npm run docs`; do not edit.'
const WIDTH = 120

type Schema = {
  type?: string
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  description?: string
}

const ADMINISTRATIVE = [
  'AdminSnapshot',
  'AdminEvidence',
  'ModerationFlags',
  'ModerationResult',
  'ModerationInput',
  'AdminReport',
  'ReportList',
  'ResolutionInput',
]
const { EntryQuery, CursorQuery, StreamQuery, ChangesQuery, ChangesStreamQuery, ManifestQuery } = queries
const { BatchQuery, FindQuery, FindAsOfQuery, OverviewQuery, SimilarQuery, WorkQuery } = queries
const QUERIES: Record<string, object> = {
  EntryQuery,
  CursorQuery,
  OverviewQuery,
  StreamQuery,
  ChangesQuery,
  ChangesStreamQuery,
  ManifestQuery,
  BatchQuery,
  FindQuery,
  FindAsOfQuery,
  SimilarQuery,
  WorkQuery,
}
const SCHEMAS: Record<string, object> = { ...NAMED_INPUTS, ...QUERIES, ...NAMED_RESOURCES }
const NAMED = Object.entries(SCHEMAS)
  .filter(([name]) => !ADMINISTRATIVE.includes(name) && name !== 'Error')
  .map(([name, schema]) => ({ name, schema: schema as Schema }))
/** Operations that answer with JSON. The client has separate functions for streams and copies. */
const PUBLIC = (Object.entries(OPERATIONS) as [string, Operation][]).filter(
  ([, { access, media }]) => access !== 'admin' && media === undefined,
)

/** The type of the items of each list. */
const ITEMS: Record<string, string> = {
  EntryList: 'Entry',
  RevisionList: 'Revision',
  RelationList: 'Relation',
  ActivityList: 'Activity',
  Evidence: 'EvidenceItem',
  ActorProfile: 'Activity',
  ChangeList: 'Change',
}

const shapeOf = (schema: Schema): string =>
  schema.anyOf === undefined ? objectType(schema, '') : typeOf({ ...schema }, '')

/**
 * `src/client/resources.ts`: inputs and resources of the contract as plain types, so that the client does not depend on another package.
 */
export function clientResources(): string {
  const types = NAMED.map(({ name, schema }) => `export type ${name} = ${shapeOf(schema)}`)
  return `${MADE}\n\n/** What is sent to the service and what it answers (interface sections 2 and 4). */\n${types.join('\n\n')}
`
}

/** `src/client/table.ts`: the public operations of the contract, as data and as types. */
export function clientTable(): string {
  const methods = PUBLIC.map(([name, operation]) => signature(name, operation, `Promise<${operation.response}>`))
  const lists = PUBLIC.filter(([, { response }]) => response in ITEMS)
  const iterators = lists.map(([name, operation]) =>
    signature(name, operation, `AsyncGenerator<${ITEMS[operation.response]}, void, undefined>`),
  )
  const text = `${methods.join('\n')}${iterators.join('\n')}`
  const used = NAMED.map(({ name }) => name).filter(name => new RegExp(`\\b${name}\\b`).test(`${text} Contradiction`))
  return `${MADE}
import type {
${[...new Set([...used, 'Verification'])]
  .sort()
  .map(name => `  ${name},`)
  .join('\n')}
} from './resources.ts'
import type { CallOptions } from './settings.ts'

/** A row of evidence, and which of the two kinds it is. */
export type EvidenceItem = (Verification & { kind: 'verification' }) | (Contradiction & { kind: 'contradiction' })

/** Every public operation of the service, under its name. All of them reject with a ClientError. */
export type Methods = {
${methods.join('\n')}
}

/** Every list of the service, row by row over all of its pages. A query's limit is the size of a page (50 if left out). */
export type Iterators = {
${iterators.join('\n')}
}

/** How each operation is called. */
export const OPERATIONS = {
${PUBLIC.map(([name, operation]) => row(name, operation)).join('\n')}
} as const

/** The lists that the client iterates row by row. */
export const LISTS = [${lists.map(([name]) => `\n  '${name}',`).join('')}
] as const

/** The version of the client, in its User-Agent. */
export const VERSION = '${version}'
`
}

/** `src/client/remedies.ts`: the sentence of each problem. */
export function clientRemedies(): string {
  return `${MADE}

/** Why each problem happens and what the caller does about it. */
export const REMEDIES = {
${Object.entries(PROBLEMS)
  .map(([code, { remedy }]) => property('  ', code, literal(remedy)))
  .join('\n')}
} as const

/** Every code with which the service refuses. */
export type ProblemCode = keyof typeof REMEDIES
`
}

function row(name: string, { method, path, access, personal, cost, body, query }: Operation): string {
  const input = body !== undefined ? 'body' : query === queries.NoQuery ? 'none' : 'query'
  const members = [
    `method: '${method}'`,
    `path: '${path}'`,
    `token: ${access === 'actor' || personal === true}`,
    `charged: ${cost !== 'free'}`,
    `input: '${input}'`,
  ]
  const line = `  ${name}: { ${members.join(', ')} },`
  return line.length <= WIDTH ? line : `  ${name}: {\n${members.map(member => `    ${member},`).join('\n')}\n  },`
}

function signature(name: string, operation: Operation, result: string): string {
  const { body, query, params, summary } = operation
  const input =
    body !== undefined
      ? [`input${required(NAMED_INPUTS[body] as Schema).length === 0 ? '?' : ''}: ${body}`]
      : query === queries.NoQuery
        ? []
        : [`query${required(query as Schema).length === 0 ? '?' : ''}: ${nameOf(query)}`]
  const parts = [...Object.keys(params).map(param => `${param}: string`), ...input, 'options?: CallOptions']
  const line = `  ${name}(${parts.join(', ')}): ${result}`
  const shown =
    line.length <= WIDTH ? line : `  ${name}(\n${parts.map(part => `    ${part},`).join('\n')}\n  ): ${result}`
  return `  /** ${summary} */\n${shown}`
}

const nameOf = (query: object): string => Object.keys(QUERIES).find(name => QUERIES[name] === query) ?? ''
const required = (schema: Schema): string[] => schema.required ?? []

function objectType(schema: Schema, indent: string): string {
  const members = Object.entries(schema.properties ?? {}).map(([name, member]) => {
    const optional = required(schema).includes(name) ? '' : '?'
    const comment = member.description === undefined ? '' : `${indent}  /** ${member.description} */\n`
    return `${comment}${property(`${indent}  `, `${name}${optional}`, typeOf(member, `${indent}  `), '')}`
  })
  const none = schema.additionalProperties === false ? 'Record<string, never>' : 'Record<string, unknown>'
  return members.length === 0 ? none : `{\n${members.join('\n')}\n${indent}}`
}

function typeOf(schema: Schema, indent: string): string {
  const named = NAMED.find(one => one.schema === schema)
  if (named !== undefined) return named.name
  if (schema.const !== undefined) return literal(schema.const)
  if (schema.enum !== undefined) return schema.enum.map(literal).join(' | ')
  if (schema.anyOf !== undefined) return schema.anyOf.map(one => typeOf(one, indent)).join(' | ')
  if (schema.type === 'array') {
    const item = typeOf(schema.items ?? {}, indent)
    return item.includes(' | ') && !item.startsWith('{') ? `(${item})[]` : `${item}[]`
  }
  if (schema.type === 'object') return objectType(schema, indent)
  return schema.type === 'integer' ? 'number' : (schema.type ?? 'unknown')
}

/** A text as the formatter writes it: in single quotes unless it contains more single than double quotes. */
function literal(value: unknown): string {
  const text = JSON.stringify(value)
  const single = text.split("'").length
  const double = text.split('\\"').length
  return single > double ? text : `'${text.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
}

/** A member on one line, or with its value on the next line if the line would be too long. */
function property(indent: string, name: string, value: string, end = ','): string {
  const line = `${indent}${name}: ${value}${end}`
  if (value.includes('\n') || line.length <= WIDTH) return line
  const alternatives = (union: string): string =>
    union
      .split(' | ')
      .map(one => `${indent}  | ${one}`)
      .join('\n')
  const item = /^\((.*)\)\[\]$/.exec(value)?.[1]
  if (item !== undefined) return `${indent}${name}: (\n${alternatives(item)}\n${indent})[]`
  return value.includes(' | ')
    ? `${indent}${name}:\n${alternatives(value)}`
    : `${indent}${name}:\n${indent}  ${value}${end}`
}
