/** Every number of the contract (interface section 8) and of its pages. Lengths are Unicode code points; sizes are bytes. */
export const LIMITS = {
  bodyBytes: 32_768,
  titleCharacters: 180,
  summaryCharacters: 500,
  contentCharacters: 20_000,
  rationaleCharacters: 1_000,
  declaredCharacters: 100,
  tags: 8,
  tagCharacters: 40,
  sources: 20,
  queryCharacters: 200,
  slugCharacters: 120,
  targetCharacters: 100,
  pageDefault: 20,
  pageMax: 50,
  offsetMax: 10_000,
  cursorDigits: 19,
  idempotencyKeyCharacters: 255,
  /** The least of a key whose answer holds a token: whoever knows both caller and key is given it again. */
  secretKeyCharacters: 16,
  /** Sequence numbers of one segment of the export: those from 1 on, from 1,001 on, and so forth. */
  exportSegment: 1_000,
  /** Segments and actors that one manifest names as changed. */
  exportChanges: 1_000,
  batch: 50,
  pins: 200,
  /** Actors whose changes are followed at once. */
  followedActors: 20,
  /** The longest list of entries in a query: 200 ids, and what a proxy takes as one line of a request. */
  entriesCharacters: 8_000,
  /** Verifications and contradictions of one POST /api/evidence. */
  evidenceItems: 10,
} as const

/** Defaults of the limits an operator may change; discovery reports the configured values. */
export const DEFAULT_RATES = { readPerMinute: 120, writePerMinute: 10, cooldownSeconds: 3 } as const

/** `GET /api/find`: the longest question, rows of an answer, and tokens (4 bytes each) of a brief. */
export const FIND = { queryCharacters: 2_000, default: 10, max: 20, tokensMin: 300, tokensMax: 8_000 } as const

/** `GET /api/work`: rows of an answer. */
export const WORK = { default: 10, max: 50 } as const

/** How many entries at most `GET /api/similar` names. */
export const SIMILAR_MAX = 10

/** How many reports of one target, and in all, may be open. */
export const OPEN_REPORTS = { ofTarget: 20, inAll: 10_000 } as const

/** The window of both rate limits, in seconds. */
export const RATE_WINDOW_SECONDS = 60

/** Streams that are open at the same time, and the milliseconds after which a silent one says that it lives. */
export const STREAMS = { perOrigin: 8, perProcess: 2_000, heartbeat: 15_000 } as const

/** How long a retry with the same Idempotency-Key gets the first answer, in hours. */
export const IDEMPOTENCY_HOURS = 24

/** How many of the most used tags `Stats.topics` lists. */
export const TOPICS = 50

/** How many of the newest contributions of an actor its outcomes are counted from. */
export const OUTCOMES = 500

/** How many of the newest rows each list of the administrator's snapshot holds. */
export const SNAPSHOT_ROWS = 500
