import { generateKeyPairSync } from 'node:crypto'
import { logSigner, type Signer, signCheckpoint, witnessSigner } from '../../src/tlog/rules/signer.ts'
import { leafOf, statementOf } from '../../src/tlog/rules/statement.ts'
import { appendLeaves, leafHash, proveConsistency, proveInclusion, rootOf } from '../../src/tlog/rules/tree.ts'
import { toBase64, toUtf8 } from '../../src/tlog/verify/bytes.js'
import { formatBundle, formatEntry, SALT_BYTES } from '../../src/tlog/verify/entry.js'
import { formatCheckpoint } from '../../src/tlog/verify/note.js'
import { TILE_WIDTH, tilePath, tileWidth } from '../../src/tlog/verify/tile.js'
import { formatProof } from '../../src/tlog/verify/tree.js'

type Bytes = Uint8Array<ArrayBuffer>

export const TIME = 1_790_000_000
const own = (bytes: Uint8Array): Bytes => Uint8Array.from(bytes)

/** A salt that differs for each record. */
const saltOf = (record: number): Buffer => Buffer.alloc(SALT_BYTES, String(record))

/** A log in memory with its own key, made by the code of this service: its files, proofs and checkpoints. */
export class MemoryLog {
  readonly origin: string
  readonly signer: Signer
  readonly #statements: string[] = []
  readonly #entries: Bytes[] = []
  readonly #tiles = new Map<string, Uint8Array>()

  constructor(
    origin = 'memory.example/log/0198f0c2',
    signer = logSigner(origin, generateKeyPairSync('ed25519').privateKey),
  ) {
    this.origin = origin
    this.signer = signer
  }

  get size(): number {
    return this.#entries.length
  }

  /** Appends records made from their numbers and `mark`. */
  async append(count: number, mark = ''): Promise<this> {
    const before = this.size
    for (let record = before + 1; record <= before + count; record += 1) {
      const facts = { record: String(record), id: mark, targetType: 'ENTRY', targetId: 'x', action: 'HIDE', reason: '' }
      const statement = statementOf('moderation', { ...facts, changed: true, createdAt: '2026-01-01T00:00:00.000Z' })
      this.#statements.push(statement)
      const leaf = leafOf('moderation', saltOf(record), statement)
      this.#entries.push(formatEntry({ record, ...leaf }))
    }
    for (const tile of await appendLeaves(before, this.#entries.slice(before).map(leafHash), this.#read)) {
      this.#tiles.set(`${tile.level}/${tile.index}`, tile.hashes)
    }
    return this
  }

  readonly #read = (level: number, index: number, width: number): Uint8Array | undefined =>
    this.#tiles.get(`${level}/${index}`)?.subarray(0, width * 32)

  async text(size = this.size): Promise<string> {
    return formatCheckpoint({ origin: this.origin, size, root: own(await rootOf(size, this.#read)) })
  }

  async checkpoint(size = this.size, witnesses: readonly Signer[] = []): Promise<string> {
    return signCheckpoint(await this.text(size), [this.signer, ...witnesses], TIME)
  }

  async proof(record: number, witnesses: readonly Signer[] = [], size = this.size): Promise<string> {
    const index = record - 1
    const hashes = (await proveInclusion(index, size, this.#read)).map(own)
    const statement = toUtf8(this.#statements[index] ?? '')
    const extra = own(Buffer.concat([saltOf(record), statement]))
    return formatProof({ index, hashes, checkpoint: await this.checkpoint(size, witnesses), extra })
  }

  async consistency(older: number, size = this.size): Promise<string[]> {
    return (await proveConsistency(older, size, this.#read)).map(toBase64)
  }

  /** The files of the log as a server publishes them, by their paths. */
  async files(): Promise<Map<string, Bytes>> {
    const files = new Map([['checkpoint', toUtf8(await this.checkpoint())]])
    for (let level = 0; tileWidth(level, 0, this.size) > 0; level += 1) {
      for (let index = 0; tileWidth(level, index, this.size) > 0; index += 1) {
        const width = tileWidth(level, index, this.size)
        files.set(tilePath({ level, index, width }), own(this.#tiles.get(`${level}/${index}`) ?? new Uint8Array()))
        if (level > 0) continue
        const entries = this.#entries.slice(index * TILE_WIDTH, index * TILE_WIDTH + width)
        files.set(tilePath({ level: 'entries', index, width }), formatBundle(entries))
      }
    }
    return files
  }
}

/** A witness with its own key. */
export const someWitness = (name = 'witness.example/w1'): Signer =>
  witnessSigner(name, generateKeyPairSync('ed25519').privateKey)
