import { Compile, Errors } from 'typebox/schema'
import type { Schema, Static } from './schema.ts'

/** Something in a value that does not fit: the keyword it offends, a JSON pointer to it (RFC 6901), and what is wrong in words. */
export type Fault = { keyword: string; instancePath: string; message: string; params: object }

/** A schema, compiled once. */
export type Check<T> = {
  fits(value: unknown): value is T
  /** What does not fit, in the order in which it is found; none where the value fits. */
  faults(value: unknown): Fault[]
}

/** Compiles a schema: for what is checked again and again. */
export function checkOf<S extends Schema>(schema: S): Check<Static<S>> {
  const compiled = Compile(schema)
  return {
    fits: (value): value is Static<S> => compiled.Check(value),
    faults: value => compiled.Errors(value)[1],
  }
}

/** What does not fit, without compiling anything: for what is asked once. */
export const faultsOf = (schema: Schema, value: unknown): Fault[] => Errors(schema, value)[1]
