import { parentPort, workerData } from 'node:worker_threads'
import { timesOf } from './health-times.ts'

/** An address to read, and for how many milliseconds. */
export type Timed = { address: string; milliseconds: number }

/** A thread that measures how long an address takes to answer, so that the work of its client is not measured. */
const { address, milliseconds } = workerData as Timed
parentPort?.postMessage(await timesOf(address, milliseconds))
