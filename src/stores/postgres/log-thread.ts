import { parentPort, workerData } from 'node:worker_threads'
import { NICE, setNice } from '../../engine/thread.ts'
import { createLogAnswers } from '../../tlog/answers.ts'
import { serveLogQuestions } from '../../tlog/extend.ts'
import { readerThrough, Session } from './session.ts'

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
