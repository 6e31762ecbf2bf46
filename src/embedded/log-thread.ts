import { parentPort, workerData } from 'node:worker_threads'
import { openSqlite } from '../database/sqlite.ts'
import { createLogAnswers } from '../log/answers.ts'
import { logHeadFile } from '../log/head-file.ts'
import { serveLogQuestions } from '../log/log-thread.ts'
import { createCpuYield } from '../threads/cpu-yield.ts'
import { NICE, setNice } from '../threads/priority.ts'
import { storeFile } from './files.ts'
import type { ThreadData } from './protocol.ts'

/** The thread that computes the log of this directory. */
const { directory, counters } = workerData as ThreadData
const STORE_CACHE_KIB = 256

setNice(NICE.log)
const store = openSqlite(storeFile(directory), 'read', { cacheKib: STORE_CACHE_KIB })
serveLogQuestions(
  parentPort,
  createLogAnswers({
    reader: async () => store,
    headFile: logHeadFile(directory),
    alone: true,
    yieldCpu: createCpuYield(counters),
  }),
  () => store.close(),
)
