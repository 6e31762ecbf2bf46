/** The entry `@palimpsest/client/log`: verifies proofs, files of the public log and evidence hashes that a program has. */
export type { CheckpointVerdict, LogVerdict, ProofVerdict, ReadFile, Trust, Witnessed } from '../tlog/verify/verify.js'
export { verifyCheckpoint, verifyLogFiles, verifyProof } from '../tlog/verify/verify.js'
export { canonicalJson, evidenceHashOf } from './hash.ts'
