import { trust } from '../../contract/fields.ts'
import { NAMED_INPUTS } from '../../contract/operations.ts'
import { UUID_PATTERN } from '../../contract/patterns.ts'
import { NAMED_RESOURCES } from '../../contract/resources.ts'
import { Type, wholeOf } from '../../contract/schema.ts'

type Json = Record<string, unknown>

/** Schemas that many others contain. */
const SHARED = {
  Uuid: Type.String({ format: 'uuid', pattern: UUID_PATTERN }),
  ContentTrust: trust.contentTrust,
  IdentityTrust: trust.identityTrust,
  Causality: trust.causality,
}
/** All named schemas of the document. */
export const NAMED: Record<string, object> = { ...NAMED_INPUTS, ...NAMED_RESOURCES, ...SHARED }
const NAMES = new Map(Object.entries(NAMED).map(([name, schema]) => [schema, name]))

/** The schema, or a reference to it if it has a name. */
export function reference(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null) return schema
  const name = NAMES.get(wholeOf(schema))
  if (name !== undefined) return { $ref: `#/components/schemas/${name}` }
  const { pattern, description } = schema as Json
  return pattern === UUID_PATTERN && description !== undefined
    ? { $ref: '#/components/schemas/Uuid', description }
    : members(schema)
}

/** The schema with references to all named schemas inside it. */
export function members(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(reference)
  if (typeof schema !== 'object' || schema === null) return schema
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, reference(value)]))
}
