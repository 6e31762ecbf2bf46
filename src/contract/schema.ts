/**
 * JSON Schemas (2020-12, the dialect of OpenAPI 3.1) as plain values, each with the type of its valid values. Options are keywords, copied
 * unchanged into the schema. The builder of the checker library supports every type and uses 13 MB of memory.
 */
declare const fits: unique symbol
const optional = Symbol('optional')

type Keywords = Readonly<Record<string, unknown>>
export type Schema<T = unknown> = { readonly [fits]?: T; readonly [optional]?: boolean }
type Optional = { readonly [optional]: true }
/** The type of the valid values of a schema. */
export type Static<S> = S extends Schema<infer T> ? T : never

export type Properties = Readonly<Record<string, Schema>>
export type ObjectSchema<P extends Properties = Properties> = Schema<Members<P>> & { readonly properties: P }
type NamesOfOptional<P> = { [K in keyof P]: P[K] extends Optional ? K : never }[keyof P]
type Members<P> = Flat<
  { [K in Exclude<keyof P, NamesOfOptional<P>>]: Static<P[K]> } & { [K in NamesOfOptional<P>]?: Static<P[K]> }
>
type Flat<T> = { [K in keyof T]: T[K] }

const schema = <T>(keywords: Keywords, options: Keywords = {}): Schema<T> => ({ ...keywords, ...options })

/** The source schema of each optional property. */
const wholes = new WeakMap<object, Schema>()

/** The schema that Type.Optional wrapped; the property itself if it is not optional. */
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
  /** Keywords whose type is declared, not derived. */
  Unsafe: <T>(keywords: Keywords) => schema<T>(keywords),
  /** An optional property. */
  Optional: <S extends Schema>(property: S): S & Optional => {
    const made = { ...property, [optional]: true } as const
    wholes.set(made, property)
    return made
  },
  /** An object in which all properties are required except the optional ones. It is open unless `additionalProperties` is false. */
  Object: <P extends Properties>(properties: P, options?: Keywords): ObjectSchema<P> => {
    const required = Object.keys(properties).filter(name => properties[name]?.[optional] !== true)
    const keywords = { type: 'object', ...(required.length === 0 ? {} : { required }), properties, ...options }
    return keywords as unknown as ObjectSchema<P>
  },
}
