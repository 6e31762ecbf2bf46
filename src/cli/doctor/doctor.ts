import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Config, misspeltVariables, readConfig } from '../../config.ts'
import { storeFile } from '../../embedded/files.ts'
import { assertNamed } from '../../listen.ts'
import { OperatorError } from '../../operator-error.ts'
import { EXIT, type Invocation, UsageError } from '../command.ts'
import { visibleLine } from '../people/visible.ts'
import { databaseUrlOf, dataDirOf, readUrlsOf } from '../stores/data-dir.ts'
import type { Check, Finding, NamedCheck } from './check.ts'
import { databaseChecks } from './database.ts'
import { engineChecks } from './engine.ts'
import {
  checkDescriptors,
  checkDirectory,
  checkFts5,
  checkNode,
  checkNoticed,
  checkSecrets,
  checkSqlite,
  checkWebPages,
} from './machine.ts'
import {
  checkClock,
  checkDurability,
  checkIntegrity,
  checkSchema,
  checkSearchIndex,
  checkServed,
  checkSizes,
  foreignLog,
} from './store.ts'

/** Runs all checks and prints one line for each finding. A check that throws is a finding. */
export async function doctor(invocation: Invocation): Promise<number> {
  let failed = false
  const fine = new Set<string>()
  for (const [what, check, needs] of checksFor(invocation)) {
    if (needs !== undefined && !fine.has(needs)) continue
    const findings = await findingsOf(what, check)
    if (findings.every(({ mark }) => mark === 'ok')) fine.add(what)
    failed ||= findings.some(({ mark }) => mark === 'FAIL')
    invocation.stdout.write(findings.map(finding => `${visibleLine(lineOf(finding))}\n`).join(''))
  }
  return failed ? EXIT.failed : EXIT.ok
}

function checksFor(invocation: Invocation): NamedCheck[] {
  const { env, flags, switches } = invocation
  if (switches.has('engine')) return engineChecks(namedDatabase(invocation))
  let config: Config | undefined
  const readSettings = async (): Promise<Finding[]> => {
    config = readConfig(env, flags)
    await assertNamed(config)
    const misspelt = misspeltVariables(env).map(finding => ({ mark: 'warn' as const, what: 'configuration', finding }))
    return [{ mark: 'ok', what: 'configuration', finding: 'all settings are valid' }, ...misspelt]
  }
  const directory = resolve(dataDirOf(invocation))
  const machine: NamedCheck[] = [
    ['Node', checkNode],
    ['SQLite', checkSqlite],
    ['full-text search', checkFts5],
    ['file descriptors', checkDescriptors],
    ['configuration', readSettings],
    ['web pages', () => (config === undefined ? [] : checkWebPages(config))],
    ['data directory', () => checkDirectory(directory)],
    ['secrets', () => checkSecrets(directory)],
    ['proxy', () => checkNoticed(directory, config)],
  ]
  const url = databaseOfValid(invocation)
  if (url !== undefined) return [...machine, ...databaseChecks(url, readUrlsOf(invocation), directory)]
  if (!existsSync(storeFile(directory))) {
    return [
      ...machine,
      ['store', () => ({ mark: 'ok', what: 'store', finding: 'none yet; the first start creates it' })],
    ]
  }
  const foreign = foreignLog(directory)
  if (foreign !== undefined) return [...machine, ['store', () => foreign]]
  return [
    ...machine,
    ['served', () => checkServed(directory, config)],
    ['schema', () => checkSchema(directory)],
    ['durability', () => checkDurability(directory), 'schema'],
    ['integrity', () => checkIntegrity(directory), 'schema'],
    ['search index', () => checkSearchIndex(directory), 'schema'],
    ['sizes', () => checkSizes(directory)],
    ['clock', () => checkClock(directory), 'schema'],
  ]
}

/** The database of the settings; undefined if they are invalid, which the check of the configuration finds. */
function databaseOfValid(invocation: Invocation): string | undefined {
  try {
    return databaseUrlOf(invocation)
  } catch (error) {
    if (error instanceof OperatorError) return undefined
    throw error
  }
}

function namedDatabase(invocation: Invocation): string {
  const url = databaseUrlOf(invocation)
  if (url === undefined) throw new UsageError('--engine probes a server; set DATABASE_URL to one of its databases.')
  return url
}

async function findingsOf(what: string, check: Check): Promise<Finding[]> {
  try {
    return [await check()].flat()
  } catch (error) {
    return [{ mark: 'FAIL', what, finding: (error as Error).message.replace(/\.$/, '') }]
  }
}

const lineOf = ({ mark, what, finding, remedy }: Finding): string =>
  `${mark.padEnd(4)} ${what}: ${finding}${remedy === undefined ? '' : `; ${remedy}`}`
