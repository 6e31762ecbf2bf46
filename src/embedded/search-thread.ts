import { parentPort, workerData } from 'node:worker_threads'
import { StoreFault } from '../database/database.ts'
import { openSqlite } from '../database/sqlite.ts'
import { indexFile } from './files.ts'
import { type Query, replyOfError, type ThreadData } from './protocol.ts'
import { deleteIndex, searchIndex } from './search-index.ts'

/** A thread that answers searches from the index as it stands. */
const { directory } = workerData as ThreadData
const port = parentPort
if (port === null) throw new Error('A searcher runs as a worker thread only.')

const index = openSqlite(indexFile(directory), 'read')

port.on('message', (message: Query | 'close') => {
  if (message === 'close') {
    index.close()
    port.close()
    return
  }
  const { id, request } = message
  try {
    port.postMessage([{ id, result: searchIndex(index, request) }])
  } catch (error) {
    port.postMessage([replyOfError(id, error)])
    if (!(error instanceof StoreFault)) return
    // An index that cannot be read ends the service; the next start makes it anew.
    deleteIndex(indexFile(directory))
    throw error
  }
})
port.postMessage('ready')
