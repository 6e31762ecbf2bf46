import type { Config } from '../../config.ts'
import { readConfig } from '../../config.ts'
import { openStoreForWriting } from '../../embedded/create.ts'
import { lockDataDirectory, prepareDataDirectory } from '../../embedded/data-directory.ts'
import { openEmbeddedStore } from '../../embedded/store.ts'
import { OperatorError } from '../../operator-error.ts'
import { readHead } from '../../store/head.ts'
import { findMirror, insertMirror } from '../../store/mirror.ts'
import { EXIT, type Invocation } from '../command.ts'
import { assertEmbedded, dataDirOf } from '../data-dir.ts'
import { createProgress, type Progress } from '../progress.ts'
import { serve } from '../serve.ts'
import { countLines, countStore } from '../verify-store.ts'
import { catchUp, follow } from './follow.ts'
import { openSource, type Source } from './source.ts'

/** Makes or continues a read-only copy of a server, and follows it until SIGTERM or SIGINT. */
export async function mirrorServer(invocation: Invocation): Promise<number> {
  assertEmbedded(invocation, 'mirror', 'a mirror is a directory; run it without')
  const stop = new AbortController()
  const source = openSource(invocation.args[0] ?? '', stop.signal)
  const directory = prepareDataDirectory(dataDirOf(invocation))
  const progress = createProgress()
  await beginMirror(directory, source)
  if (invocation.switches.has('serve')) {
    const config: Config = readConfig(invocation.env, { ...invocation.flags, 'data-dir': directory })
    await serve(config, (store, signal) => follow({ store, source: openSource(source.url, signal), progress, signal }))
    return EXIT.ok
  }
  return copy(directory, source, progress, stop, invocation.switches.has('once'))
}

/** Makes the directory a mirror of the server, or makes sure that it is one already. */
export async function beginMirror(directory: string, source: Source): Promise<void> {
  const unlock = lockDataDirectory(directory)
  try {
    const connection = await openStoreForWriting(directory)
    try {
      const known = findMirror(connection) as Awaited<ReturnType<typeof findMirror>>
      if (known?.url === source.url) return
      if (known !== undefined) {
        throw new OperatorError(`${directory} is a mirror of ${known.url}; name that server, or another directory.`)
      }
      if ((await readHead(connection)).record > 0) {
        throw new OperatorError(`${directory} holds a store of its own; name an empty directory with --data-dir.`)
      }
      const { storeId, change } = await source.manifest()
      // Whatever is moderated from here on is followed; what was before is as the segments show it.
      await insertMirror(connection as never, { url: source.url, store_id: storeId, next: 1, change: Number(change) })
    } finally {
      connection.close()
    }
  } finally {
    unlock()
  }
}

async function copy(
  directory: string,
  source: Source,
  progress: Progress,
  stop: AbortController,
  once: boolean,
): Promise<number> {
  const began = performance.now()
  const end = (): void => stop.abort()
  process.on('SIGINT', end).on('SIGTERM', end)
  const store = await openEmbeddedStore(directory)
  try {
    const following = { store, source, progress, signal: stop.signal }
    const lines = await catchUp(following)
    const seconds = (performance.now() - began) / 1_000
    progress.end()
    process.stdout.write(
      `Copied ${lines} rows in ${seconds.toFixed(1)} s, every hash as recomputed; the mirror now holds\n${countLines(await countStore(store.reader))}`,
    )
    if (!once) await follow(following)
    return EXIT.ok
  } catch (error) {
    if (stop.signal.aborted) return EXIT.ok
    throw error
  } finally {
    progress.end()
    process.removeListener('SIGINT', end).removeListener('SIGTERM', end)
    await store.close()
  }
}
