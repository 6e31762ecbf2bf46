import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after } from 'node:test'
import { run, temporary } from './built.ts'

/**
 * A package registry on this machine that has every name in any exact version, each with a manifest only. A package that works
 * against it needs no other package. Returns its address.
 */
export async function emptyRegistry(versions: Record<string, string>): Promise<string> {
  const server = createServer(async (request, answer) => {
    const name = decodeURIComponent(request.url ?? '').replace(/^\/(?:tarballs\/)?/, '')
    const version = versions[name]
    if (version === undefined) return answer.writeHead(404).end('{}')
    if (request.url?.startsWith('/tarballs/') === true) return answer.end(await emptyPackage(name, version))
    const dist = { tarball: `http://${request.headers.host}/tarballs/${encodeURIComponent(name)}` }
    const packument = { name, 'dist-tags': { latest: version }, versions: { [version]: { name, version, dist } } }
    return answer.setHeader('content-type', 'application/json').end(JSON.stringify(packument))
  })
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function emptyPackage(name: string, version: string): Promise<Buffer> {
  const directory = await temporary()
  await writeFile(join(directory, 'package.json'), JSON.stringify({ name, version }))
  const file = join(directory, 'package.tgz')
  await run('tar', ['-czf', file, '--transform', 's,^,package/,', '-C', directory, 'package.json'])
  return readFile(file)
}
