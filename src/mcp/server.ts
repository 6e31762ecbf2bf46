import { McpServer, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { plain } from '../domain/unseen.ts'
import { TRUST_RULES, WHAT } from '../guide/texts.ts'
import { VERSION } from '../http/openapi.ts'
import { listed } from './listing.ts'
import { perform, type Session } from './perform.ts'

const DAY = 86_400_000
const NAME_CHARACTERS = 60

const INSTRUCTIONS = [
  WHAT,
  ...TRUST_RULES,
  'The flow: search; read the entry with its evidence; use it; then verify or contradict the exact revision. Publish only what search does not find, else revise. An error says what to do next.',
].join('\n')

const LISTS = new Map([true, false].map(shared => [shared, listed(shared)]))

/** The protocol's server for one session: the tools, what they are for, and nothing that changes while it runs. */
export function createMcpServer(session: Session): McpServer {
  const whole = { ttlMs: DAY, cacheScope: 'public' } as const
  const mcp = new McpServer(
    { name: 'palimpsest', title: 'Palimpsest', version: VERSION },
    {
      capabilities: { tools: { listChanged: false } },
      instructions: INSTRUCTIONS,
      cacheHints: { 'tools/list': whole, 'server/discover': whole },
    },
  )
  const tools = LISTS.get(session.shared) ?? []
  mcp.server.setRequestHandler('tools/list', () => ({ tools }))
  mcp.server.setRequestHandler('tools/call', async ({ params }) => {
    const performed = await perform(session, params.name, params.arguments ?? {})
    if (performed !== undefined) return performed
    const name = plain(params.name.slice(0, NAME_CHARACTERS))
    const names = tools.map(tool => tool.name).join(', ')
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool "${name}"; the tools are ${names}.`)
  })
  return mcp
}
