// @ts-check
import { fromUtf8, MalformedError, sameBytes } from './bytes.js'
import { commitmentOf, formatEntry, parseBundle, parseEntry, SALT_BYTES } from './entry.js'
import { parseCheckpoint, parseNote } from './note.js'
import { meetsQuorum, parsePolicy } from './policy.js'
import { parseVerifierKey, verifySignatures } from './signature.js'
import { TILE_WIDTH, tilePath } from './tile.js'
import { hashLeaf, parseProof, rootOfHashes, verifyInclusion } from './tree.js'

/** @typedef {import('./bytes.js').Bytes} Bytes */
/** @typedef {import('./note.js').Checkpoint} Checkpoint */
/** @typedef {import('./entry.js').Entry} Entry */
/** @typedef {import('./signature.js').VerifierKey} VerifierKey */
/** @typedef {import('./signature.js').Verify} Verify */
/**
 * The trusted parties: `keys` are verifier keys of one or more logs, `policy` is the text of a tlog-policy file, which names logs,
 * witnesses and the quorum of cosignatures. `verify` replaces WebCrypto.
 * @typedef {{ keys?: readonly string[], policy?: string, verify?: Verify }} Trust
 */
/** A witness that cosigned, and when. @typedef {{ name: string, time: string }} Witnessed */
/**
 * The result of verifying a signed checkpoint, which is valid if `reasons` is empty. `cosigners` are the names of all keys on it but those of
 * the log; only `witnesses` are verified.
 * @typedef {{ reasons: string[], checkpoint?: Checkpoint, witnesses: Witnessed[], cosigners: string[] }} CheckpointVerdict
 */
/**
 * The result of verifying a proof: the log of `origin` had `statement` as record `record` among its first `size`.
 * `holds` is true if `reasons` is empty. If it is false, rely on `reasons` only.
 * @typedef {{ holds: boolean, reasons: string[], origin?: string, size?: number, record?: number, kind?: string, statement?: Record<string, unknown>, witnesses: Witnessed[], cosigners?: string[] }} ProofVerdict
 */
/**
 * The result of verifying a whole log: `records` leaves were read, and their root is the signed one. `holds` is true if `reasons` is
 * empty.
 * @typedef {{ holds: boolean, reasons: string[], origin?: string, size?: number, records: number, witnesses: Witnessed[] }} LogVerdict
 */

/** The most reasons in a result. */
const REASONS_MAX = 20

/**
 * Verifies the signatures of a checkpoint: that of a trusted log with its origin and, unless `cosigned` is false, the cosignatures that the
 * policy requires. Throws MalformedError if the text, a key or the policy is malformed.
 * @param {string} source
 * @param {Trust} trust
 * @param {boolean} [cosigned]
 * @returns {Promise<CheckpointVerdict>}
 */
export async function verifyCheckpoint(source, { keys = [], policy, verify }, cosigned = true) {
  /** @type {string[]} */
  const reasons = []
  const note = parseNote(source)
  const checkpoint = parseCheckpoint(note.text)
  const trusted = policy === undefined ? undefined : await parsePolicy(policy)
  const named = [...(await Promise.all(keys.map(parseVerifierKey))), ...(trusted?.logs ?? []).map(({ key }) => key)]
  const logs = named.filter(({ name }) => name === checkpoint.origin)
  const parties = [...(trusted?.witnesses ?? [])]
  const { good, bad } = await verifySignatures(note, [...logs, ...parties.map(([, { key }]) => key)], verify)
  for (const { name, id } of bad) reasons.push(`The signature of ${name} by key ${id} is wrong.`)
  if (logs.length === 0) reasons.push(`No trusted key is that of the log ${checkpoint.origin}.`)
  else if (!good.some(({ key }) => logs.includes(key))) reasons.push('No trusted key of the log signed the checkpoint.')
  const witnesses = parties.flatMap(([name, { key }]) => {
    const time = good.find(one => one.key === key)?.time
    return time === undefined ? [] : [{ name, time: new Date(time * 1000).toISOString() }]
  })
  if (cosigned && trusted !== undefined && !meetsQuorum(trusted, new Set(witnesses.map(({ name }) => name)))) {
    reasons.push('Fewer witnesses cosigned the checkpoint than the policy wants.')
  }
  const cosigners = new Set(note.signatures.map(({ name }) => name).filter(name => name !== checkpoint.origin))
  return { reasons, checkpoint, witnesses, cosigners: [...cosigners] }
}

/**
 * Verifies a proof of this service: a c2sp.org/tlog-proof whose `extra` is the salt and the statement of the record. Works offline.
 * @param {string} source
 * @param {Trust} trust
 * @returns {Promise<ProofVerdict>}
 */
export async function verifyProof(source, trust) {
  /** @type {ProofVerdict} */
  const verdict = { holds: false, reasons: [], witnesses: [] }
  try {
    const proof = parseProof(source)
    const { reasons, checkpoint, witnesses, cosigners } = await verifyCheckpoint(proof.checkpoint, trust)
    const { entry, statement } = await readExtra(proof.extra)
    const { record, kind } = entry
    if (record !== proof.index + 1)
      reasons.push(`The statement is of record ${record}, and the proof of leaf ${proof.index}.`)
    const { origin, size } = /** @type {Checkpoint} */ (checkpoint)
    const leaf = await hashLeaf(formatEntry(entry))
    if (!(await verifyInclusion(/** @type {Checkpoint} */ (checkpoint), proof.index, leaf, proof.hashes))) {
      reasons.push('The hashes of the proof do not lead from the statement to the root of the checkpoint.')
    }
    Object.assign(verdict, { reasons, origin, size, record, kind, statement, witnesses, cosigners })
  } catch (error) {
    noteMalformed(verdict.reasons, error)
  }
  return { ...verdict, holds: verdict.reasons.length === 0 }
}

/** Adds a MalformedError to the reasons; throws any other error. @param {string[]} reasons @param {unknown} error */
function noteMalformed(reasons, error) {
  if (!(error instanceof MalformedError)) throw error
  reasons.push(error.message)
}

/**
 * @param {Bytes | undefined} extra
 * @returns {Promise<{ entry: Entry, statement: Record<string, unknown> }>}
 */
async function readExtra(extra) {
  if (extra === undefined || extra.length <= SALT_BYTES) throw new MalformedError('The proof has no statement.')
  const bytes = extra.subarray(SALT_BYTES)
  const statement = statementIn(fromUtf8(bytes))
  const { record, kind } = statement
  if (typeof kind !== 'string' || !/^[1-9]\d{0,15}$/.test(String(record))) {
    throw new MalformedError('The statement names no record and kind.')
  }
  const commitment = await commitmentOf(extra.subarray(0, SALT_BYTES), bytes)
  return { entry: { record: Number(record), kind, commitment }, statement }
}

/** @param {string} text @returns {Record<string, unknown>} */
function statementIn(text) {
  try {
    const value = JSON.parse(text)
    if (typeof value === 'object' && value !== null) return value
  } catch {}
  throw new MalformedError('The statement is no JSON object.')
}

/**
 * Reads a file of the log by its path below the log’s address: `checkpoint`, `tile/entries/000`.
 * @typedef {(path: string) => Promise<Bytes>} ReadFile
 */

/**
 * Verifies a whole log: reads its newest checkpoint and every entry, recomputes the root, and compares it with the signed one.
 * `older` are checkpoints from any earlier time, of this log or of a log that it continues: it must still begin with each of them.
 * `visit` is called with each entry, in order. Rejects with the errors of `read` and `visit`.
 * @param {ReadFile} read
 * @param {Trust & { older?: readonly string[], visit?: (entry: Entry) => unknown }} options
 * @returns {Promise<LogVerdict>}
 */
export async function verifyLogFiles(read, { older = [], visit, ...trust }) {
  /** @type {LogVerdict} */
  const verdict = { holds: false, reasons: [], records: 0, witnesses: [] }
  try {
    const newest = await verifyCheckpoint(fromUtf8(await read('checkpoint')), trust)
    const { origin, size, root } = /** @type {Checkpoint} */ (newest.checkpoint)
    Object.assign(verdict, { ...newest, origin, size })
    const before = await Promise.all(older.map(note => readOlder(note, size, trust, verdict.reasons)))
    const signed = [...before.flatMap(one => one ?? []), { origin, size, root }]
    if (verdict.reasons.length === 0) await walk(read, signed, verdict, visit)
  } catch (error) {
    noteMalformed(verdict.reasons, error)
  }
  const { reasons, origin, size, records, witnesses } = verdict
  const named = origin === undefined || size === undefined ? {} : { origin, size }
  return { holds: reasons.length === 0, reasons: reasons.slice(0, REASONS_MAX), ...named, records, witnesses }
}

/**
 * @param {string} note
 * @param {number} size
 * @param {Trust} trust
 * @param {string[]} reasons
 * @returns {Promise<Checkpoint | undefined>}
 */
async function readOlder(note, size, trust, reasons) {
  const { reasons: own, checkpoint } = await verifyCheckpoint(note, trust, false)
  const older = /** @type {Checkpoint} */ (checkpoint)
  reasons.push(...own.map(reason => `An older checkpoint: ${reason}`))
  if (older.size <= size) return older
  reasons.push(`The log has ${size} records, and ${older.origin} signed ${older.size}.`)
  return undefined
}

/**
 * Reads all entries and compares the root at each signed size with the signed root.
 * @param {ReadFile} read
 * @param {Checkpoint[]} signed
 * @param {LogVerdict} verdict
 * @param {((entry: Entry) => unknown) | undefined} visit
 */
async function walk(read, signed, verdict, visit) {
  const whole = Math.max(...signed.map(({ size }) => size))
  /** The roots of the bundles before `start`, and the leaves from there on. @type {Bytes[]} */
  const roots = []
  /** @type {Bytes[]} */
  let leaves = []
  let start = 0
  for (const { origin, size, root } of signed.toSorted((a, b) => a.size - b.size)) {
    while (start + leaves.length < size) {
      if (leaves.length > 0) {
        roots.push(await rootOfHashes(leaves))
        start += TILE_WIDTH
      }
      leaves = await readBundle(read, start, Math.min(TILE_WIDTH, whole - start), verdict, visit)
    }
    const last = leaves.slice(0, size - start)
    const found = await rootOfHashes(last.length === 0 ? roots : [...roots, await rootOfHashes(last)])
    if (!sameBytes(found, root)) verdict.reasons.push(`The first ${size} records are not those that ${origin} signed.`)
  }
}

/**
 * @param {ReadFile} read
 * @param {number} start
 * @param {number} width
 * @param {LogVerdict} verdict
 * @param {((entry: Entry) => unknown) | undefined} visit
 * @returns {Promise<Bytes[]>} the hashes of the leaves
 */
async function readBundle(read, start, width, verdict, visit) {
  const entries = parseBundle(await read(tilePath({ level: 'entries', index: start / TILE_WIDTH, width })), width)
  for (const [at, bytes] of entries.entries()) {
    const entry = parseEntry(bytes)
    if (entry.record !== start + at + 1) verdict.reasons.push(`Leaf ${start + at} is of record ${entry.record}.`)
    await visit?.(entry)
    verdict.records += 1
  }
  return Promise.all(entries.map(hashLeaf))
}
