import { Compile, Errors } from 'typebox/schema'
import type { Schema, Static } from './schema.ts'

/** A violation of a schema in a value: the keyword that is violated, a JSON pointer to the place (RFC 6901), and a sentence. */
export type Fault = { keyword: string; instancePath: string; message: string; params: object }

/** A compiled schema. */
export type Check<T> = {
  fits(value: unknown): value is T
  /** The violations in the order of the check; an empty list if the value is valid. */
  faults(value: unknown): Fault[]
}

/** Compiles a schema, for schemas that check many values. */
export function checkOf<S extends Schema>(schema: S): Check<Static<S>> {
  const compiled = Compile(schema)
  return {
    fits: compiled.Check.bind(compiled) as Check<Static<S>>['fits'],
    faults: value => compiled.Errors(value)[1],
  }
}

/** Returns the violations without compiling the schema, for a single check. */
const faultsOf = (schema: Schema, value: unknown): Fault[] => Errors(schema, value)[1]

/** A fault in a value, with its path: names of members and indexes of lists. */
export type MemberFault = { kind: 'unknown' | 'missing' | 'invalid'; path: string[] }

type Parts = {
  type?: string
  properties?: Record<string, Schema>
  required?: readonly string[]
  additionalProperties?: boolean
  items?: Schema
  maxItems?: number
  minItems?: number
}

/** Returns the first fault in a value: unknown members come first, then missing members, then invalid members. */
export function firstFault(schema: Schema, value: unknown): MemberFault | undefined {
  const { properties, items } = schema as Parts
  if (properties !== undefined) return faultOfObject(schema as Parts, properties, value)
  if (items !== undefined && Array.isArray(value) && isWithin(schema as Parts, value)) {
    return faultOfParts(value.map((item, place) => [String(place), items, item]))
  }
  return faultsOf(schema, value).length > 0 ? { kind: 'invalid', path: [] } : undefined
}

const isWithin = ({ minItems = 0, maxItems = Number.POSITIVE_INFINITY }: Parts, { length }: readonly unknown[]) =>
  length >= minItems && length <= maxItems

function faultOfObject(
  { required = [], additionalProperties }: Parts,
  properties: Record<string, Schema>,
  value: unknown,
): MemberFault | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { kind: 'invalid', path: [] }
  const has = (name: string): boolean => Object.hasOwn(value, name)
  const unknown = Object.keys(value).find(name => !Object.hasOwn(properties, name))
  if (unknown !== undefined && additionalProperties === false) return { kind: 'unknown', path: [unknown] }
  const missing = required.find(name => !has(name))
  if (missing !== undefined) return { kind: 'missing', path: [missing] }
  const members = value as Record<string, unknown>
  return faultOfParts(
    Object.entries(properties).flatMap(([name, schema]) => (has(name) ? [[name, schema, members[name]] as const] : [])),
  )
}

function faultOfParts(parts: readonly (readonly [string, Schema, unknown])[]): MemberFault | undefined {
  for (const [name, schema, part] of parts) {
    const fault = firstFault(schema, part)
    if (fault !== undefined) return { ...fault, path: [name, ...fault.path] }
  }
  return undefined
}
