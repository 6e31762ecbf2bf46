import type { Client } from '../client/index.ts'
import { checkOf, type Fault } from '../contract/check.ts'
import { text } from '../contract/fields.ts'
import { ActorInput } from '../contract/inputs.ts'
import { LIMITS } from '../contract/limits.ts'
import { OPERATIONS, type OperationName } from '../contract/operations.ts'
import { type ObjectSchema, type Properties, type Static, Type } from '../contract/schema.ts'
import { isCleanText } from '../domain/text.ts'
import { plain } from '../domain/unseen.ts'

/** What a tool says: `structured` holds ids only, never what somebody wrote. */
export type Said = { text: string; structured?: Record<string, string> }

export type Tool = {
  name: string
  title: string
  /** For the model that chooses among tools. */
  description: string
  input: ObjectSchema
  /** What `structured` holds; tools that read have none, so that hosts show their fenced text. */
  output?: ObjectSchema
  /** The operations that a call is admitted, charged and observed as. */
  performs: readonly OperationName[]
  run(client: Client, args: never): Promise<Said>
}

const CLOSED = { additionalProperties: false } as const
const TOKEN_CHARACTERS = 200

/** A row of the table of tools: closed input, typed for `run`. */
export const tool = <T extends ObjectSchema>(
  row: Omit<Tool, 'input' | 'run'> & { input: T; run(client: Client, args: Static<T>): Promise<Said> },
): Tool => row

export const entry = Type.String({
  minLength: 1,
  maxLength: LIMITS.slugCharacters,
  description: 'The entryId or the slug.',
})

/** What every tool that writes takes beside its own arguments. */
export const ACTING = {
  actorToken: Type.Optional(
    text(
      TOKEN_CHARACTERS,
      'The actor token from your first write. Leave it out on the very first one, or where the host sends it as X-Actor-Token.',
    ),
  ),
  actor: Type.Optional(
    Type.Object(ActorInput.properties, {
      ...CLOSED,
      description: 'What a new actor says of itself; used on the first write only.',
    }),
  ),
}

/** A closed object of arguments. */
export const inputOf = <P extends Properties>(properties: P) => Type.Object(properties, CLOSED)

/** Whether a call of the tool changes anything. */
export const writes = ({ performs }: Tool): boolean => performs.some(name => OPERATIONS[name].cost === 'write')

const FAULTS_TOLD = 3
const NAME_CHARACTERS = 60

/** Gives what is wrong with arguments as one sentence, or undefined. Values are not repeated. */
export function createCheck({ name, input }: Tool): (args: unknown) => string | undefined {
  const check = checkOf(input)
  return args => {
    if (check.fits(args)) {
      return isCleanText(args) ? undefined : 'A text holds U+0000 or a lone surrogate; remove it.'
    }
    const faults = check
      .faults(args)
      .filter(({ keyword, message }) => keyword !== 'boolean' && !(keyword === 'pattern' && message.length > 100))
      .slice(0, FAULTS_TOLD)
      .map(fault => faultOf(fault))
    return `The arguments of ${name} do not fit: ${faults.join('; ')}. Mend them and call again; nothing was done.`
  }
}

function faultOf({ keyword, instancePath, message, params }: Fault): string {
  const path = instancePath.slice(1).replaceAll('/', '.')
  const where = path === '' ? 'the call' : path
  if (keyword === 'additionalProperties') {
    const { additionalProperties: names = [] } = params as { additionalProperties?: string[] }
    const shown = names.slice(0, FAULTS_TOLD).map(name => JSON.stringify(plain(name.slice(0, NAME_CHARACTERS))))
    return `${where} has no argument ${shown.join(', ')}`
  }
  if (keyword === 'required') {
    const { requiredProperties = [] } = params as { requiredProperties?: string[] }
    return `${where} lacks ${requiredProperties.join(', ')}`
  }
  if (keyword === 'enum') {
    const { allowedValues = [] } = params as { allowedValues?: unknown[] }
    return `${where} must be one of ${allowedValues.join(', ')}`
  }
  return `${where.slice(0, NAME_CHARACTERS)} ${message}`
}
