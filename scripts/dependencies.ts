import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { npm } from './packages.ts'

const ROOT = join(import.meta.dirname, '..')
const readJson = <T>(path: string): T => JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as T
const FOLDER = 'node_modules/'
/** The licences under which the package may install others. */
const ALLOWED = ['Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT', 'PSF-2.0']

type Dependency = { version: string; license?: string; dev?: boolean; link?: boolean }
type Lock = { packages: Record<string, Dependency> }

/** The lock file without what only a checkout installs: the packages of development, and the Node of `scripts/node`. */
export function lockOfPackage(): Lock {
  const lock = readJson<Lock>('package-lock.json')
  const { optionalDependencies } = readJson<{ optionalDependencies: object }>('scripts/node/package.json')
  const isInstalled = ([path, { dev, link }]: [string, Dependency]): boolean =>
    path === '' || (path.startsWith(FOLDER) && !dev && !link && !(path.slice(FOLDER.length) in optionalDependencies))
  return { ...lock, packages: Object.fromEntries(Object.entries(lock.packages).filter(isInstalled)) }
}

/**
 * The names, versions and licences of all packages that an installation has, by its lock file. Throws an Error with one sentence if a
 * licence is not one of those that are allowed.
 */
export function dependencies(
  { packages: all }: Lock = lockOfPackage(),
): { name: string; version: string; license: string }[] {
  const { '': _own, ...packages } = all
  return Object.entries(packages).map(([path, { version, license = 'no licence' }]) => {
    const name = path.slice(path.lastIndexOf(FOLDER) + FOLDER.length)
    if (!ALLOWED.includes(license)) {
      throw new Error(`${name} ${version} has ${license}; replace the package, or allow it in scripts/dependencies.ts.`)
    }
    return { name, version, license }
  })
}

/** The text of THIRD-PARTY.md. */
export function thirdParty(): string {
  const rows = dependencies().map(({ name, version, license }) => `| \`${name}\` | ${version} | ${license} |`)
  return `<!-- Made from package-lock.json by \`npm run docs\`; do not edit. -->
# Third-party software

The package \`@palimpsest/memory\` installs these packages. Each names its licence in its \`package.json\`, and most contain its text. The pages contain the font Lora under OFL-1.1; [src/web/serif-licence.txt](src/web/serif-licence.txt) is its licence. The package \`@palimpsest/client\` installs no other package.

| package | version | licence |
|---|---|---|
${rows.join('\n')}
`
}

/**
 * The software bill of materials of the package (CycloneDX, JSON): every package of an installation with its licence, and its hash in the
 * registry of npm.
 */
export async function billOfMaterials(): Promise<string> {
  const { devDependencies: _dev, workspaces: _node, ...manifest } = readJson<Record<string, unknown>>('package.json')
  const { packages, ...lock } = lockOfPackage()
  const locked = { ...lock, packages: { ...packages, '': manifest } }
  const parent = await mkdtemp(join(tmpdir(), 'palimpsest-sbom-'))
  try {
    // The bill has the name of the folder.
    const directory = join(parent, 'memory')
    await mkdir(directory)
    await writeFile(join(directory, 'package.json'), JSON.stringify(manifest))
    await writeFile(join(directory, 'package-lock.json'), JSON.stringify(locked))
    return await npm(directory, 'sbom', '--package-lock-only', '--sbom-format=cyclonedx')
  } finally {
    await rm(parent, { recursive: true })
  }
}
