import type { Command } from '../operations/command.ts'
import type { SharedCounters } from '../threads/shared-counters.ts'

/** A command that the writer thread replies to. */
export type Asked = Command & { id: number }
export type ThreadData = { directory: string; counters: SharedCounters }
