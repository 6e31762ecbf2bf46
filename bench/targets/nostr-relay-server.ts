import type { AddressInfo } from 'node:net'
import { loadFrom } from '../install.ts'
import { openRepository } from './nostr-relay.ts'

/** The relay as in its own example. Arguments: its folder, the file of its store, the seconds for which it repeats an answer. */
const [installed = '', path = '', seconds = ''] = process.argv.slice(2)

type Relay = { handleConnection(client: object): void; handleMessage(client: object, message: unknown): Promise<void> }
type Socket = { on(event: 'message', hear: (data: Buffer) => void): void; send(text: string): void }
type Server = {
  on(event: 'connection', hear: (socket: Socket) => void): void
  on(event: 'listening', hear: () => void): void
  address(): AddressInfo
}
const { NostrRelay } = loadFrom<{ NostrRelay: new (repository: object, options: object) => Relay }>(
  installed,
  '@nostr-relay/core',
)
const { Validator } = loadFrom<{ Validator: new () => { validateIncomingMessage(data: Buffer): Promise<unknown> } }>(
  installed,
  '@nostr-relay/validator',
)
const { WebSocketServer } = loadFrom<{ WebSocketServer: new (options: object) => Server }>(installed, 'ws')

const repository = openRepository(installed, path, 'synchronous = FULL')
await repository.init()
const relay = new NostrRelay(repository, { filterResultCacheTtl: 1_000 * Number(seconds) })
const validator = new Validator()
const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
server.on('connection', socket => {
  relay.handleConnection(socket)
  socket.on('message', async data => {
    try {
      await relay.handleMessage(socket, await validator.validateIncomingMessage(data))
    } catch (error) {
      socket.send(JSON.stringify(['NOTICE', String(error)]))
    }
  })
})
server.on('listening', () => process.stdout.write(`ready at ws://127.0.0.1:${server.address().port}\n`))
