import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')

/** The files that state the version of a release. */
export type Release = { packageJson: string; serverJson: string; changelog: string }

/**
 * Returns the part of the changelog about a release. Throws an Error with one sentence if the tag, the package, the description for MCP
 * registries and the changelog do not agree, or if the release has no date.
 */
export function releaseNotes(tag: string, { packageJson, serverJson, changelog }: Release): string {
  const { version } = JSON.parse(packageJson) as { version: string }
  if (tag !== `v${version}`) throw new Error(`The tag is ${tag}, but package.json has version ${version}.`)
  const server = JSON.parse(serverJson) as { version: string; packages?: { version: string }[] }
  for (const stated of [server, ...(server.packages ?? [])]) {
    if (stated.version !== version) throw new Error(`server.json has version ${stated.version}, not ${version}.`)
  }
  const sections = changelog.split(/^## /m)
  const section = sections.find(text => text.startsWith(`${version}, `))
  if (section === undefined) throw new Error(`CHANGELOG.md has no section "## ${version}, <date>".`)
  const [heading = ''] = section.split('\n')
  if (!/, \d{4}-\d{2}-\d{2}$/.test(heading)) throw new Error(`The section "## ${heading}" of CHANGELOG.md has no date.`)
  return section.slice(heading.length).trim()
}

if (import.meta.main) {
  const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
  const release = {
    packageJson: read('package.json'),
    serverJson: read('server.json'),
    changelog: read('CHANGELOG.md'),
  }
  try {
    process.stdout.write(`${releaseNotes(process.argv[2] ?? '', release)}\n`)
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`)
    process.exitCode = 1
  }
}
