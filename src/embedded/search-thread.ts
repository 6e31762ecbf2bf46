import { parentPort, workerData } from 'node:worker_threads'
import { StoreFault } from '../database/database.ts'
import { openSqlite } from '../database/sqlite.ts'
import { pagesOfEntry } from '../store/entry.ts'
import { indexFile, storeFile } from './files.ts'
import { type Query, replyOfError, type ThreadData } from './protocol.ts'
import { readAhead } from './read-ahead.ts'
import { deleteIndex, searchIndex } from './search-index.ts'

/** A thread that answers searches from the index as it stands. */
const { directory } = workerData as ThreadData
const port = parentPort
if (port === null) throw new Error('A searcher runs as a worker thread only.')

const index = openSqlite(indexFile(directory), 'read')
/** What is read ahead is kept by the system, not here. */
const store = openSqlite(storeFile(directory), 'read', { cacheKib: 64 })

/** Answers a query and gives the entries that were found. */
function answer({ id, request }: Query): readonly number[] {
  try {
    const result = searchIndex(index, request)
    port?.postMessage([{ id, result }])
    return result.entries
  } catch (error) {
    port?.postMessage([replyOfError(id, error)])
    if (!(error instanceof StoreFault)) return []
    // An index that cannot be read ends the service; the next start makes it anew.
    deleteIndex(indexFile(directory))
    throw error
  }
}

port.on('message', (message: Query | 'close') => {
  if (message === 'close') {
    index.close()
    store.close()
    port.close()
    return
  }
  readAhead(answer(message), entry => store.one(pagesOfEntry(entry)))
})
port.postMessage('ready')
