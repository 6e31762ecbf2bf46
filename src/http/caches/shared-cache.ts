import type { IncomingMessage } from 'node:http'
import type { Config } from '../../config.ts'
import { type Cached, OPERATIONS, type Operation, type OperationName } from '../../contract/operations.ts'
import { actorTag, ENTRY_TAG, entryTag, LIST_TAG, MODERATED_TAG } from '../../domain/cache-tag.ts'
import type { Answer } from '../../operations/operation.ts'

/** The inputs of the cache fields of an answer, in addition to the answer. `seconds` is the lifetime; 0 turns shared caches off. */
export type SharedCache = {
  seconds: number
  operation: OperationName
  params: Record<string, string>
  /** Whether the request had a token. */
  identified: boolean
}

/** Returns the inputs of the cache fields for a request of an operation. */
export const sharedCacheOf = (
  { sharedCacheSeconds: seconds }: Pick<Config, 'sharedCacheSeconds'>,
  { headers }: IncomingMessage,
  operation: OperationName,
  params: Record<string, string> = {},
): SharedCache => {
  const identified = headers['x-actor-token'] !== undefined || headers.authorization !== undefined
  return { seconds, operation, params, identified }
}

const NONE: Record<string, string> = {}

type Tagged = Pick<Answer, 'observed' | 'alsoObserved' | 'digest' | 'etag'>
type TagsOf = (answer: Tagged, params: Record<string, string>) => string[] | undefined

/** The tags of a shared answer. A batch of 50 entries has the most: 52 of at most 17 characters, less than 1 KiB. */
const TAGS: Record<Cached, TagsOf> = {
  entry: ({ observed }) => (observed?.entry == null ? undefined : [ENTRY_TAG, entryTag(observed.entry)]),
  // A missing item may be created later.
  batch: ({ alsoObserved = [] }) => [LIST_TAG, ENTRY_TAG, ...alsoObserved.map(({ entry }) => entryTag(entry))],
  actor: (_answer, { id = '' }) => [MODERATED_TAG, actorTag(id)],
  list: () => [LIST_TAG],
  // Only a finished segment has a digest.
  segment: ({ digest }) => (digest === undefined ? undefined : [MODERATED_TAG]),
}

function tagsOf(answer: Tagged, { operation, params }: SharedCache): string[] | undefined {
  const { cached }: Operation = OPERATIONS[operation]
  return cached && TAGS[cached](answer, params)
}

/**
 * Returns the header fields by which the operator's own caches store an answer (RFC 9213). If the request had a token, they exclude the
 * answer from all shared caches. Empty if `seconds` is 0.
 */
export const sharedCacheFields = (answer: Tagged, shared: SharedCache): Record<string, string> =>
  shared.seconds === 0 || (answer.etag === undefined && shared.identified)
    ? NONE
    : fieldsOf(shared, tagsOf(answer, shared))

/** Like `sharedCacheFields`, for a page. A page may show texts of other entries, so each act of moderation purges it. */
export function pageCacheFields(answer: Tagged, shared: SharedCache): Record<string, string> {
  const tags = tagsOf(answer, shared)
  return fieldsOf(shared, tags && [...new Set([...tags, MODERATED_TAG])])
}

function fieldsOf({ seconds, identified }: SharedCache, tags: readonly string[] | undefined): Record<string, string> {
  if (seconds === 0) return {}
  if (identified) return { 'cache-control': 'private, no-cache' }
  if (tags === undefined) return {}
  const lifetime = `max-age=${seconds}`
  return {
    'cdn-cache-control': lifetime,
    'surrogate-control': lifetime,
    'cache-tag': tags.join(','),
    'surrogate-key': tags.join(' '),
  }
}
