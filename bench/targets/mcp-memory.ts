import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, createWriteStream, existsSync, statSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { createCorpus } from '../corpus.ts'
import { entityOf } from '../load/drivers/mcp-memory.ts'
import { startServer } from '../processes.ts'
import { filled, type Store, type Target } from '../target.ts'

const PACKAGE = '@modelcontextprotocol/server-memory'
const VERSION = '2026.8.31'
const FILE = 'memory.jsonl'

/** Its store is a file of lines. The server reads and writes the whole file at each request. */
const STORE: Store = {
  name: 'mcp-memory',
  async fill(directory, { entries }) {
    const textOf = await createCorpus()
    const file = createWriteStream(join(directory, FILE))
    for (let n = 0; n < entries; n++) {
      const line = JSON.stringify({ type: 'entity', ...entityOf(textOf(n), `entry-${n}`) })
      if (!file.write(n === 0 ? line : `\n${line}`)) await once(file, 'drain')
    }
    file.end()
    await once(file, 'finish')
  },
}

/** Installs the package under `work`, unless it is there. Returns its program. */
function installed(work: string): string {
  const directory = join(work, 'installed', `mcp-memory-${VERSION}`)
  const program = join(directory, 'node_modules', PACKAGE, 'dist/index.js')
  const install = ['install', '--prefix', directory, '--no-audit', '--no-fund', `${PACKAGE}@${VERSION}`]
  if (!existsSync(program)) execFileSync('npm', install, { stdio: 'pipe' })
  return program
}

/**
 * The reference memory server for the Model Context Protocol: one process on standard input and output. Here, a socket forwards its lines.
 */
export const mcpMemory: Target = {
  name: 'mcp-memory',
  operations: ['R', 'S', 'W', 'U', 'M'],
  most: 10_000,
  async start(place) {
    const program = installed(place.work)
    const path = join(place.scratch, FILE)
    cpSync(join(await filled(place, STORE), FILE), path)
    const bytes = statSync(path).size
    const env = { PATH: process.env.PATH, MEMORY_FILE_PATH: path }
    const server = startServer([process.execPath, program], { env, stdio: ['pipe', 'pipe', 'pipe'] })
    await server.until(/running on stdio/)
    const { child } = server
    let loading: Socket | undefined
    const bridge = createServer(socket => {
      loading = socket.on('error', () => {})
      socket.on('data', chunk => child.stdin?.write(chunk))
    })
    child.stdout?.on('data', chunk => loading?.write(chunk))
    await once(bridge.listen(0, '127.0.0.1'), 'listening')
    return {
      about: `${PACKAGE} ${VERSION} on stdio; keeps no history, checks no base, syncs nothing`,
      pids: [server.pid],
      situation: {
        driver: 'mcp-memory',
        urls: [`tcp://127.0.0.1:${(bridge.address() as AddressInfo).port}`],
        addresses: Array.from({ length: place.entries }, (_, n) => `entry-${n}`),
        words: place.words,
      },
      bytes,
      async stop() {
        await server.stop()
        loading?.destroy()
        bridge.close()
      },
    }
  },
}
