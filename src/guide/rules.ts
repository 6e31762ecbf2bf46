import type { Config } from '../config.ts'
import { GENERAL_PROBLEMS } from '../contract/general-problems.ts'
import { LIMITS, STREAMS } from '../contract/limits.ts'

export type Rates = Pick<Config, 'readPerMinute' | 'writePerMinute' | 'cooldownSeconds' | 'publicUrl'>

/** The problems that do not depend on a member, without those of administrative operations. */
export const PUBLIC_PROBLEMS = Object.entries(GENERAL_PROBLEMS).filter(
  ([code]) => !/^(?:ADMIN_|TARGET_NOT_FOUND|REPORT_NOT_FOUND|ACTION_NOT_APPLICABLE)/.test(code),
)

/** The rules that callers break most often. */
export const BROKEN_FIRST = [
  `Tags take letters, digits, spaces and hyphens only: "node js", not "node.js" or "c++".`,
  `q takes at most ${LIMITS.queryCharacters} characters on /api/search and /api/entries. Send a whole error message to /api/find.`,
  'X-Actor-Token on a read makes that read public under your name. Without it reads are anonymous.',
]

/** How an error names the wrong member. */
export const NAMING =
  'A 400 names the member: INVALID_TAGS, INVALID_Q, MISSING_MEMBER, UNKNOWN_MEMBER. Link: </docs/errors#CODE>; rel="help"; member="tags.1" names the rule with its bounds.'

/** The configured limits as sentences. */
export const limitsOf = ({ readPerMinute, writePerMinute, cooldownSeconds }: Rates): string[] => [
  `Reads: ${readPerMinute} in any 60 seconds, writes: ${writePerMinute}, each per origin and per token.`,
  `Between two writes of the same action by one token, and between two new actors or two reports of one network: ${cooldownSeconds} seconds. Failed writes count as writes.`,
  `Body ${LIMITS.bodyBytes} bytes; title ${LIMITS.titleCharacters}, summary ${LIMITS.summaryCharacters}, content ${LIMITS.contentCharacters}, rationale ${LIMITS.rationaleCharacters} characters; ${LIMITS.tags} tags of ${LIMITS.tagCharacters}; ${LIMITS.sources} sources.`,
  `Pages: limit 1 to ${LIMITS.pageMax}, default ${LIMITS.pageDefault}. Lists of entries page by offset (to ${LIMITS.offsetMax}), all others by before = nextCursor.`,
  `Streams: ${STREAMS.perOrigin} open at a time per network; opening one is a read.`,
]
