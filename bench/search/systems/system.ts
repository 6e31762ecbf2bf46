import type { Entry } from '../collection.ts'

/** The answer of a system: entry ids, best first. `failed` is the status of an answer that is an error. */
export type Answer = { ids: string[]; match?: number; answerable?: boolean; failed?: number }

/** An entry that has much in common with a draft. */
export type Similar = { id: string; score: number }

/** A search system with a collection. `ask` resolves with undefined if the question is too long for it. */
export type System = {
  name: string
  ask(text: string): Promise<Answer | undefined>
  /** The entries similar to a draft, most similar first, where the system finds them. */
  similar?(draft: { title: string; summary: string }): Promise<Similar[]>
}

/** Makes systems with these entries; `close` ends everything that was started for them. */
export type Opened = { systems: System[]; close(): Promise<void> }
export type Maker = (entries: Entry[]) => Promise<Opened>

/** The number of requested answers. */
export const ASKED = 20

/** The weight of each field, in every system that can weigh fields. */
export const WEIGHTS = { title: 3, summary: 1.5, content: 1, tags: 2 } as const

/** The words of a text, each once, as a system without a query parser of its own gets them. */
export const wordsOf = (text: string): string[] => [...new Set(text.match(/[\p{L}\p{N}\p{M}]+/gu) ?? [])]
