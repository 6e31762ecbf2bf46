import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, createServer as createProbe } from 'node:net'
import { join } from 'node:path'
import { loadFrom } from '../install.ts'

/** The server as its distribution starts it, with an identity directory that contains only its own accounts. Arguments: installed, data. */
const [installed = '', directory = ''] = process.argv.slice(2)

type Pds = {
  readEnv(): object
  envToCfg(env: object): object
  envToSecrets(env: object): object
  PDS: { create(config: object, secrets: object): Promise<{ start(): Promise<unknown>; destroy(): Promise<void> }> }
}
type Identities = { formatDidDoc(data: object): object }
type Operation = { alsoKnownAs: string[] }

/** Replaces the identity directory (plc.directory): stores operations and returns the newest document. */
async function startIdentities(): Promise<string> {
  const path = join(directory, 'identities.json')
  const kept: Record<string, Operation> = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {}
  const { formatDidDoc } = loadFrom<Identities>(installed, '@did-plc/lib')
  const server = createServer(async (request, response) => {
    const did = decodeURIComponent((request.url ?? '').split('/')[1] ?? '')
    if (request.method === 'POST') {
      kept[did] = JSON.parse(await bodyOf(request)) as Operation
      writeFileSync(path, JSON.stringify(kept))
      response.end()
      return
    }
    const operation = kept[did]
    if (operation === undefined) response.writeHead(404).end()
    else response.setHeader('content-type', 'application/json').end(JSON.stringify(formatDidDoc({ did, ...operation })))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = ''
  for await (const chunk of request) body += chunk
  return body
}

async function freePort(): Promise<number> {
  const probe = createProbe()
  await new Promise<void>(resolve => probe.listen(0, '127.0.0.1', resolve))
  const { port } = probe.address() as AddressInfo
  await new Promise(resolve => probe.close(resolve))
  return port
}

mkdirSync(directory, { recursive: true })
const port = await freePort()
Object.assign(process.env, {
  PDS_PORT: String(port),
  PDS_HOSTNAME: 'localhost',
  PDS_DEV_MODE: 'true',
  PDS_DATA_DIRECTORY: directory,
  PDS_BLOBSTORE_DISK_LOCATION: join(directory, 'blobs'),
  PDS_SERVICE_HANDLE_DOMAINS: '.test',
  PDS_DID_PLC_URL: await startIdentities(),
  PDS_INVITE_REQUIRED: 'false',
  PDS_JWT_SECRET: 'of this bench alone',
  PDS_ADMIN_PASSWORD: 'of this bench alone',
  PDS_PLC_ROTATION_KEY_K256_PRIVATE_KEY_HEX: '11'.repeat(32),
  LOG_ENABLED: 'false',
})
const { PDS, envToCfg, envToSecrets, readEnv } = loadFrom<Pds>(installed, '@atproto/pds')
const env = readEnv()
const pds = await PDS.create(envToCfg(env), envToSecrets(env))
await pds.start()
process.once('SIGTERM', () => pds.destroy().finally(() => process.exit()))
process.stdout.write(`ready at http://127.0.0.1:${port}\n`)
