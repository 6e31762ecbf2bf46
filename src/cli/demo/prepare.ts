import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pino } from 'pino'
import type { Config } from '../../config.ts'
import { prepareDataDirectory } from '../../embedded/data-directory.ts'
import { storeFile } from '../../embedded/files.ts'
import { OperatorError } from '../../operator-error.ts'
import { readHead } from '../../store/head.ts'
import { assertNoMirror } from '../mirror/assert.ts'
import { openStoreForReading } from '../stores/open-store.ts'
import { seedDemoEntries } from './seed.ts'

/** The file that marks a data directory as a demonstration. */
const markOf = (dataDir: string): string => join(dataDir, 'demonstration')

export const isDemonstration = ({ dataDir, databaseUrl }: Pick<Config, 'dataDir' | 'databaseUrl'>): boolean =>
  databaseUrl === undefined && existsSync(markOf(dataDir))

/**
 * Writes the demonstration into the data directory, or into a temporary one that is deleted when the process exits. Returns the settings
 * to serve it with. Throws OperatorError if the directory has a store with records.
 */
export async function seedDemoStore(config: Config, isNamed: boolean): Promise<Config> {
  const dataDir = isNamed ? resolve(config.dataDir) : mkdtempSync(join(tmpdir(), 'palimpsest-demo-'))
  if (isNamed) await assertEmpty(dataDir)
  else process.on('exit', () => rmSync(dataDir, { recursive: true, force: true }))
  const demonstration = { ...config, dataDir }
  prepareDataDirectory(dataDir)
  writeFileSync(markOf(dataDir), 'This store was made by "palimpsest serve --demo".\n')
  await seedDemoEntries(demonstration, pino({ level: 'warn', base: null }, pino.destination(2)))
  return demonstration
}

async function assertEmpty(dataDir: string): Promise<void> {
  const file = storeFile(dataDir)
  if (!existsSync(file)) return
  const connection = openStoreForReading(file)
  try {
    await assertNoMirror(connection, 'name another directory with --data-dir')
    if ((await readHead(connection)).record === 0) return
  } finally {
    connection.close()
  }
  throw new OperatorError(
    `The store in ${dataDir} has entries, and --demo writes into an empty store only; serve it without --demo, or name another directory with --data-dir.`,
  )
}
