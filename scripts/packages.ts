import { execFile } from 'node:child_process'
import { cp, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startLocalRegistry } from './local-registry.ts'

const ROOT = join(import.meta.dirname, '..')
const run = promisify(execFile)
/** Settings that an npm passes to the script that it runs are not for another npm. */
const OUTER = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)))
const ENVIRONMENT = { ...OUTER, npm_config_update_notifier: 'false' }

/** Runs npm in a directory with a cache of its own. Returns its standard output; throws if npm fails. */
export async function npm(directory: string, ...args: string[]): Promise<string> {
  const cache = await mkdtemp(join(tmpdir(), 'palimpsest-npm-'))
  try {
    const env = { ...ENVIRONMENT, npm_config_cache: cache }
    const { stdout } = await run('npm', args, { cwd: directory, env, maxBuffer: 2 ** 26 })
    return stdout
  } finally {
    await rm(cache, { recursive: true })
  }
}

/** The parts of a checkout, beside its sources, that the package of the service has. */
const PARTS = ['bin', 'deploy', 'LICENSE', 'README.md', 'CHANGELOG.md', 'THIRD-PARTY.md']

/**
 * Packs the service and the client, as npm publishes them, into a directory that exists. Packs copies, because several processes may pack at
 * the same time. Returns the paths of both archives: that of the service first.
 */
export async function packPackages(directory: string): Promise<[service: string, client: string]> {
  const parent = await mkdtemp(join(tmpdir(), 'palimpsest-client-'))
  try {
    const client = join(parent, 'client')
    await run(process.execPath, [join(ROOT, 'scripts/build-client.ts'), '--to', client])
    const pack = async (source: string): Promise<string> => {
      const [packed] = JSON.parse(
        await npm(source, 'pack', '--ignore-scripts', '--json', '--pack-destination', directory),
      )
      return join(directory, packed.filename)
    }
    const service = join(parent, 'service')
    for (const part of ['package.json', 'src', 'scripts/build-program.ts', ...PARTS])
      await cp(join(ROOT, part), join(service, part), { recursive: true })
    await run(process.execPath, [join(service, 'scripts/build-program.ts')])
    return [await pack(service), await pack(client)]
  } finally {
    await rm(parent, { recursive: true })
  }
}

/**
 * Installs the archive of the service without a network and without scripts, with the versions of this checkout. The program is then in
 * `program`, which must not exist: the files of the package, and all packages that it needs in `node_modules`.
 */
export async function installProgram(archive: string, program: string): Promise<void> {
  const parent = await mkdtemp(`${program}-`)
  const registry = await startLocalRegistry()
  try {
    await writeFile(join(parent, 'package.json'), JSON.stringify({ private: true }))
    const flags = ['--ignore-scripts', '--no-bin-links', '--no-audit', '--no-fund', `--registry=${registry.url}`]
    await npm(parent, 'install', ...flags, archive)
    const modules = join(parent, 'node_modules')
    await rename(join(modules, '@palimpsest', 'memory'), program)
    await rm(join(modules, '@palimpsest'), { recursive: true })
    await rm(join(modules, '.package-lock.json'))
    await rename(modules, join(program, 'node_modules'))
  } finally {
    registry.stop()
    await rm(parent, { recursive: true })
  }
}
