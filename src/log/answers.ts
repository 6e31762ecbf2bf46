import type { KeyObject } from 'node:crypto'
import type { Reader } from '../database/database.ts'
import { signCheckpoint } from '../domain/log/signer.ts'
import { proveConsistency, rootOf } from '../domain/log/tree.ts'
import type { LogQuestion } from '../operations/keep-log.ts'
import { readHead } from '../store/head.ts'
import * as store from '../store/log.ts'
import { toBase64 } from '../tlog/bytes.js'
import { formatCheckpoint, parseCheckpoint } from '../tlog/checkpoint.js'
import { parseNote } from '../tlog/note.js'
import { readLogHeadFile, writeLogHeadFile } from './head-file.ts'
import { privateKeysOf, publicKeysOf, signersOf } from './log-key.ts'
import { agreedSize, nextStep } from './next-step.ts'

/** The state of the store, its log and its checkpoints. */
export type LogLook = {
  storeId: string
  record: number
  /** The history of the store, and the one that the log was settled for. */
  history: number
  settled: number
  log: store.LogHead
  /** The last epoch, without its secret. */
  epoch: Omit<store.Epoch, 'secret'> | undefined
  origins: string[]
  /** The last checkpoint of that epoch which is published. */
  published: { size: number; note: string } | undefined
  /**
   * The last note of that epoch in the file of this node, and whether the log has the same root at its size; undefined if the log is
   * smaller.
   */
  kept: { size: number; note: string; agrees: boolean | undefined } | undefined
}

export type Signed = { epoch: number; size: number; note: string }

/**
 * Answers questions about the log of a store. `headFile` is the path of the file with the last note; `giveWay` is called between pieces of
 * long work.
 */
export function createLogAnswers(readerOf: () => Promise<Reader>, headFile: string, giveWay = () => {}) {
  const keys = new Map<string, KeyObject[]>()
  const keysOf = (pem: string): KeyObject[] => {
    const known = keys.get(pem) ?? privateKeysOf(pem, 'The key of the log')
    keys.set(pem, known)
    return known
  }
  return async (question: LogQuestion): Promise<unknown> => {
    if (question.ask === 'keys') return publicKeysOf(question.origin, keysOf(question.pem))
    if (question.ask === 'keep') return writeLogHeadFile(headFile, question.note)
    const reader = await readerOf()
    if (question.ask === 'look') return look(reader, readLogHeadFile(headFile))
    if (question.ask === 'step') return nextStep(reader, question.most, giveWay)
    if (question.ask === 'agreed') return agreedSize(reader, giveWay)
    if (question.ask === 'consistency') return consistency(reader, question.older, question.size)
    return sign(reader, headFile, keysOf(question.pem), question.time)
  }
}

async function consistency(reader: Reader, older: number, size: number): Promise<string[]> {
  return (await proveConsistency(older, size, store.tilesOf(reader))).map(toBase64)
}

async function look(reader: Reader, kept: string | undefined): Promise<LogLook> {
  const [head, log, epochs, last] = await Promise.all([
    readHead(reader),
    store.readLog(reader),
    store.listEpochs(reader),
    store.findCheckpoint(reader),
  ])
  const { secret: _secret, ...epoch } = epochs.at(-1) ?? { secret: '' }
  const known = 'number' in epoch ? epoch : undefined
  return {
    storeId: head.store_id,
    record: head.record,
    history: store.historyOf(head.sequence),
    settled: log.history,
    log: { size: log.size, root: log.root },
    epoch: known,
    origins: epochs.map(({ origin }) => origin),
    published: known === undefined || last?.epoch !== known.number ? undefined : { size: last.size, note: last.note },
    kept: kept === undefined || known === undefined ? undefined : await compared(reader, log, known.origin, kept),
  }
}

/** Compares a stored note with the log of this origin; undefined if the note belongs to another log. */
async function compared(reader: Reader, log: store.LogHead, ofOrigin: string, note: string): Promise<LogLook['kept']> {
  const { origin, size, root } = parseCheckpoint(parseNote(note).text)
  if (origin !== ofOrigin) return undefined
  if (size > log.size) return { size, note, agrees: undefined }
  const found = await rootOf(size, store.tilesOf(reader))
  return { size, note, agrees: Buffer.from(found).equals(root) }
}

/**
 * Signs the stored log at a larger size than before, and writes the note to the file of this node before it is published. Undefined if
 * there is nothing new to sign, or if it is not settled that the log continues the signed one.
 */
async function sign(
  reader: Reader,
  headFile: string,
  keys: readonly KeyObject[],
  time: number,
): Promise<Signed | undefined> {
  const { epoch, storeId, history, settled, kept, log, published } = await look(reader, readLogHeadFile(headFile))
  const settledHere =
    history === settled && storeId === epoch?.storeId && epoch.keys === publicKeysOf(epoch.origin, keys)
  if (epoch === undefined || !settledHere || kept?.agrees === false || log.size < (kept?.size ?? 1)) return undefined
  if (published?.size === log.size) return undefined
  const { origin, number } = epoch
  const text = formatCheckpoint({ origin, size: log.size, root: Uint8Array.from(Buffer.from(log.root, 'base64')) })
  const note = signCheckpoint(text, signersOf(origin, keys), time)
  writeLogHeadFile(headFile, note)
  return { epoch: number, size: log.size, note }
}
