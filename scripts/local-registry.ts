import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'

const ROOT = join(import.meta.dirname, '..')
const run = promisify(execFile)
/** The largest packed package, in bytes. */
const PACKED_MAX = 2 ** 26

/** The path of each installed package in `node_modules`, by name and version. */
type Installed = Map<string, Map<string, string>>

/**
 * Starts a package registry on this machine with the packages that are installed in this checkout, nested ones too, to install without a
 * network. Returns its address, and a function that stops it.
 */
export async function startLocalRegistry(): Promise<{ url: string; stop(): void }> {
  const installed = await installedPackages()
  const server = createServer(async (request, answer) => {
    const url = new URL(request.url ?? '', `http://${request.headers.host}`)
    const name = decodeURIComponent(url.pathname.slice(1))
    const versions = installed.get(name)
    if (versions === undefined) return answer.writeHead(404).end('{}')
    const path = versions.get(url.searchParams.get('version') ?? '')
    if (path !== undefined) return answer.end(await packed(path))
    answer.setHeader('content-type', 'application/json').end(JSON.stringify(await packument(name, versions, url.href)))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const stop = (): void => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop }
}

async function installedPackages(): Promise<Installed> {
  const { packages } = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version?: string }>
  }
  const installed: Installed = new Map()
  for (const [path, { version }] of Object.entries(packages)) {
    if (!path.startsWith('node_modules/') || version === undefined) continue
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
    installed.set(name, (installed.get(name) ?? new Map()).set(version, path))
  }
  return installed
}

async function packument(name: string, paths: Map<string, string>, url: string): Promise<object> {
  const versions: Record<string, object> = {}
  for (const [version, path] of paths) {
    const manifest = JSON.parse(await readFile(join(ROOT, path, 'package.json'), 'utf8')) as object
    versions[version] = { ...manifest, dist: { tarball: `${url}?version=${version}` } }
  }
  return { name, 'dist-tags': { latest: [...paths.keys()].at(-1) }, versions }
}

async function packed(path: string): Promise<Buffer> {
  const files = ['--exclude=./node_modules', '-C', join(ROOT, path), '.']
  const tar = ['-cz', '--transform', 's,^\\.,package,', ...files]
  const { stdout } = await run('tar', tar, { encoding: 'buffer', maxBuffer: PACKED_MAX })
  return stdout
}
