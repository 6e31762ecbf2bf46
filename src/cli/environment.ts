import { readFileSync } from 'node:fs'
import { release } from 'node:os'
import { join } from 'node:path'
import { LIMITS } from '../contract/limits.ts'
import type { Environment } from '../contract/resources.ts'
import { UsageError } from './command.ts'
import { parsedJson } from './read.ts'

/** The products that a flag names as `nodejs@22.14,debian@12`. With `auto`, those of this machine and of the package in this directory. */
export function environmentsIn(flag: string, text: string, directory = process.cwd()): Environment[] {
  if (text === 'auto') return readEnvironments(directory)
  return text.split(',').map(part => {
    const [name = '', version = '', ...rest] = part.split('@')
    if (name === '' || version === '' || rest.length > 0)
      throw new UsageError(`--${flag} must be auto, or NAME@VERSION, several separated by commas, not "${part}".`)
    return { name, version }
  })
}

/** Environments as the query env of a question. */
export const environmentQuery = (environments: readonly Environment[]): string =>
  environments.map(({ name, version }) => `${name}@${version}`).join()

/** The version of Node, the operating system, and the installed versions of the direct dependencies of a package. */
function readEnvironments(directory: string): Environment[] {
  const { dependencies = {} } = jsonAt(join(directory, 'package.json')) as { dependencies?: Record<string, string> }
  const packages = Object.keys(dependencies).flatMap(name => {
    const { version } = jsonAt(join(directory, 'node_modules', name, 'package.json')) as { version?: unknown }
    return typeof version === 'string' ? [{ name, version }] : []
  })
  const all = [{ name: 'nodejs', version: process.versions.node }, operatingSystem(), ...packages]
  return all.filter(({ name, version }) => isShort(name) && isShort(version)).slice(0, LIMITS.observedOn)
}

/** A name with @, as of a scoped package, could not be told from its version. */
const isShort = (text: string): boolean => !/[@,]/.test(text) && text.length <= LIMITS.observedCharacters

function operatingSystem(): Environment {
  const file = textAt('/etc/os-release') ?? ''
  const fieldOf = (name: string): string | undefined => new RegExp(`^${name}="?([^"\\n]+)"?$`, 'm').exec(file)?.[1]
  const [name, version] = [fieldOf('ID'), fieldOf('VERSION_ID')]
  return name === undefined || version === undefined
    ? { name: process.platform, version: release() }
    : { name, version }
}

/** The object in a JSON file; an empty one if there is none. */
function jsonAt(path: string): object {
  const value = parsedJson(textAt(path) ?? '')
  return typeof value === 'object' && value !== null ? value : {}
}

function textAt(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
