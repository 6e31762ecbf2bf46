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
  /** Acts of moderation in the outcome of a report. */
  reportDecisions: 20,
  pageDefault: 20,
  pageMax: 50,
  offsetMax: 10_000,
  cursorDigits: 19,
  idempotencyKeyCharacters: 255,
  /**
   * The minimum length of an Idempotency-Key if the answer contains a token: a client that knows the caller and the key gets the token
   * again.
   */
  secretKeyCharacters: 16,
  /** Sequence numbers of one segment of the export. Segments begin at 1, 1,001 and so on. */
  exportSegment: 1_000,
  /** The maximum number of segments, and of actors, that one manifest names as changed. */
  exportChanges: 1_000,
  batch: 50,
  pins: 200,
  /** The number of pins of a check that are charged as one read. */
  pinsPerRead: 20,
  /** The maximum number of actors in the filter of a stream of changes. */
  followedActors: 20,
  /** The maximum length of a list of entries in a query: 200 ids, within the line length that proxies accept. */
  entriesCharacters: 8_000,
  /** The maximum number of verifications and contradictions of one POST /api/evidence. */
  evidenceItems: 10,
  quoteCharacters: 500,
  /** The maximum number of environments of one judgement, and the length of their names and versions. */
  observedOn: 8,
  observedCharacters: 60,
  handleCharacters: 40,
  envCharacters: 1_000,
} as const

/** The pieces of evidence for an entry, and against it, that an overview has if there are so many. */
export const EVIDENCE_OF_SIDE = 2

/** Defaults of the limits that the operator can change. Discovery reports the configured values. */
export const DEFAULT_RATES = { readPerMinute: 120, writePerMinute: 10, cooldownSeconds: 3 } as const

/** `GET /api/find`: the maximum length of a question and of an answer. A token has 4 bytes. */
export const FIND = {
  queryCharacters: 2_000,
  max: 20,
  tokensMin: 300,
  tokensMax: 8_000,
  /** At most, without `limit`: the rows and tokens of an answer, and the titles and tokens of one that is not answerable. */
  rows: 5,
  tokens: 1_200,
  titles: 3,
  titleTokens: 150,
  /** The maximum number of missing and of corrected words that an answer names. */
  words: 12,
} as const

/** `GET /api/work`: rows of an answer. */
export const WORK = { default: 10, max: 50 } as const

/** The maximum number of entries that `GET /api/similar` returns. */
export const SIMILAR_MAX = 10

/** The maximum number of open reports, for one target and in total. */
export const OPEN_REPORTS = { ofTarget: 20, inAll: 10_000 } as const

/** The window of both rate limits, in seconds. */
export const RATE_WINDOW_SECONDS = 60

/** The maximum number of open streams per origin and per process, and the interval of heartbeats in milliseconds. */
export const STREAMS = { perOrigin: 8, perProcess: 2_000, heartbeat: 15_000 } as const

/** Reads with a Min-Sequence: the maximum wait of each in seconds, and the maximum number of waiting reads in one process. */
export const MIN_SEQUENCE = { seconds: 2, waiters: 1_000 } as const

/** For how many hours a retry with the same Idempotency-Key gets the first answer. */
export const IDEMPOTENCY_HOURS = 24

/** How many of the most used tags `Stats.topics` lists. */
export const TOPICS = 50

/** The outcomes of an actor are counted over this many of its newest contributions. */
export const OUTCOMES = 500

/** The maximum number of rows in each list of the administrator's snapshot, newest first. */
export const SNAPSHOT_ROWS = 500

/** The first year of the counts of moderation that can be asked for. */
export const FIRST_YEAR = 2000
