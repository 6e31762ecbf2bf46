import { parentPort, workerData } from 'node:worker_threads'
import { openSqlite } from '../../engine/sqlite.ts'
import { createCpuYield, NICE, setNice } from '../../engine/thread.ts'
import { createLogAnswers } from '../../tlog/answers.ts'
import { serveLogQuestions } from '../../tlog/extend.ts'
import { logHeadFile } from '../../tlog/key-files.ts'
import { storeFile } from './directory.ts'
import type { ThreadData } from './store.ts'

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
