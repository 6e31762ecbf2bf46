import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { type App, openApp } from '../../../src/app.ts'
import { beginMirror, type Trust } from '../../../src/cli/mirror.ts'
import { readConfig } from '../../../src/config.ts'
import { catchUp, type Following } from '../../../src/mirror/catch-up.ts'
import { openSource, type Source } from '../../../src/mirror/source.ts'
import { ADMIN_TOKEN } from '../../support/app.ts'
import { atEnd } from '../../support/at-end.ts'

const QUIET = { phase: () => {}, update: () => {}, end: () => {} }

export type Copy = {
  app: App
  directory: string
  /** Updates the mirror from the original, through this source if there is one. */
  catchUp(source?: Source, signal?: AbortSignal): Promise<number>
  /** Closes the copy and opens it again. */
  reopen(): Promise<void>
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

const copies: Copy[] = []
atEnd(async () => {
  for (const copy of copies) {
    await copy.close()
    rmSync(copy.directory, { recursive: true, force: true })
  }
})

/** A mirror of a server, served in this process. `catchUp` brings it up to date. */
export async function openCopy(url: string, trust: Trust = {}): Promise<Copy> {
  const directory = mkdtempSync(join(tmpdir(), 'palimpsest-mirror-'))
  const { signal } = new AbortController()
  const source = openSource(url, signal)
  await beginMirror(directory, source, trust)
  const limits = { READ_LIMIT_PER_MINUTE: '1000000', WRITE_LIMIT_PER_MINUTE: '1000000' }
  const config = readConfig({ PORT: '0', DATA_DIR: directory, ADMIN_TOKEN, ...limits })
  const open = () => openApp(config, { logger: pino({ level: 'silent' }) })
  let closed = false
  const copy: Copy = {
    app: await open(),
    directory,
    catchUp: (through = source, until = signal) =>
      catchUp({ store: copy.app.store, source: through, progress: QUIET, signal: until } satisfies Following),
    async reopen() {
      await copy.app.close()
      copy.app = await open()
    },
    async close() {
      if (!closed) await copy.app.close()
      closed = true
    },
    [Symbol.asyncDispose]: () => copy.close(),
  }
  copies.push(copy)
  return copy
}
