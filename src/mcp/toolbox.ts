import { type ObjectSchema, Type } from '../contract/schema.ts'
import { type Check, createCheck, type Tool, writes } from './tool.ts'
import { TOOLS } from './tools.ts'
import type { Place } from './wording.ts'

type Schema = { type: 'object'; [member: string]: unknown }
export type Listed = {
  name: string
  title: string
  description: string
  inputSchema: Schema
  outputSchema?: Schema
  annotations: Record<'readOnlyHint' | 'destructiveHint' | 'idempotentHint' | 'openWorldHint', boolean>
}

/** The tools of one place: as the protocol lists them, and by name with the check of their arguments. */
export type Toolbox = { listed: Listed[]; byName: ReadonlyMap<string, { tool: Tool; check: Check }> }

const made = new Map<string, Toolbox>()

/** The tools of a place, made once per process. */
export function toolboxFor(place: Place): Toolbox {
  const key = `${place.shared} ${place.keepsToken}`
  const box = made.get(key) ?? createToolbox(place)
  made.set(key, box)
  return box
}

function createToolbox(place: Place): Toolbox {
  const tools = TOOLS.filter(tool => !(tool.onlyPrivate && place.shared)).map(tool => fitted(tool, place))
  return {
    listed: tools.map(tool => listedAs(tool, place)),
    byName: new Map(tools.map(tool => [tool.name, { tool, check: createCheck(tool) }])),
  }
}

/** Where the process keeps the token, no tool takes or returns one. */
function fitted(tool: Tool, { keepsToken }: Place): Tool {
  if (!keepsToken) return tool
  const { input, output } = tool
  return { ...tool, input: withoutToken(input), ...(output === undefined ? {} : { output: withoutToken(output) }) }
}

function withoutToken(schema: ObjectSchema): ObjectSchema {
  const { properties, required: _, ...options } = schema as ObjectSchema & { required?: string[] }
  const { actorToken: __, ...rest } = properties
  return Type.Object(rest, options)
}

/** A schema as models are shown it: the long pattern of an id adds nothing to its format. */
const shown = (schema: ObjectSchema): Schema =>
  JSON.parse(
    JSON.stringify(schema, (_, value: { format?: string; pattern?: string } | null) => {
      if (value?.format !== 'uuid') return value
      const { pattern, ...rest } = value
      return rest
    }),
  )

/** Only `forget` destroys; a write that is repeated is a further record. */
const listedAs = (tool: Tool, { shared }: Place): Listed => ({
  name: tool.name,
  title: tool.title,
  description: typeof tool.description === 'string' ? tool.description : tool.description(shared),
  inputSchema: shown(tool.input),
  ...(tool.output === undefined ? {} : { outputSchema: shown(tool.output) }),
  annotations: {
    readOnlyHint: !writes(tool),
    destructiveHint: tool.onlyPrivate === true,
    idempotentHint: !writes(tool),
    openWorldHint: shared,
  },
})
