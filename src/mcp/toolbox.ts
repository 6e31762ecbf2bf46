import { type ObjectSchema, Type } from '../contract/schema.ts'
import { type Check, createCheck, type Tool, writes } from './tool.ts'
import { TOOLS } from './tools.ts'
import type { Place } from './wording.ts'

type Schema = {
  type: 'object'
  properties: Record<string, { description?: string }>
  [member: string]: unknown
}
export type Listed = {
  name: string
  title: string
  description: string
  inputSchema: Schema
  annotations: Partial<Record<'readOnlyHint' | 'destructiveHint' | 'openWorldHint', boolean>>
}

/** The tools of one memory: as the protocol lists them, and by name with the check of their arguments. */
export type Toolbox = { listed: Listed[]; byName: ReadonlyMap<string, { tool: Tool; check: Check }> }

const made = new Map<string, Toolbox>()

/** The tools of a memory, made once per process. */
export function toolboxFor(place: Place): Toolbox {
  const key = `${place.memory} ${place.keepsToken}`
  const box = made.get(key) ?? createToolbox(place)
  made.set(key, box)
  return box
}

function createToolbox(place: Place): Toolbox {
  const tools = TOOLS.filter(tool => !(tool.onlyPrivate && place.memory === 'shared')).map(tool => fitted(tool, place))
  return {
    listed: describedOnce(tools.map(tool => listedAs(tool, place))),
    byName: new Map(tools.map(tool => [tool.name, { tool, check: createCheck(tool) }])),
  }
}

/** If the process stores the token, no tool takes or returns one. */
function fitted(tool: Tool, { keepsToken }: Place): Tool {
  if (!keepsToken) return tool
  return { ...tool, input: withoutToken(tool.input) }
}

function withoutToken(schema: ObjectSchema): ObjectSchema {
  const { properties, required: _, ...options } = schema as ObjectSchema & { required?: string[] }
  const { actorToken: __, ...rest } = properties
  return Type.Object(rest, options)
}

/** Keywords of an argument that a model needs. A refusal states the others. */
const SHOWN = ['type', 'enum', 'format', 'minimum', 'maximum', 'maxLength', 'maxItems', 'default', 'description']
/** The same for members of lists and objects inside the arguments, which are equal in all tools. */
const SHOWN_INSIDE = ['type', 'enum']

type Parts = { properties?: Record<string, object>; items?: object; required?: string[] }

/** The short form of a schema for models. The description of an object argument names its members. */
function shortSchema(schema: object, keywords: readonly string[]): Record<string, unknown> {
  const { items } = schema as Parts
  const kept = Object.entries(schema).filter(
    ([name, value]) => keywords.includes(name) && (name === 'enum' || typeof value !== 'object'),
  )
  return { ...Object.fromEntries(kept), ...(items === undefined ? {} : { items: shortItem(items) }) }
}

const shortItem = (item: Parts & object): object => ({
  ...shortSchema(item, SHOWN_INSIDE),
  ...(item.properties === undefined ? {} : { properties: shortMembers(item.properties, SHOWN_INSIDE) }),
})

const shortMembers = (properties: Record<string, object>, keywords: readonly string[]): Record<string, object> =>
  Object.fromEntries(Object.entries(properties).map(([name, member]) => [name, shortSchema(member, keywords)]))

const shownInput = ({ properties, required }: ObjectSchema & Parts): Schema => ({
  type: 'object',
  ...(required === undefined ? {} : { required }),
  properties: shortMembers(properties, SHOWN),
  additionalProperties: false,
})

const listedAs = (tool: Tool, place: Place): Listed => ({
  name: tool.name,
  title: tool.title,
  description: typeof tool.description === 'string' ? tool.description : tool.description(place.memory),
  inputSchema: shownInput(tool.input),
  annotations: annotationsOf(tool, place),
})

/** Leaves the description of an argument only in the first tool that has it, because models read all tools together. */
function describedOnce(listed: Listed[]): Listed[] {
  const described = new Set<string>()
  return listed.map(one => {
    const properties = Object.entries(one.inputSchema.properties).map(([name, { description, ...rest }]) => {
      const key = `${name}: ${description}`
      if (description === undefined || described.has(key)) return [name, rest] as const
      described.add(key)
      return [name, { ...rest, description }] as const
    })
    return { ...one, inputSchema: { ...one.inputSchema, properties: Object.fromEntries(properties) } }
  })
}

/**
 * The annotations that differ from the defaults of the protocol. By default a tool writes, is destructive and has an open world. Only
 * `forget` is destructive.
 */
const annotationsOf = (tool: Tool, { memory }: Place): Listed['annotations'] => ({
  ...(writes(tool) ? (tool.onlyPrivate === true ? {} : { destructiveHint: false }) : { readOnlyHint: true }),
  ...(memory === 'shared' ? {} : { openWorldHint: false }),
})
