import type { Transaction } from '../database/database.ts'
import type { Work } from '../database/group-commit.ts'
import { createContexts } from './context.ts'
import type { Context, WriteName } from './operation.ts'
import type { WriteEnvironment } from './store.ts'
import { MAINTENANCE, type MaintenanceName, WRITES } from './writes.ts'

/** A write as data: the operation, its input and its environment. */
export type Command = { name: WriteName | MaintenanceName; input: unknown; environment: WriteEnvironment }

type Run = (tx: Transaction, context: Context, input: unknown) => Promise<unknown>
const RUNS = { ...WRITES, ...MAINTENANCE } as unknown as Record<Command['name'], Run>

/** Returns the function that converts commands to units of work. All of them share the clock and the ids of one writing process. */
export function createWorks(): (command: Command) => Work {
  const contextOf = createContexts()
  return ({ name, input, environment }) =>
    (tx, floor) =>
      RUNS[name](tx, contextOf(environment, floor), input)
}
