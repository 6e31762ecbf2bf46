/**
 * JSON Schemas (2020-12, the dialect of OpenAPI 3.1) as plain values, each with the type of what fits it. Options are keywords and stand in
 * the schema as they are given. The checker's own builder does the same for every type there is, and takes 13 MB of memory for it.
 */
declare const fits: unique symbol
const optional = Symbol('optional')

type Keywords = Readonly<Record<string, unknown>>
export type Schema<T = unknown> = { readonly [fits]?: T; readonly [optional]?: boolean }
type Optional = { readonly [optional]: true }
/** The type of the values that fit a schema. */
export type Static<S> = S extends Schema<infer T> ? T : never

export type Properties = Readonly<Record<string, Schema>>
export type ObjectSchema<P extends Properties = Properties> = Schema<Members<P>> & { readonly properties: P }
type NamesOfOptional<P> = { [K in keyof P]: P[K] extends Optional ? K : never }[keyof P]
type Members<P> = Flat<
  { [K in Exclude<keyof P, NamesOfOptional<P>>]: Static<P[K]> } & { [K in NamesOfOptional<P>]?: Static<P[K]> }
>
type Flat<T> = { [K in keyof T]: T[K] }

const schema = <T>(keywords: Keywords, options: Keywords = {}): Schema<T> => ({ ...keywords, ...options })

/** What each optional property was made from. */
const wholes = new WeakMap<object, Schema>()

/** The schema that a property was made from by Type.Optional; the property itself where it was not. */
export const wholeOf = <S extends object>(property: S): S => (wholes.get(property) as S | undefined) ?? property

export const Type = {
  String: (options?: Keywords) => schema<string>({ type: 'string' }, options),
  Integer: (options?: Keywords) => schema<number>({ type: 'integer' }, options),
  Number: (options?: Keywords) => schema<number>({ type: 'number' }, options),
  Boolean: (options?: Keywords) => schema<boolean>({ type: 'boolean' }, options),
  Null: (options?: Keywords) => schema<null>({ type: 'null' }, options),
  Literal: <const T extends string>(value: T, options?: Keywords) =>
    schema<T>({ type: 'string', const: value }, options),
  Array: <S extends Schema>(items: S, options?: Keywords) => schema<Static<S>[]>({ type: 'array', items }, options),
  Union: <const S extends readonly Schema[]>(anyOf: S, options?: Keywords) =>
    schema<Static<S[number]>>({ anyOf }, options),
  /** Keywords whose type is said and not found. */
  Unsafe: <T>(keywords: Keywords) => schema<T>(keywords),
  /** A property that may be left out. */
  Optional: <S extends Schema>(property: S): S & Optional => {
    const made = { ...property, [optional]: true } as const
    wholes.set(made, property)
    return made
  },
  /** An object that has all of its properties but the optional ones; it may have others unless `additionalProperties` says no. */
  Object: <P extends Properties>(properties: P, options?: Keywords): ObjectSchema<P> => {
    const required = Object.keys(properties).filter(name => properties[name]?.[optional] !== true)
    const keywords = { type: 'object', ...(required.length === 0 ? {} : { required }), properties, ...options }
    return keywords as unknown as ObjectSchema<P>
  },
}
