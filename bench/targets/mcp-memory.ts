import { once } from 'node:events'
import { cpSync, createWriteStream, existsSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { createCorpus } from '../corpus.ts'
import { installPackages } from '../install.ts'
import { entityOf } from '../load/drivers/mcp-memory.ts'
import { bytesUnder, startServer } from '../processes.ts'
import type { Place, Target } from '../target.ts'

const PACKAGES = { '@modelcontextprotocol/server-memory': '2026.8.31' }
const FILE = 'memory.jsonl'

/** Its store is a file of lines. The server reads and writes the whole file at each request. */
async function fill({ kept, entries }: Place): Promise<void> {
  const textOf = await createCorpus()
  const file = createWriteStream(join(kept, FILE))
  for (let n = 0; n < entries; n++) {
    const line = JSON.stringify({ type: 'entity', ...entityOf(textOf(n), `entry-${n}`) })
    if (!file.write(n === 0 ? line : `\n${line}`)) await once(file, 'drain')
  }
  file.end()
  await once(file, 'finish')
}

/**
 * The reference memory server for the Model Context Protocol: one process on standard input and output. Here, a socket forwards its lines.
 */
export const mcpMemory: Target = {
  name: 'mcp-memory',
  operations: ['R', 'S', 'W', 'U', 'M'],
  most: 10_000,
  async prepare(place) {
    installPackages(place.installed, PACKAGES)
    if (!existsSync(join(place.kept, FILE))) await fill(place)
  },
  async start({ installed, kept, scratch, entries, words }) {
    const path = join(scratch, FILE)
    cpSync(join(kept, FILE), path)
    const bytes = bytesUnder(scratch)
    const script = join(installed, 'node_modules/@modelcontextprotocol/server-memory/dist/index.js')
    const env = { PATH: process.env.PATH, MEMORY_FILE_PATH: path }
    const server = startServer([process.execPath, script], { env, stdio: ['pipe', 'pipe', 'pipe'] })
    await server.until(/running on stdio/)
    const { child } = server
    let loading: Socket | undefined
    const bridge = createServer(socket => {
      loading = socket.on('error', () => {})
      socket.on('data', chunk => child.stdin?.write(chunk))
    })
    child.stdout?.on('data', chunk => loading?.write(chunk))
    await new Promise<void>(resolve => bridge.listen(0, '127.0.0.1', resolve))
    const url = `tcp://127.0.0.1:${(bridge.address() as AddressInfo).port}`
    return {
      about: `@modelcontextprotocol/server-memory ${PACKAGES['@modelcontextprotocol/server-memory']} on stdio; keeps no history, checks no base, syncs nothing`,
      pids: [server.pid],
      situation: {
        driver: 'mcp-memory',
        urls: [url],
        addresses: Array.from({ length: entries }, (_, n) => `entry-${n}`),
        words,
        tokens: [],
      },
      async stop() {
        await server.stop()
        loading?.destroy()
        bridge.close()
      },
      bytes: () => bytes,
    }
  },
}
