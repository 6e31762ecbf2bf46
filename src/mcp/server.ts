import { McpServer, ProtocolError, ProtocolErrorCode, ResourceNotFoundError } from '@modelcontextprotocol/server'
import { type Client, type ClientError, isClientError } from '../client/index.ts'
import type { ActorInput, ActorIssued } from '../client/resources.ts'
import type { ProblemCode } from '../contract/problem.ts'
import { PROBLEMS, remedyOf } from '../contract/problems.ts'
import { type ObjectSchema, Type } from '../contract/schema.ts'
import { VERSION } from '../contract/version.ts'
import { plain } from '../memory/plain.ts'
import { DAY } from '../memory/values.ts'
import { firstWriter } from './first-write.ts'
import { contentsOf, listedPrompts, listResources, promptOf, RESOURCE_TEMPLATES, readArguments } from './resources.ts'
import {
  type Check,
  type Context,
  createCheck,
  instructionsFor,
  newActor,
  type SessionMemory,
  type Tool,
  type ToolAnswer,
  tokenRefusal,
  writes,
} from './tool.ts'
import { TOOLS } from './tools.ts'

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
type Toolbox = { listed: Listed[]; byName: ReadonlyMap<string, { tool: Tool; check(): Promise<Check> }> }

const made = new Map<string, Toolbox>()

/** The tools of a memory, made once per process. */
function toolboxFor(place: SessionMemory): Toolbox {
  const key = `${place.memory} ${place.keepsToken}`
  const box = made.get(key) ?? createToolbox(place)
  made.set(key, box)
  return box
}

function createToolbox(place: SessionMemory): Toolbox {
  const tools = TOOLS.filter(tool => (tool.only ?? place.memory) === place.memory).map(tool => fitted(tool, place))
  return {
    listed: describedOnce(tools.map(tool => listedAs(tool, place))),
    byName: new Map(tools.map(tool => [tool.name, { tool, check: once(() => createCheck(tool)) }])),
  }
}

/** Makes a value when it is first needed. */
function once<T>(make: () => T): () => T {
  let known: { value: T } | undefined
  return () => {
    known ??= { value: make() }
    return known.value
  }
}

/** If the process stores the token, no tool takes or returns one. */
function fitted(tool: Tool, { keepsToken }: SessionMemory): Tool {
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

/**
 * The short form of a schema for models. The description of an object argument names its members. Items whose members are all `known`
 * arguments of the tool are described by these.
 */
function shortSchema(
  schema: object,
  keywords: readonly string[],
  known: readonly string[] = [],
): Record<string, unknown> {
  const { items } = schema as Parts
  const kept = Object.entries(schema).filter(
    ([name, value]) => keywords.includes(name) && (name === 'enum' || typeof value !== 'object'),
  )
  return { ...Object.fromEntries(kept), ...(items === undefined ? {} : { items: shortItem(items, known) }) }
}

function shortItem(item: Parts & object, known: readonly string[]): object {
  const { properties } = item
  const isKnown = properties === undefined || Object.keys(properties).every(name => known.includes(name))
  return {
    ...shortSchema(item, SHOWN_INSIDE),
    ...(isKnown ? {} : { properties: shortMembers(properties, SHOWN_INSIDE) }),
  }
}

const shortMembers = (
  properties: Record<string, object>,
  keywords: readonly string[],
  known: readonly string[] = [],
): Record<string, object> =>
  Object.fromEntries(Object.entries(properties).map(([name, member]) => [name, shortSchema(member, keywords, known)]))

const shownInput = ({ properties, required }: ObjectSchema & Parts): Schema => ({
  type: 'object',
  ...(required === undefined ? {} : { required }),
  properties: shortMembers(properties, SHOWN, Object.keys(properties)),
  additionalProperties: false,
})

const listedAs = (tool: Tool, place: SessionMemory): Listed => ({
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
const annotationsOf = (tool: Tool, { memory }: SessionMemory): Listed['annotations'] => ({
  ...(writes(tool) ? (tool.only === 'private' ? {} : { destructiveHint: false }) : { readOnlyHint: true }),
  ...(memory === 'shared' ? {} : { openWorldHint: false }),
})

const NAME_CHARACTERS = 60

/** The protocol's server for one session: the tools and the instructions. Both are constant. */
export function createMcpServer(session: Session): McpServer {
  const whole = { ttlMs: DAY, cacheScope: 'public' } as const
  const mcp = new McpServer(
    { name: 'palimpsest', title: 'Palimpsest', version: VERSION },
    {
      capabilities: { tools: { listChanged: false }, resources: {}, prompts: {} },
      instructions: instructionsFor(session),
      cacheHints: { 'tools/list': whole, 'server/discover': whole },
    },
  )
  const tools = toolboxFor(session).listed
  mcp.server.setRequestHandler('tools/list', () => ({ tools }))
  mcp.server.setRequestHandler('tools/call', async ({ params }) => {
    const performed = await perform(session, params.name, params.arguments ?? {})
    if (performed !== undefined) return performed
    const name = plain(params.name.slice(0, NAME_CHARACTERS))
    const names = tools.map(tool => tool.name).join(', ')
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool "${name}"; the tools are ${names}.`)
  })
  serveResources(mcp, session)
  return mcp
}

/** The error of the protocol for a failed request: a resource `uri` that does not exist, or another failure with its remedy. */
function resourceFault(error: unknown, session: Session, request: string, uri?: string): ProtocolError {
  if (error instanceof ProtocolError) return error
  if (!isClientError(error)) session.onFault(error)
  const text = refusalOf(error, request, session)
  const isMissing = isClientError(error) && [400, 404, 410].includes(error.status ?? 0)
  return isMissing && uri !== undefined
    ? new ResourceNotFoundError(uri, text)
    : new ProtocolError(ProtocolErrorCode.InternalError, text)
}

/** Adds the entries as resources, and the prompts. */
function serveResources({ server }: McpServer, session: Session): void {
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: RESOURCE_TEMPLATES }))
  server.setRequestHandler('resources/list', ({ params }) =>
    listResources(session.clientFor(session.token()), params?.cursor).catch(error => {
      throw resourceFault(error, session, 'resources/list')
    }),
  )
  server.setRequestHandler('resources/read', async ({ params: { uri } }) => {
    const { tool, check } = toolboxFor(session).byName.get('read') as { tool: Tool; check(): Promise<Check> }
    const checked = (await check())(readArguments(uri))
    if ('fault' in checked) throw new ResourceNotFoundError(uri, checked.fault)
    const context = { client: session.clientFor(session.token()), memory: session.memory }
    try {
      return contentsOf(uri, (await tool.run(context, checked.args as never)).text)
    } catch (error) {
      throw resourceFault(error, session, 'resources/read', uri)
    }
  })
  server.setRequestHandler('prompts/list', () => ({ prompts: listedPrompts }))
  server.setRequestHandler('prompts/get', ({ params }) => promptOf(params.name, params.arguments))
}

/** The dependencies of calls of tools. */
export type Session = SessionMemory &
  Pick<Context, 'forget' | 'environment' | 'others'> & {
    /** A client of the service that sends the token, if there is one, with every request. */
    clientFor(token: string | undefined): Client
    /** The token of calls without an actorToken. */
    token(): string | undefined
    /** Receives the token of an actor that was created for a call. */
    issued?(token: string): void
    /** Receives unexpected errors. */
    onFault(error: unknown): void
  }

type Performed = {
  content: { type: 'text'; text: string }[]
  structuredContent?: Record<string, string>
  isError?: boolean
}

const textOf = (...texts: readonly string[]): Performed['content'] => texts.map(text => ({ type: 'text', text }))
const refused = (...texts: readonly string[]): Performed => ({ content: textOf(...texts), isError: true })

/** Performs one call; undefined if the tool does not exist. Never rejects: a failure is an answer with its remedy. */
export async function perform(session: Session, name: string, args: unknown): Promise<Performed | undefined> {
  const named = toolboxFor(session).byName.get(name)
  if (named === undefined) return undefined
  const { tool, check } = named
  const checked = (await check())(args)
  if ('fault' in checked) return refused(checked.fault)
  const { actorToken, actor, ...input } = checked.args as { actorToken?: string; actor?: ActorInput }
  let issued: ActorIssued | undefined
  try {
    const token = actorToken ?? session.token()
    const known = session.clientFor(token)
    const act = async (): Promise<Client> => {
      issued = await known.createActor(actor ?? { actorType: 'AGENT' })
      session.issued?.(issued.token)
      return session.clientFor(issued.token)
    }
    const isFirst = token === undefined && tool.performs.includes('createActor')
    const { memory, forget, environment, others } = session
    const client = isFirst ? firstWriter(known, act) : known
    const context: Context = {
      ...{ client, memory, others },
      ...(environment === undefined ? {} : { environment }),
      ...(forget === undefined ? {} : { forget }),
    }
    return answered(session, await tool.run(context, input as never), issued)
  } catch (error) {
    if (!isClientError(error)) session.onFault(error)
    // If the write was refused after its actor was created, the token is shown only now.
    return refused(refusalOf(error, name, session), ...actorLines(session, issued))
  }
}

const actorLines = (place: SessionMemory, issued: ActorIssued | undefined): string[] =>
  issued === undefined ? [] : [newActor(place, issued.actor.id, issued.token)]

function answered(
  place: SessionMemory,
  { text, structured, failed }: ToolAnswer,
  issued: ActorIssued | undefined,
): Performed {
  const content = textOf(text, ...actorLines(place, issued))
  if (failed === true) return { content, isError: true }
  if (structured === undefined) return { content }
  const token = issued === undefined || place.keepsToken ? {} : { actorToken: issued.token }
  return { content, structuredContent: { ...structured, ...token } }
}

/** Remedies for models, if the remedy for callers of HTTP does not fit. */
const NEXT: Partial<Record<ProblemCode, string>> = {
  INVALID_PATH: 'Name the entry by its entryId or slug; find returns both.',
  INVALID_SLUG: 'Name the entry by its entryId or slug, 1 to 120 characters; find returns both.',
  ACTOR_TOKEN_REQUIRED: 'This needs an actor token; omit actorToken, and the call creates an actor.',
  TARGET_NOT_FOUND: 'No target has this id or slug; call find first.',
  ENTRY_NOT_FOUND: 'No entry has this id or slug; call find first.',
  REVISION_NOT_FOUND: 'This entry has no revision with this id; history lists them.',
  STALE_REVISION:
    'Another revision was committed first, and yours was not. Call read, merge your change into the current text, and call revise with the current revision.',
  ENTRY_WITHDRAWN: 'Moderation has withdrawn the entry. Do not try again.',
  ERASED: 'The operator has erased this text. Do not try again.',
  BODY_TOO_LARGE: 'All arguments together are over the limit of 32768 bytes; shorten them.',
  RATE_LIMITED: 'Too many calls within a minute.',
  COOLDOWN: 'A write of this kind came too soon after the previous one.',
  NOT_READY: 'The service is starting or stopping.',
  OVERLOADED: 'The service is overloaded.',
  STORE_UNAVAILABLE: 'The service cannot write to the store now.',
  OUTCOME_UNKNOWN: 'The store failed during the commit, or the connection to it was lost.',
}

/** A refused call for a model: the code, the remedy, the seconds to wait, and the latest revision. */
function refusalText(error: ClientError, tool: string, place: SessionMemory): string {
  const {
    code,
    status,
    member,
    requestId,
    retryAfterSeconds: seconds,
    latestRevisionId: latest,
    mayHaveHappened,
  } = error
  const own =
    status !== null && code in PROBLEMS
      ? (NEXT[code as ProblemCode] ?? remedyOf(code as ProblemCode, member))
      : undefined
  const next = code === 'ACTOR_TOKEN_INVALID' ? tokenRefusal(place) : own
  return [
    `${code}: ${next ?? plain(error.message.replace(/^[A-Z_]+: /, ''))}`,
    ...(latest === null ? [] : [`The current revision is ${latest}.`]),
    ...(seconds === null ? [] : [`Wait ${seconds} seconds, then call ${tool} again with the same arguments.`]),
    ...(mayHaveHappened ? ['It may or may not have been written. Call find or read before you try again.'] : []),
    ...(requestId === null ? [] : [`(request ${requestId})`]),
  ].join(' ')
}

/** The refusal in an error. An unexpected error reveals no details. */
const refusalOf = (error: unknown, tool: string, place: SessionMemory): string =>
  isClientError(error)
    ? refusalText(error, tool, place)
    : 'UNEXPECTED_FAULT: The service has a fault. It may or may not have been written. Call find or read before you try again.'
