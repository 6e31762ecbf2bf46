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
    fits: (value): value is Static<S> => compiled.Check(value),
    faults: value => compiled.Errors(value)[1],
  }
}

/** Returns the violations without compiling the schema, for a single check. */
export const faultsOf = (schema: Schema, value: unknown): Fault[] => Errors(schema, value)[1]
