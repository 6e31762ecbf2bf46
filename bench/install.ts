import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'

const PATIENCE = 900_000

/** Installs npm packages of exactly these versions into a separate folder, with their install scripts, unless they exist there. */
export function installPackages(directory: string, packages: Record<string, string>): void {
  mkdirSync(directory, { recursive: true })
  const missing = Object.entries(packages).filter(([name, version]) => versionOf(directory, name) !== version)
  if (missing.length === 0) return
  const overrides = Object.fromEntries(Object.keys(packages).map(name => [name, `$${name}`]))
  writeFileSync(join(directory, 'package.json'), JSON.stringify({ private: true, dependencies: packages, overrides }))
  const home = dirname(dirname(process.execPath))
  const bundled = join(home, '../.bin')
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    PATH: [existsSync(join(bundled, 'node')) ? bundled : dirname(process.execPath), process.env.PATH].join(delimiter),
  }
  // Native modules are compiled for this version of Node, with the headers of its own installation if it has any.
  if (existsSync(join(home, 'include/node/node.h'))) env.npm_config_nodedir = home
  try {
    const args = ['install', '--no-audit', '--no-fund', '--legacy-peer-deps']
    execFileSync('npm', args, { cwd: directory, env, timeout: PATIENCE, stdio: 'pipe' })
  } catch (error) {
    const said = String((error as { stderr?: Buffer }).stderr ?? error)
    const reason = /npm error (?:code|notarget|network) .*/.exec(said)?.[0] ?? said.slice(-300)
    throw new Error(`npm could not install ${Object.keys(packages).join(', ')}: ${reason}`)
  }
}

function versionOf(directory: string, name: string): string | undefined {
  const manifest = join(directory, 'node_modules', name, 'package.json')
  return existsSync(manifest) ? (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version : undefined
}
