import type { Entry } from '../collection.ts'

/** What a system answered: entry ids, best first. `failed` is the status of an answer that is an error. */
export type Answer = { ids: string[]; match?: number; answerable?: boolean; failed?: number }

/** An entry that has much in common with a draft. */
export type Similar = { id: string; score: number }

/** One that is asked, holding a collection. `ask` resolves with nothing when it cannot take a question of this length. */
export type System = {
  name: string
  ask(text: string): Promise<Answer | undefined>
  /** What is similar to a draft, most similar first, where the system says it. */
  similar?(draft: { title: string; summary: string }): Promise<Similar[]>
}

/** Makes systems that hold these entries; `close` ends all that was started for them. */
export type Opened = { systems: System[]; close(): Promise<void> }
export type Maker = (entries: Entry[]) => Promise<Opened>

/** How many answers are asked for. */
export const ASKED = 20

/** What each field weighs, in every system that can weigh fields. */
export const WEIGHTS = { title: 3, summary: 1.5, content: 1, tags: 2 } as const

/** The words of a text, each once, as a system without a query parser of its own gets them. */
export const wordsOf = (text: string): string[] => [...new Set(text.match(/[\p{L}\p{N}\p{M}]+/gu) ?? [])]
