import { checkOf as compiled } from '../../src/contract/check.ts'
import { codeOf } from '../../src/contract/member-problems.ts'
import { Type } from '../../src/contract/schema.ts'
import { placesOf, type Schema } from './cases.ts'

export type Media = {
  schema: Schema
  example?: unknown
  examples?: Record<string, { value: unknown }>
}
export type Parameter = {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  schema: Schema
  example?: unknown
}
export type Described = {
  operationId: string
  security: Record<string, unknown>[]
  parameters: Parameter[]
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, Response>
  'x-problems': string[]
}
export type Response = {
  description: string
  content?: Record<string, Media>
  headers?: Record<string, unknown>
  'x-problems'?: Record<string, string>
}
/** The published description, as far as tests read it. */
export type Document = {
  openapi: string
  info: { version: string }
  'x-problems': Record<string, string[]>
  paths: Record<string, Record<string, Described>>
  components: {
    examples: Record<string, { value: unknown }>
    schemas: Record<string, Schema>
    responses: Record<string, Response>
    parameters: Record<string, Parameter>
  }
}

/** The names of the parameters and of the members of the body, nested ones too. */
function membersOf(document: Document, { parameters, requestBody }: Described): string[] {
  const body = resolved(document, Object.values(requestBody?.content ?? {})[0]?.schema ?? {}) as Schema
  const names = placesOf(body).flatMap(({ at }) => at.filter(part => typeof part === 'string'))
  const own = parameters.flatMap(({ in: where, name }) =>
    where !== 'header' ? [name] : name === 'Min-Sequence' ? ['minSequence'] : [],
  )
  return [...new Set([...own, ...names])]
}

/** The target of a reference into the components of the document. */
function target(document: Document, reference: string): unknown {
  const [, kind = '', name = ''] = /^#\/components\/(\w+)\/([\w-]+)$/.exec(reference) ?? []
  const found = (document.components as Record<string, Record<string, unknown>>)[kind]?.[name]
  if (found === undefined) throw new Error(`${reference} leads nowhere`)
  return found
}

/** The document with the shared responses and parameters in the operations that refer to them. */
export function withParts(document: Document): Document {
  const part = <T>(value: T): T => {
    const { $ref } = value as { $ref?: string }
    return $ref === undefined ? value : (target(document, $ref) as T)
  }
  const whole = structuredClone(document)
  for (const { method, operation } of rowsOf(whole)) {
    operation['x-problems'].push(...(whole['x-problems'][method] ?? []))
    operation.parameters = operation.parameters.map(parameter => part(parameter))
    for (const [status, response] of Object.entries(operation.responses)) {
      const answer = part(response)
      for (const media of Object.values(answer.content ?? {})) {
        for (const [name, example] of Object.entries(media.examples ?? {})) {
          Object.assign(media.examples ?? {}, { [name]: part(example) })
        }
      }
      operation.responses[status] = answer
    }
    operation['x-problems'].push(...membersOf(whole, operation).map(codeOf))
  }
  return whole
}

/** A schema with every reference into the document resolved. */
export function resolved(document: Document, schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(item => resolved(document, item))
  if (typeof schema !== 'object' || schema === null) return schema
  const { $ref, ...beside } = schema as { $ref?: unknown }
  if (typeof $ref === 'string') {
    return { ...(resolved(document, target(document, $ref)) as object), ...beside }
  }
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, resolved(document, value)]))
}

export type Check = { fits(value: unknown): boolean; faults(value: unknown): string }

/** Compiles a schema of the document into a check. */
export function checkOf(document: Document, schema: unknown): Check {
  const { fits, faults } = compiled(Type.Unsafe(resolved(document, schema) as Record<string, unknown>))
  return { fits, faults: value => JSON.stringify(faults(value)).slice(0, 500) }
}

export type Row = { method: string; path: string; operation: Described }

/** Every operation of the document. */
export const rowsOf = ({ paths }: Document): Row[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )

const JSON_TYPE = 'application/json'
const isSuccess = (status: number | string): boolean => Number(status) < 300
export const bodySchemaOf = ({ requestBody }: Described): Schema | undefined => requestBody?.content[JSON_TYPE]?.schema
export const answerOf = ({ responses }: Described, status: number | string): Media | undefined =>
  isSuccess(status) ? Object.values(responses[status]?.content ?? {})[0] : responses[status]?.content?.[JSON_TYPE]

/** The codes that the document names for an operation and status. */
export const codesOf = (operation: Described, status: number): string[] =>
  Object.keys(operation.responses[status]?.['x-problems'] ?? {}).filter(code => operation['x-problems'].includes(code))
