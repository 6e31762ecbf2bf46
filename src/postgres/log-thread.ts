import { parentPort, workerData } from 'node:worker_threads'
import { createLogAnswers } from '../log/answers.ts'
import { serveLogQuestions } from '../log/log-thread.ts'
import { NICE, setNice } from '../threads/priority.ts'
import { Session } from './session.ts'
import { readerThrough } from './snapshot.ts'

/** The thread of a node that computes the public log from the database. `headFile` is the path of this node's last checkpoint. */
type LogThreadData = { url: string; headFile: string }
const { url, headFile } = workerData as LogThreadData

setNice(NICE.log)
const session = new Session({ url, name: 'log', statementTimeout: 30_000, idleTimeout: 5_000 })
serveLogQuestions(
  parentPort,
  createLogAnswers({ reader: async () => readerThrough(await session.get()), headFile, alone: false }),
  () => session.close(),
)
