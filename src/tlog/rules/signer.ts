import { createPrivateKey, createPublicKey, hash, type KeyObject, sign, verify } from 'node:crypto'
import { concat, toHex, toUint64 } from '../verify/bytes.js'
import { formatSignature, isKeyName } from '../verify/note.js'
import {
  formatVerifierKey,
  keyIdInput,
  SIGNATURE_TYPES,
  signedMessage,
  type VerifierKey,
  type Verify,
} from '../verify/signature.js'

/** Signs checkpoints under one name with one key. */
export type Signer = {
  /** The public key in the format of verifier keys: `name+id+base64`. */
  vkey: string
  key: VerifierKey
  /** The line that signs the text of a checkpoint. `time` in whole seconds is part of cosignatures; a log's Ed25519 signature has none. */
  sign(text: string, time: number): string
}

type SignatureType = (typeof SIGNATURE_TYPES)[keyof typeof SIGNATURE_TYPES]

/** The DER header (SPKI) before the 32 or 1312 bytes of a public key. */
const SPKI_HEAD: Record<string, { bytes: number; hex: string }> = {
  ed25519: { bytes: 12, hex: '302a300506032b6570032100' },
  'ml-dsa-44': { bytes: 22, hex: '30820532300b06096086480165030403110382052100' },
}

/** The bytes of a public key without its DER head. Throws on any key but Ed25519 and ML-DSA-44. */
function rawPublicKey(privateKey: KeyObject): Uint8Array<ArrayBuffer> {
  const head = SPKI_HEAD[privateKey.asymmetricKeyType ?? '']
  if (head === undefined) throw new Error('The key of a log or witness is Ed25519 or ML-DSA-44.')
  const der = createPublicKey(privateKey).export({ type: 'spki', format: 'der' })
  return Uint8Array.from(der.subarray(head.bytes))
}

/** The signer of a key. Throws if the algorithm of the key does not fit `type`, or if the name is not valid for a key. */
function signerOf(name: string, privateKey: KeyObject, type: SignatureType): Signer {
  const algorithm = type === SIGNATURE_TYPES.cosignatureMlDsa44 ? 'ml-dsa-44' : 'ed25519'
  if (!isKeyName(name)) throw new Error('The name of a key has no white space and no plus.')
  if (privateKey.asymmetricKeyType !== algorithm) throw new Error(`The key is not ${algorithm}.`)
  const unnamed = { name, type, key: rawPublicKey(privateKey) }
  const key = { ...unnamed, id: toHex(hash('sha256', keyIdInput(unnamed), 'buffer').subarray(0, 4)) }
  const timed = type !== SIGNATURE_TYPES.ed25519
  return {
    vkey: formatVerifierKey(key),
    key,
    sign(text, time) {
      const signature = sign(null, signedMessage(key, text, time), privateKey)
      return formatSignature({
        ...key,
        signature: timed ? concat(toUint64(time), signature) : Uint8Array.from(signature),
      })
    },
  }
}

/**
 * The signer of a log with this origin. Ed25519 makes a plain note signature (type 1), ML-DSA-44 a cosignature of the log's own checkpoints
 * (type 6). A checkpoint is `formatCheckpoint(...)`, an empty line, and one line of each signer, Ed25519 first.
 */
export const logSigner = (origin: string, privateKey: KeyObject): Signer =>
  signerOf(
    origin,
    privateKey,
    privateKey.asymmetricKeyType === 'ml-dsa-44' ? SIGNATURE_TYPES.cosignatureMlDsa44 : SIGNATURE_TYPES.ed25519,
  )

/** The signer of a witness: cosignatures by Ed25519 (type 4) or ML-DSA-44 (type 6). */
export const witnessSigner = (name: string, privateKey: KeyObject): Signer =>
  signerOf(
    name,
    privateKey,
    privateKey.asymmetricKeyType === 'ml-dsa-44'
      ? SIGNATURE_TYPES.cosignatureMlDsa44
      : SIGNATURE_TYPES.cosignatureEd25519,
  )

/** A signed checkpoint: its text and a line of each signer. `time` in whole seconds. */
export const signCheckpoint = (text: string, signers: readonly Signer[], time: number): string =>
  `${text}\n${signers.map(signer => signer.sign(text, time)).join('')}`

/** The private key in a PEM file (PKCS#8). Throws on anything else. */
export const privateKeyOf = (pem: string): KeyObject => createPrivateKey(pem)

/** Verifies in Node without WebCrypto, whose ML-DSA-44 is experimental there. */
export const verifyWithNode: Verify = async (algorithm, key, message, signature) => {
  const head = SPKI_HEAD[algorithm.toLowerCase()]
  if (head === undefined) return undefined
  try {
    const der = Buffer.concat([Buffer.from(head.hex, 'hex'), key])
    return verify(null, message, createPublicKey({ key: der, format: 'der', type: 'spki' }), signature)
  } catch {
    return false
  }
}
