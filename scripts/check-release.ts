import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { makeBundle, registryEntry } from './bundle.ts'
import { billOfMaterials, dependencies, thirdParty } from './dependencies.ts'
import { installProgram, packPackages } from './packages.ts'

const USAGE = `Usage: npm run release:check -- [TAG] [--to DIRECTORY]

Makes the files of a release without a network and checks them. Prints the notes of the release. The files stay in a directory that does
not exist yet, if it is named. Without a tag, the section of the changelog may be unreleased.
`
const ROOT = join(import.meta.dirname, '..')

/** The largest size of an installed program, in bytes. */
const INSTALLED_MAX = 60_000_000

/** The files that state the version of a release. */
export type Release = { packageJson: string; serverJson: string; changelog: string }

/**
 * Returns the part of the changelog about a release. Throws an Error with one sentence if the tag, the package, the description for MCP
 * registries and the changelog do not agree, or if a release with a tag has no date.
 */
export function releaseNotes(tag: string | undefined, { packageJson, serverJson, changelog }: Release): string {
  const { version } = JSON.parse(packageJson) as { version: string }
  if (tag !== undefined && tag !== `v${version}`)
    throw new Error(`The tag is ${tag}, but package.json has version ${version}.`)
  const server = JSON.parse(serverJson) as { version: string; packages?: { version: string }[] }
  for (const stated of [server, ...(server.packages ?? [])]) {
    if (stated.version !== version) throw new Error(`server.json has version ${stated.version}, not ${version}.`)
  }
  const sections = changelog.split(/^## /m)
  const section = sections.find(text => text.startsWith(`${version}, `))
  if (section === undefined) throw new Error(`CHANGELOG.md has no section "## ${version}, <date>".`)
  const [heading = ''] = section.split('\n')
  if (tag !== undefined && !/, \d{4}-\d{2}-\d{2}$/.test(heading))
    throw new Error(`The section "## ${heading}" of CHANGELOG.md has no date.`)
  return section.slice(heading.length).trim()
}

/**
 * Makes the files of a release in a directory that does not exist yet: the archives of both packages, the installed program, its bill of materials, its
 * bundle and its entry for the MCP registry. Throws an Error with one sentence if they do not agree.
 */
export async function makeRelease(directory: string): Promise<void> {
  await mkdir(directory)
  const program = join(directory, 'program')
  const [service] = await packPackages(directory)
  await installProgram(service, program)
  await checkProgram(program)
  const bill = await billOfMaterials()
  checkBill(bill)
  await writeFile(join(directory, 'sbom.cdx.json'), bill)
  const bundle = await makeBundle(directory, program)
  await writeFile(join(directory, 'server.json'), await registryEntry(directory, bundle))
}

/** Throws if the program is too large, has another package than THIRD-PARTY.md, or has an old THIRD-PARTY.md. */
async function checkProgram(program: string): Promise<void> {
  if ((await readFile(join(program, 'THIRD-PARTY.md'), 'utf8')) !== thirdParty()) {
    throw new Error('THIRD-PARTY.md is not of this package-lock.json; run "npm run docs".')
  }
  const files = (await readdir(program, { recursive: true, withFileTypes: true })).filter(file => file.isFile())
  const sizes = await Promise.all(files.map(async file => (await stat(join(file.parentPath, file.name))).size))
  const bytes = sizes.reduce((sum, size) => sum + size, 0)
  if (bytes > INSTALLED_MAX) throw new Error(`The program has ${bytes} bytes, more than ${INSTALLED_MAX}.`)
  const manifests = files.filter(file => file.name === 'package.json' && isPackage(file.parentPath))
  const found = manifests.map(({ parentPath }) => readJson(join(parentPath, 'package.json'))).map(labelOf)
  expectDependencies('The program', found)
}

/** Throws if a bill of materials has other packages than THIRD-PARTY.md, or one without a hash or a licence. */
function checkBill(bill: string): void {
  const { components } = JSON.parse(bill) as { components: Component[] }
  const bare = components.find(({ hashes = [], licenses = [] }) => hashes.length === 0 || licenses.length === 0)
  if (bare !== undefined) throw new Error(`The bill of materials has no hash or no licence for ${labelOf(bare)}.`)
  expectDependencies('The bill of materials', components.map(labelOf))
}

type Component = { name: string; version: string; hashes?: object[]; licenses?: object[] }
const labelOf = ({ name, version }: { name: string; version: string }): string => `${name} ${version}`
const readJson = (path: string): { name: string; version: string } => JSON.parse(readFileSync(path, 'utf8'))
const isPackage = (folder: string): boolean => /node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+$/.test(folder)

function expectDependencies(what: string, labels: readonly string[]): void {
  const expected = dependencies().map(labelOf)
  const [other] = [...labels.filter(one => !expected.includes(one)), ...expected.filter(one => !labels.includes(one))]
  if (other !== undefined) throw new Error(`${what} and package-lock.json differ in ${other}; run "npm ci".`)
}

/** Reports each file of a release with its size and its hash. */
async function report(directory: string): Promise<void> {
  for (const file of await readdir(directory, { withFileTypes: true })) {
    if (!file.isFile()) continue
    const content = await readFile(join(directory, file.name))
    const hash = createHash('sha256').update(content).digest('hex')
    process.stderr.write(`${hash}  ${file.name} (${content.length} bytes)\n`)
  }
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({ options: { to: { type: 'string' } }, allowPositionals: true })
  const { to } = values
  if (positionals.length > 1 || (to !== undefined && existsSync(to))) throw new Error(USAGE)
  const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
  const stated = { packageJson: read('package.json'), serverJson: read('server.json'), changelog: read('CHANGELOG.md') }
  const notes = releaseNotes(positionals[0], stated)
  const parent = await mkdtemp(join(tmpdir(), 'palimpsest-release-'))
  try {
    const directory = resolve(to ?? join(parent, 'release'))
    await makeRelease(directory)
    await report(directory)
  } finally {
    await rm(parent, { recursive: true })
  }
  process.stdout.write(`${notes}\n`)
}

if (import.meta.main) {
  await main().catch((error: Error) => {
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  })
}
