import { HEAD } from '../store/head.ts'
import type { HandlersOf, WriteName, WriteOperation } from './operation.ts'

/**
 * Adds the newest sequence of its transaction to the answer of a write. It is the sequence of the write itself, or of a later write of the
 * same commit: a store that has it has the write.
 */
const sequenced =
  <N extends WriteName>(operation: WriteOperation<N>): WriteOperation<N> =>
  async (tx, context, request) => {
    const answer = await operation(tx, context, request)
    return { ...answer, sequence: (await tx.load(HEAD)).sequence }
  }

/** The same operations, each with the sequence of its write. */
export const allSequenced = (operations: HandlersOf<'write'>): HandlersOf<'write'> =>
  Object.fromEntries(
    Object.entries(operations).map(([name, operation]) => [name, sequenced(operation as WriteOperation<WriteName>)]),
  ) as unknown as HandlersOf<'write'>
