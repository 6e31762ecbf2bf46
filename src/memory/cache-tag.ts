/**
 * Tags of stored answers. A cache removes an answer when one of its tags is purged. Each answer has the tag of one class. ENTRY_TAG:
 * answers about single entries. MODERATED_TAG: answers that only moderation and their own tags make stale. LIST_TAG: answers that any
 * record makes stale.
 */
export const ENTRY_TAG = 'e'
export const MODERATED_TAG = 'm'
export const LIST_TAG = 'l'
/** The tags of all classes. Purging them removes every answer. */
export const ALL_TAGS: readonly string[] = [LIST_TAG, MODERATED_TAG, ENTRY_TAG]

/** The tag of answers about an entry, by its number. */
export const entryTag = (number: number): string => `e${number}`
/** The tag of the profile of an actor, by its id. */
export const actorTag = (id: string): string => `a-${id}`

/** What records changed. `moderated`: moderation withdrew or restored something. `all`: any answer may be stale. */
export type Touched = { entries: readonly number[]; actors: readonly string[]; moderated: boolean; all: boolean }

/** The tags to purge after records were committed. The tags of classes come first. */
export function tagsToPurge({ entries, actors, moderated, all }: Touched): string[] {
  if (all) return [...ALL_TAGS]
  const classes = moderated ? [LIST_TAG, MODERATED_TAG] : [LIST_TAG]
  return [...new Set([...classes, ...entries.map(entryTag), ...actors.map(actorTag)])]
}
