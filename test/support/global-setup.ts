import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Cluster, findBinaries, startCluster } from './cluster.ts'
import { dropTemplate, newTemplateName } from './migrated-template.ts'

let cluster: Cluster | undefined
let programs: string | undefined

/**
 * Starts one PostgreSQL server for all test files of a run, and publishes its URL in TEST_DATABASE_URL. The files share a database with all
 * tables, which the first file that needs it creates, and a directory for Go programs.
 */
export async function globalSetup(): Promise<void> {
  process.env.TEST_DATABASE_TEMPLATE = newTemplateName()
  programs = mkdtempSync(join(tmpdir(), 'palimpsest-go-'))
  process.env.TEST_GO_DIRECTORY = programs
  // With --test-force-exit, Node ends before globalTeardown.
  process.once('exit', () => removePrograms())
  const binaries = findBinaries()
  if (process.env.TEST_DATABASE_URL !== undefined || binaries === undefined) return
  cluster = await startCluster(binaries)
  process.env.TEST_DATABASE_URL = cluster.url('postgres')
}

export async function globalTeardown(): Promise<void> {
  const { TEST_DATABASE_URL: url, TEST_DATABASE_TEMPLATE: template } = process.env
  if (cluster === undefined && url !== undefined && template !== undefined) await dropTemplate(url, template)
  await cluster?.close()
  removePrograms()
}

function removePrograms(): void {
  if (programs !== undefined) rmSync(programs, { recursive: true, force: true })
}
