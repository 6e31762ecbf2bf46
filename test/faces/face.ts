import type { Activity } from '../../src/contract/resources.ts'

export type Text = { title: string; summary: string; content: string }
/** An entry and one of its revisions. */
export type Place = { entryId: string; revisionId: string }
/** The changes of an entry, without reads. */
export type Row = { actorId: string; action: string; revisionId: string | null }

/** An entry, the sequence after which to begin, and the signal that ends it. */
export type Watching = { entryId: string; after: string; signal: AbortSignal }

/** A way into the service, as one uses it who has no other. A refusal that no method speaks of rejects. */
export type Face = {
  /** The description of the interface. */
  discover(): Promise<string>
  /** The ids of the entries that have the word. */
  search(word: string): Promise<string[]>
  /** Who writes from now on; a face that makes actors at the first write makes it then. */
  createActor(declaredName: string): Promise<void>
  publish(text: Text): Promise<Place>
  /** The current revision of an entry and its content. */
  read(entryId: string): Promise<{ revisionId: string; content: string }>
  /** Corrects a text on top of the named revision. Returns the new one, or the code of the refusal. */
  revise(base: Place, text: Text, rationale: string): Promise<{ revisionId: string } | { refused: string }>
  /** Records that a revision is supported, with confidence 0.75. */
  verify(place: Place, rationale: string): Promise<void>
  contradict(place: Place, rationale: string): Promise<void>
  /** Connects one entry with another. */
  relate(sourceEntryId: string, targetEntryId: string, rationale: string): Promise<void>
  /** Passes on the rows of an entry after a sequence, each once, until `take` returns true or the signal aborts. */
  watch(watching: Watching, take: (row: Row) => Promise<boolean>): Promise<void>
  /** Whether `watch` returns the rows in order. */
  inOrder: boolean
  /** Calls and bytes both ways so far, where that is counted. */
  cost?(): { calls: number; bytes: number }
  close(): Promise<void>
}

/** Comes to the service at a base address. */
export type OpenFace = (base: string) => Promise<Face>

/** A row of the feed as it matters to who watches an entry; undefined where it does not. */
export const rowOf = ({ actorId, action, entryId, revisionId }: Activity, watched: string): Row | undefined =>
  entryId !== watched || action === 'READ' || action === 'SEARCH' ? undefined : { actorId, action, revisionId }
