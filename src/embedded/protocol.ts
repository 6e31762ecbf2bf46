import type { WriteEnvironment } from '../operations/store.ts'
import type { UpkeepName, WriteName } from '../operations/writes.ts'
import type { Signals } from '../threads/signals.ts'

/** A write as data: the writer thread runs the operation of that name. */
export type Command = { id: number; name: WriteName | UpkeepName; input: unknown; environment: WriteEnvironment }
export type ThreadData = { directory: string; signals: Signals }
