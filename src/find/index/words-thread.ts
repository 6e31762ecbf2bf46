import { parentPort } from 'node:worker_threads'
import { replyOfError, reportReady } from '../../engine/thread.ts'
import type { ChangedEntryRow } from '../../memory/entries/rows.ts'
import { wordsOfEntry } from './file.ts'

/** Entries whose words are wanted. */
type WordsRequest = { id: number; entries: ChangedEntryRow[] }

/** A thread that computes the words of entries while the follower writes those of earlier ones to the index. */
const port = parentPort
if (port === null) throw new Error('The words of an index are computed in a worker thread only.')

port.on('message', (message: WordsRequest | 'close') => {
  if (message === 'close') {
    port.close()
    return
  }
  try {
    const result = message.entries.map(entry => wordsOfEntry({ ...entry, tags: JSON.parse(entry.tags) as string[] }))
    port.postMessage([{ id: message.id, result }])
  } catch (error) {
    port.postMessage([replyOfError(message.id, error)])
  }
})
reportReady(port)
