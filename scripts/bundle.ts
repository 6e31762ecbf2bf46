import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'

const ROOT = join(import.meta.dirname, '..')
/** The time of every file in a bundle: that of the files in a package of npm. */
const TIME = new Date('1985-10-26T08:15:00Z')

type Manifest = {
  version: string
  description: string
  license: string
  homepage: string
  repository: { url: string }
  engines: { node: string }
}

const repositoryOf = ({ repository }: Manifest): string => repository.url.replace(/^git\+|\.git$/g, '')
const readJson = async <T>(path: string): Promise<T> => JSON.parse(await readFile(join(ROOT, path), 'utf8')) as T

/** The manifest of the bundle (MCPB 0.3): hosts ask for the directory, and run the command with their own Node. */
function bundleManifest(manifest: Manifest): object {
  const { version, description, license, homepage, engines } = manifest
  const entry = 'bin/palimpsest.js'
  return {
    manifest_version: '0.3',
    name: 'palimpsest',
    display_name: 'Palimpsest',
    version,
    description,
    author: { name: 'The authors of Palimpsest', url: repositoryOf(manifest) },
    repository: { type: 'git', url: repositoryOf(manifest) },
    homepage,
    license,
    server: {
      type: 'node',
      entry_point: entry,
      mcp_config: {
        command: 'node',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: the host replaces these
        args: [`\${__dirname}/${entry}`, 'mcp', '--data-dir', '${user_config.directory}'],
      },
    },
    tools_generated: true,
    user_config: {
      directory: {
        type: 'directory',
        title: 'Memory',
        description: 'The directory of the private memory, which is made when it is not there',
        required: true,
        // biome-ignore lint/suspicious/noTemplateCurlyInString: the host replaces it
        default: '${HOME}/.palimpsest',
      },
    },
    compatibility: { runtimes: { node: engines.node } },
  }
}

/** Puts all files of a folder into a new zip, in the order of their names and with one time: the same files make the same bytes. */
async function zip(archive: string, folder: string): Promise<void> {
  const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter(file => file.isFile())
  const names = files.map(file => relative(folder, join(file.parentPath, file.name)))
  for (const name of names) await utimes(join(folder, name), TIME, TIME)
  const options = { cwd: folder, env: { ...process.env, TZ: 'UTC' } }
  const running = promisify(execFile)('zip', ['-X', '-q', archive, '-@'], options)
  running.child.stdin?.on('error', () => {})
  running.child.stdin?.end(names.toSorted().join('\n'))
  await running.catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? new Error('The bundle needs the program zip: install it (Debian: zip).') : error
  })
}

/** Makes the bundle of a program for hosts of the Model Context Protocol, in a directory: its files and a manifest. Returns its name. */
export async function makeBundle(directory: string, program: string): Promise<string> {
  const manifest = await readJson<Manifest>('package.json')
  const name = `palimpsest-${manifest.version}.mcpb`
  await writeFile(join(program, 'manifest.json'), `${JSON.stringify(bundleManifest(manifest), null, 2)}\n`)
  await zip(join(directory, name), program)
  return name
}

/** The entry for the MCP registry: server.json, with the bundle of a directory by its address in the release and its hash. */
export async function registryEntry(directory: string, bundle: string): Promise<string> {
  const manifest = await readJson<Manifest>('package.json')
  const entry = await readJson<{ packages: object[] }>('server.json')
  const own = {
    registryType: 'mcpb',
    identifier: `${repositoryOf(manifest)}/releases/download/v${manifest.version}/${bundle}`,
    fileSha256: createHash('sha256')
      .update(await readFile(join(directory, bundle)))
      .digest('hex'),
    transport: { type: 'stdio' },
  }
  return `${JSON.stringify({ ...entry, packages: [...entry.packages, own] }, null, 2)}\n`
}
