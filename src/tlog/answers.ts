import type { KeyObject } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { MessagePort } from 'node:worker_threads'
import type { Reader } from '../engine/database.ts'
import { replyOfError } from '../engine/thread.ts'
import { readHead, storeEpochOf } from '../memory/head-rows.ts'
import type { LogQuestion } from './append.ts'
import { agreedSize, nextStep } from './extend.ts'
import { privateKeysOf, publicKeysOf, readLogHeadFile, signersOf, writeLogHeadFile } from './key-files.ts'
import * as store from './rows.ts'
import { signCheckpoint } from './rules/signer.ts'
import { proveConsistency, rootOf } from './rules/tree.ts'
import { MalformedError, toBase64 } from './verify/bytes.js'
import { formatCheckpoint, parseSignedCheckpoint } from './verify/note.js'

/** A signed checkpoint. `agrees` says whether the log has the same root at its size; it is undefined if the log is smaller. */
export type Compared = { size: number; note: string; agrees: boolean | undefined }

/** The state of the store, its log and its checkpoints. */
export type LogState = {
  storeId: string
  record: number
  /** The epoch of the store, and the one that the log was settled for. */
  storeEpoch: number
  settled: number
  log: store.LogHead
  /** The last epoch of the log. */
  logEpoch: store.Epoch | undefined
  origins: string[]
  /** The last checkpoint of that epoch which is published. */
  published: Compared | undefined
  /** The last checkpoint of that epoch in the file of this node. */
  kept: Compared | undefined
  /** Whether no other node signs the log. The file then has each note before it is published. */
  alone: boolean
}

export type Signed = { epoch: number; size: number; note: string }

type LogPlace = {
  reader(): Promise<Reader>
  /** The path of the file with the newest note that this node knows. */
  headFile: string
  /** Whether no other node signs the log. */
  alone: boolean
  /** Called between pieces of long work. */
  yieldCpu?: (() => void) | undefined
}

/** Answers questions about the log of a store. */
export function createLogAnswers({ reader: readerOf, headFile, alone, yieldCpu = () => {} }: LogPlace) {
  const keys = new Map<string, KeyObject[]>()
  const keysOf = (pem: string): KeyObject[] => {
    const known = keys.get(pem) ?? privateKeysOf(pem, 'The key of the log')
    keys.set(pem, known)
    return known
  }
  /** Lets the other work of the thread run. `nextStep` does not pause: a checkpoint would wait for the index between its bundles. */
  const pause = async (): Promise<void> => {
    yieldCpu()
    await nextTurn()
  }
  return async (question: LogQuestion): Promise<unknown> => {
    if (question.ask === 'keys') return publicKeysOf(question.origin, keysOf(question.pem))
    if (question.ask === 'keep') return keepNewer(headFile, question.note)
    const reader = await readerOf()
    if (question.ask === 'state') return readState(reader, readKept(headFile), alone)
    if (question.ask === 'step') return nextStep(reader, question.most, yieldCpu)
    if (question.ask === 'agreed') return agreedSize(reader, question.signed, pause)
    if (question.ask === 'consistency') return consistency(reader, question.older, question.size)
    return sign(reader, { headFile, alone }, keysOf(question.pem), question.time)
  }
}

/** Answers the questions of a port, one after another. Resolves after the message `close` and all answers before it. */
export function serveLogQuestions(
  port: MessagePort | null,
  answer: (question: LogQuestion) => Promise<unknown>,
): Promise<void> {
  if (port === null) throw new Error('The log is computed in a worker thread only.')
  const { promise, resolve } = Promise.withResolvers<void>()
  let last: Promise<void> = Promise.resolve()
  port.on('message', (message: { id: number; question: LogQuestion } | 'close') => {
    last = last.then(async () => {
      if (message === 'close') {
        port.close()
        return resolve()
      }
      const { id, question } = message
      port.postMessage([
        await answer(question).then(
          result => ({ id, result }),
          error => replyOfError(id, error),
        ),
      ])
    })
  })
  return promise
}

/** The last checkpoint that this node knows; undefined if its file is missing or damaged. */
function readKept(headFile: string): string | undefined {
  const note = readLogHeadFile(headFile)
  try {
    if (note !== undefined) parseSignedCheckpoint(note)
    return note
  } catch (error) {
    if (error instanceof MalformedError) return undefined
    throw error
  }
}

/** Writes a note to the file, unless the file has a note of the same log that is at least as large. */
function keepNewer(headFile: string, note: string): void {
  const [kept, given] = [readKept(headFile), parseSignedCheckpoint(note)]
  const known = kept === undefined ? undefined : parseSignedCheckpoint(kept)
  if (known?.origin !== given.origin || known.size < given.size) writeLogHeadFile(headFile, note)
}

async function consistency(reader: Reader, older: number, size: number): Promise<string[]> {
  return (await proveConsistency(older, size, store.tilesOf(reader))).map(toBase64)
}

/** Reads the checkpoints before the log, because another node may extend the log and then sign it at any moment. */
async function readState(reader: Reader, kept: string | undefined, alone: boolean): Promise<LogState> {
  const [last, epochs] = await Promise.all([store.findCheckpoint(reader), store.listEpochs(reader)])
  const [head, log] = await Promise.all([readHead(reader), store.readLog(reader)])
  const known = epochs.at(-1)
  const compare = async (note: string | undefined): Promise<Compared | undefined> =>
    known === undefined || note === undefined ? undefined : compared(reader, log, known.origin, note)
  return {
    storeId: head.store_id,
    record: head.record,
    storeEpoch: storeEpochOf(head.sequence),
    settled: log.storeEpoch,
    log: { size: log.size, root: log.root },
    logEpoch: known,
    origins: epochs.map(({ origin }) => origin),
    published: last?.epoch === known?.number ? await compare(last?.note) : undefined,
    kept: await compare(kept),
    alone,
  }
}

/** Compares a note with the log of this origin; undefined if the note belongs to another log. */
async function compared(
  reader: Reader,
  log: store.LogHead,
  ofOrigin: string,
  note: string,
): Promise<Compared | undefined> {
  const { origin, size, root } = parseSignedCheckpoint(note)
  if (origin !== ofOrigin) return undefined
  if (size > log.size) return { size, note, agrees: undefined }
  const found = size === log.size ? Buffer.from(log.root, 'base64') : await rootOf(size, store.tilesOf(reader))
  return { size, note, agrees: Buffer.from(found).equals(root) }
}

/**
 * Signs the stored log if it is larger than the published checkpoint, and writes the note to the file of this node before it is published.
 * Undefined if there is nothing new to sign, or if it is not settled that the log continues the signed one.
 */
async function sign(
  reader: Reader,
  { headFile, alone }: Pick<LogPlace, 'headFile' | 'alone'>,
  keys: readonly KeyObject[],
  time: number,
): Promise<Signed | undefined> {
  const state = await readState(reader, readKept(headFile), alone)
  const { logEpoch, storeId, storeEpoch, settled, kept, log, published } = state
  const settledHere =
    storeEpoch === settled && storeId === logEpoch?.storeId && logEpoch.keys === publicKeysOf(logEpoch.origin, keys)
  const agrees = kept?.agrees !== false && published?.agrees !== false
  const signed = Math.max(kept?.size ?? 1, published?.size ?? 1)
  if (logEpoch === undefined || !settledHere || !agrees || log.size < signed) return undefined
  if (published?.size === log.size) return undefined
  const { origin, number } = logEpoch
  const text = formatCheckpoint({ origin, size: log.size, root: Uint8Array.from(Buffer.from(log.root, 'base64')) })
  const note = signCheckpoint(text, signersOf(origin, keys), time)
  writeLogHeadFile(headFile, note)
  return { epoch: number, size: log.size, note }
}
