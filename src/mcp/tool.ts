import type { Client } from '../client/index.ts'
import { checkOf, type Fault } from '../contract/check.ts'
import { text } from '../contract/fields.ts'
import { ActorInput } from '../contract/inputs.ts'
import { LIMITS } from '../contract/limits.ts'
import { ruleOf } from '../contract/member-problems.ts'
import { OPERATIONS, type OperationName } from '../contract/operations.ts'
import { type ObjectSchema, type Properties, type Static, Type } from '../contract/schema.ts'
import { plain } from '../domain/invisible-characters.js'
import { isCleanText } from '../domain/text.ts'
import type { Memory } from './wording.ts'

/** The answer of a tool. `structured` has only ids, never untrusted text. Tools that read omit it, so that hosts show their text. */
export type Said = {
  text: string
  structured?: Record<string, string>
  /** True if the call had no effect. */
  failed?: boolean
}

/** The dependencies of a call. */
export type Context = {
  client: Client
  memory: Memory
  /** Withdraws an entry; only in a private store. Rejects with a ClientError. */
  forget?(entry: string, reason: string): Promise<{ entryId: string }>
}

export type Tool = {
  name: string
  title: string
  /** The description for models; a function if it depends on the memory. */
  description: string | ((memory: Memory) => string)
  input: ObjectSchema
  /** A call is admitted, charged and observed as these operations. */
  performs: readonly OperationName[]
  /** Aliases of arguments, by name, because models often use them. */
  aliases?: Readonly<Record<string, string>>
  /** The fault of arguments that the schema accepts individually; undefined if there is none. */
  refuse?(args: Record<string, unknown>): string | undefined
  /** True for tools that only a private store has. */
  onlyPrivate?: boolean
  run(context: Context, args: never): Promise<Said>
}

export const CLOSED = { additionalProperties: false } as const
const TOKEN_CHARACTERS = 200

/** A row of the table of tools: closed input, typed for `run`. */
export const tool = <T extends ObjectSchema>(
  row: Omit<Tool, 'input' | 'run'> & { input: T; run(context: Context, args: Static<T>): Promise<Said> },
): Tool => row

export const entry = Type.String({
  minLength: 1,
  maxLength: LIMITS.slugCharacters,
  description: 'The entryId or the slug.',
})

/** The arguments that all writing tools share. */
export const ACTING = {
  actorToken: Type.Optional(text(TOKEN_CHARACTERS, 'The token that your first write returned.')),
  actor: Type.Optional(
    Type.Object(ActorInput.properties, {
      ...CLOSED,
      description: 'On your first write: actorType, declaredName, declaredModel, declaredProvider.',
    }),
  ),
}

/** The same properties, all optional. */
export const optionalOf = <P extends Properties>(properties: P) =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, Type.Optional(schema)])) as unknown as {
    [K in keyof P]: ReturnType<typeof Type.Optional<P[K]>>
  }

/** A closed object of arguments. */
export const inputOf = <P extends Properties>(properties: P) => Type.Object(properties, CLOSED)

/** Whether a call of the tool changes anything. */
export const writes = ({ performs }: Tool): boolean => performs.some(name => OPERATIONS[name].cost === 'write')

const FAULTS_SHOWN = 3
const NAME_CHARACTERS = 60

export type Check = (given: unknown) => { args: unknown } | { fault: string }

/** Makes the check of a tool's arguments. It returns them with aliases replaced, or one sentence about the faults, without values. */
export function createCheck({ name, input, aliases = {}, refuse = () => undefined }: Tool): Check {
  const check = checkOf(input)
  return given => {
    const args = renamed(given, aliases)
    if (check.fits(args)) {
      const refusal = refuse(args)
      if (refusal !== undefined) return { fault: unfit(name, [refusal]) }
      return isCleanText(args) ? { args } : { fault: 'A text contains U+0000 or a lone surrogate; remove it.' }
    }
    const faults = check
      .faults(args)
      .filter(({ keyword }) => keyword !== 'boolean')
      .map(fault => faultOf(fault, input))
    return { fault: unfit(name, [...new Set(faults)].slice(0, FAULTS_SHOWN)) }
  }
}

const unfit = (name: string, faults: readonly string[]): string =>
  `The arguments of ${name} are invalid: ${faults.join('; ')}. Correct them and call again; the call had no effect.`

/** Replaces each alias by its name, unless the name is given too. */
function renamed(given: unknown, aliases: Readonly<Record<string, string>>): unknown {
  if (typeof given !== 'object' || given === null) return given
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const own = aliases[name]
      return [own === undefined || own in given ? name : own, value]
    }),
  )
}

type Part = { properties?: Properties; items?: object }

/** The schema at a path of the arguments. */
const schemaAt = (input: ObjectSchema, path: readonly string[]): Part =>
  path.reduce((schema: Part, part) => (schema.properties?.[part] ?? schema.items ?? {}) as Part, input)

function faultOf({ keyword, instancePath, params }: Fault, input: ObjectSchema): string {
  const path = instancePath === '' ? [] : instancePath.slice(1).split('/')
  const where = path.length === 0 ? 'the call' : path.join('.').slice(0, NAME_CHARACTERS)
  const schema = schemaAt(input, path)
  if (keyword === 'additionalProperties') {
    const { additionalProperties: names = [] } = params as { additionalProperties?: string[] }
    const shown = names.slice(0, FAULTS_SHOWN).map(name => JSON.stringify(plain(name.slice(0, NAME_CHARACTERS))))
    const known = Object.keys(schema.properties ?? {}).join(', ')
    return `${where} has no argument ${shown.join(', ')}; its arguments are ${known}`
  }
  if (keyword === 'required') {
    const { requiredProperties = [] } = params as { requiredProperties?: string[] }
    return `${where} lacks ${requiredProperties.join(', ')}`
  }
  return `${where} must be ${ruleOf(schema)}`
}
