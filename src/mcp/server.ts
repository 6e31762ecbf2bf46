import { McpServer, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { plain } from '../domain/invisible-characters.js'
import { DAY } from '../domain/time.ts'
import { VERSION } from '../http/documents/openapi.ts'
import { perform, type Session } from './perform.ts'
import { toolboxFor } from './toolbox.ts'
import { instructionsFor } from './wording.ts'

const NAME_CHARACTERS = 60

/** The protocol's server for one session: the tools and the instructions. Both are constant. */
export function createMcpServer(session: Session): McpServer {
  const whole = { ttlMs: DAY, cacheScope: 'public' } as const
  const mcp = new McpServer(
    { name: 'palimpsest', title: 'Palimpsest', version: VERSION },
    {
      capabilities: { tools: { listChanged: false } },
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
  return mcp
}
