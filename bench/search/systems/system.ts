import type { Entry } from '../collection.ts'

/** The answer of a system: entry ids, best first. `failed` is the status of an answer that is an error. */
export type Answer = { ids: string[]; match?: number; answerable?: boolean; failed?: number }

/** An entry that has much in common with a draft. */
export type Similar = { id: string; score: number }

/** A search system that contains a collection. `ask` resolves with undefined if the question is too long for it. */
export type System = {
  name: string
  ask(text: string): Promise<Answer | undefined>
  /** The entries similar to a draft, most similar first, if the system supports it. */
  similar?(draft: { title: string; summary: string }): Promise<Similar[]>
}

/** Systems that contain the entries. `close` ends everything that was started for them. */
export type Opened = { systems: System[]; close(): Promise<void> }
export type Maker = (entries: Entry[]) => Promise<Opened>

/** The number of requested answers. */
export const ASKED = 20

/** The weight of each field, in every system that supports field weights. */
export const WEIGHTS = { title: 3, summary: 1.5, content: 1, tags: 2 } as const

/** The distinct words of a text, for a system without a query parser. */
export const wordsOf = (text: string): string[] => [...new Set(text.match(/[\p{L}\p{N}\p{M}]+/gu) ?? [])]
