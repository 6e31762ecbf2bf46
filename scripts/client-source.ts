import { ITEMS, LISTS, OPERATIONS } from '../src/client/table.ts'
import { OPERATIONS as CONTRACT, NAMED_INPUTS, type Operation } from '../src/contract/operations.ts'
import { PROBLEMS } from '../src/contract/problems.ts'
import * as queries from '../src/contract/queries.ts'
import { NAMED_RESOURCES } from '../src/contract/resources.ts'
import { VERSION } from '../src/contract/version.ts'

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
  'AppealList',
  'ResolutionInput',
]
const { EntryQuery, CursorQuery, StreamQuery, ChangesQuery, ChangesStreamQuery, ManifestQuery } = queries
const { BatchQuery, FindQuery, FindAsOfQuery, OverviewQuery, SimilarQuery, WorkQuery, YearQuery } = queries
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
  YearQuery,
}
const SCHEMAS: Record<string, object> = { ...NAMED_INPUTS, ...QUERIES, ...NAMED_RESOURCES }
const NAMED = Object.entries(SCHEMAS)
  .filter(([name]) => !ADMINISTRATIVE.includes(name) && name !== 'Error')
  .map(([name, schema]) => ({ name, schema: schema as Schema }))

/** The modules of `src/client` that are made from the contract, as the built client has them: without any import from outside. */
export const CLIENT_SOURCES: Readonly<Record<string, () => string>> = {
  'resources.ts': resources,
  'remedies.ts': remedies,
  'table.ts': table,
}

function resources(): string {
  const types = NAMED.map(({ name, schema }) => {
    const shape = schema.anyOf === undefined ? objectType(schema, '') : typeOf({ ...schema }, '')
    return `export type ${name} = ${shape}`
  })
  return types.join('\n\n')
}

function table(): string {
  const operations = Object.keys(OPERATIONS) as (keyof typeof OPERATIONS)[]
  const methods = operations.map(name => signature(name, `Promise<${CONTRACT[name].response}>`))
  const iterators = LISTS.map(name =>
    signature(name, `AsyncGenerator<${ITEMS[CONTRACT[name].response]}, void, undefined>`),
  )
  const text = `${methods.join('\n')}${iterators.join('\n')} Verification Contradiction`
  const used = NAMED.map(({ name }) => name).filter(name => new RegExp(`\\b${name}\\b`).test(text))
  return `import type { ${used.join(', ')} } from './resources.ts'
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
export const OPERATIONS = ${JSON.stringify(OPERATIONS)} as const

/** The lists that the client iterates row by row. */
export const LISTS = ${JSON.stringify(LISTS)} as const

/** The version of the client, in its User-Agent. */
export const VERSION = ${JSON.stringify(VERSION)}
`
}

function remedies(): string {
  const sentences = Object.entries(PROBLEMS).map(([code, { remedy }]) => [code, remedy])
  return `/** Why each problem happens and what the caller does about it. */
export const REMEDIES = ${JSON.stringify(Object.fromEntries(sentences), null, 2)} as const

/** Every code with which the service refuses. */
export type ProblemCode = keyof typeof REMEDIES
`
}

function signature(name: keyof typeof OPERATIONS, result: string): string {
  const { body, query, params, summary }: Operation = CONTRACT[name]
  const input =
    body !== undefined
      ? [`input${required(NAMED_INPUTS[body] as Schema).length === 0 ? '?' : ''}: ${body}`]
      : query === queries.NoQuery
        ? []
        : [`query${required(query as Schema).length === 0 ? '?' : ''}: ${nameOf(query)}`]
  const parts = [...Object.keys(params).map(param => `${param}: string`), ...input, 'options?: CallOptions']
  return `  /** ${summary} */\n  ${name}(${parts.join(', ')}): ${result}`
}

const nameOf = (query: object): string => Object.keys(QUERIES).find(name => QUERIES[name] === query) ?? ''
const required = (schema: Schema): string[] => schema.required ?? []

function objectType(schema: Schema, indent: string): string {
  const members = Object.entries(schema.properties ?? {}).map(([name, member]) => {
    const optional = required(schema).includes(name) ? '' : '?'
    const comment = member.description === undefined ? '' : `${indent}  /** ${member.description} */\n`
    return `${comment}${indent}  ${name}${optional}: ${typeOf(member, `${indent}  `)}`
  })
  const none = schema.additionalProperties === false ? 'Record<string, never>' : 'Record<string, unknown>'
  return members.length === 0 ? none : `{\n${members.join('\n')}\n${indent}}`
}

function typeOf(schema: Schema, indent: string): string {
  const named = NAMED.find(one => one.schema === schema)
  if (named !== undefined) return named.name
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return schema.enum.map(value => JSON.stringify(value)).join(' | ')
  if (schema.anyOf !== undefined) return schema.anyOf.map(one => typeOf(one, indent)).join(' | ')
  if (schema.type === 'array') {
    const item = typeOf(schema.items ?? {}, indent)
    return item.includes(' | ') && !item.startsWith('{') ? `(${item})[]` : `${item}[]`
  }
  if (schema.type === 'object') return objectType(schema, indent)
  return schema.type === 'integer' ? 'number' : (schema.type ?? 'unknown')
}
