import { LIMITS } from './limits.ts'
import { NAMED_INPUTS, OPERATIONS, type Operation } from './operations.ts'
import { DIGITS_PATTERN, type Schema, type Static, TAG_PATTERN } from './schema.ts'

/**
 * A code for each member of a body, query or path: INVALID_TAGS for `tags`, INVALID_REVISION_ID for `revisionId`. A nested member has the
 * code of its innermost name. The sentence is made from the schema, with its bounds.
 */
type Row = (typeof OPERATIONS)[keyof typeof OPERATIONS]
type NamesIn<T> = T extends readonly (infer Item)[]
  ? NamesIn<Item>
  : T extends object
    ? { [K in keyof T & string]: K | NamesIn<Exclude<T[K], undefined>> }[keyof T & string]
    : never
type KeysOf<T> = T extends object ? keyof T & string : never
type Name =
  | NamesIn<Static<(typeof NAMED_INPUTS)[keyof typeof NAMED_INPUTS]>>
  | NamesIn<Static<Row['query']>>
  | KeysOf<Row['params']>
type UpperSnake<Text extends string> = Text extends `${infer First}${infer Rest}`
  ? First extends Lowercase<First>
    ? `${Uppercase<First>}${UpperSnake<Rest>}`
    : `_${First}${UpperSnake<Rest>}`
  : ''
export type MemberCode = `INVALID_${UpperSnake<Name>}`

type Described = {
  type?: string
  enum?: readonly string[]
  format?: string
  pattern?: string
  description?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  items?: Described
  properties?: Record<string, Described>
  required?: readonly string[]
}

/** The problem code of a member of the contract. */
export const codeOf = (name: string): MemberCode =>
  `INVALID_${name.replaceAll(/[A-Z]/g, letter => `_${letter}`).toUpperCase()}` as MemberCode

/** The members of a schema with their own schemas. Nested members come after the list or object that contains them. */
function placesIn({ properties = {}, items }: Described): [string, Described][] {
  const own = Object.entries(properties).flatMap(([name, schema]) => [
    [name, schema] as [string, Described],
    ...placesIn(schema),
  ])
  return items === undefined ? own : [...own, ...placesIn(items)]
}

/** The names of the members of a schema, nested members included, without duplicates. */
export const membersIn = (schema: Schema): string[] => [...new Set(placesIn(schema as Described).map(([name]) => name))]

const PATTERN_RULES: Readonly<Record<string, string>> = {
  [TAG_PATTERN]: 'letters, digits, spaces and hyphens only',
  [DIGITS_PATTERN]: `1 to ${LIMITS.cursorDigits} decimal digits`,
}

const range = (unit: string, least: number | undefined, most: number | undefined): string =>
  `${least === undefined || least === 0 ? `at most ${most}` : least === most ? `${most}` : `${least} to ${most}`} ${unit}`.trim()

function membersOf({ properties = {}, required = [] }: Described): string {
  const optional = Object.keys(properties).filter(name => !required.includes(name))
  return [required.join(' and '), ...(optional.length === 0 ? [] : [`optionally ${optional.join(', ')}`])].join(', ')
}

/** Describes in words which values a schema accepts, with every bound. */
export function ruleOf(of: object): string {
  const schema: Described = of
  const { type, minimum, maximum, minLength, maxLength, pattern } = schema
  if (schema.enum !== undefined) return `one of ${schema.enum.join(', ')}`
  if (schema.format === 'uuid') return 'a UUID'
  if (type === 'array')
    return `a list of ${range('items', schema.minItems, schema.maxItems)}, each ${ruleOf(schema.items ?? {})}`
  if (type === 'object') return `an object with ${membersOf(schema)}`
  if (type === 'integer') return `a whole number from ${minimum} to ${maximum}`
  if (type === 'number') return `a number from ${minimum} to ${maximum}`
  if (type === 'boolean') return 'true or false'
  const characters = maxLength === undefined ? '' : ` of ${range('characters', minLength, maxLength)}`
  const shape = pattern === undefined ? undefined : (PATTERN_RULES[pattern] ?? schema.description?.replace(/\.$/, ''))
  return `a text${characters}${shape === undefined ? '' : `: ${shape}`}`
}

/** Every member with its rules, and the operations to which each rule applies. */
function rulesByMember(): Map<string, Map<string, string[]>> {
  const rules = new Map<string, Map<string, string[]>>()
  for (const { method, path, params, query, body } of Object.values(OPERATIONS) as Operation[]) {
    const places = [
      ...Object.entries(params as Record<string, Described>),
      ...placesIn(query as Described),
      ...(body === undefined ? [] : placesIn(NAMED_INPUTS[body] as Described)),
    ]
    for (const [name, schema] of places) {
      const own = rules.get(name) ?? new Map<string, string[]>()
      const rule = ruleOf(schema)
      own.set(rule, [...new Set([...(own.get(rule) ?? []), `${method} ${path}`])])
      rules.set(name, own)
    }
  }
  return rules
}

/** One sentence: first the rule that applies to most operations, then each other rule with its operations. */
function sentenceOf(name: string, rules: ReadonlyMap<string, readonly string[]>): string {
  const [[first] = [''], ...others] = [...rules].sort(([, a], [, b]) => b.length - a.length)
  return `${[`${name} is ${first}`, ...others.map(([rule, places]) => `at ${places.join(', ')} ${rule}`)].join('; ')}.`
}

/** The problem of each member, with its rule as the remedy. */
export const MEMBER_PROBLEMS = Object.fromEntries(
  [...rulesByMember()].map(([name, rules]) => [codeOf(name), { status: 400, remedy: sentenceOf(name, rules) }]),
) as Record<MemberCode, { status: 400; remedy: string }>
