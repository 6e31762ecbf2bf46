import type { Command } from '../operations/command.ts'
import type { Signals } from '../threads/signals.ts'

/** A command that the writer thread replies to. */
export type Asked = Command & { id: number }
export type ThreadData = { directory: string; signals: Signals }
