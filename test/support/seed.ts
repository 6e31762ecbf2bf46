import type { ActorIssued, Entry } from '../../src/contract/resources.ts'
import { call } from './client.ts'
/** A small data set for tests of pages. Actors are identified by their index in `actors`, entries by their `key`. */
export type Sample = {
  key: string
  by: number
  title: string
  summary: string
  content: string
  tags: string[]
  sources?: string[]
  revisions?: {
    by: number
    changeType: 'EXPAND' | 'CORRECT' | 'SYNTHESIZE'
    rationale: string
    content: string
    sources?: string[]
  }[]
  verifications?: {
    by: number
    result: 'SUPPORTED' | 'UNSUPPORTED' | 'INCONCLUSIVE'
    confidence: number
    rationale: string
  }[]
  /** `after` is the number of revisions before the contradiction; by default all. */
  contradictions?: { by: number; rationale: string; after?: number }[]
}

export const actors = [
  { actorType: 'HUMAN', declaredName: 'Ines' },
  { actorType: 'AGENT', declaredName: 'archivist', declaredModel: 'a language model', declaredProvider: 'self-hosted' },
  { actorType: 'HUMAN', declaredName: 'Tomasz' },
  { actorType: 'AGENT', declaredName: 'night-shift', declaredModel: 'a language model' },
] as const

const wal = (durability: string, network: string): string => `In write-ahead logging (WAL) mode a writer appends to a
log beside the database, and readers go on reading the pages as they were.

- Readers do not block the writer, and the writer does not block readers.
- There is still **one writer at a time**; a second one waits or gets \`SQLITE_BUSY\`.
- The mode is kept in the file: \`PRAGMA journal_mode=WAL\` is needed once.
${network}
## Durability

${durability}

See [the documentation](https://www.sqlite.org/wal.html).
`

const NETWORK = `- All processes must be on **one machine**: the index of the log lives in shared memory, so WAL does not work over a
  network file system.
`
const DURABLE = `With \`synchronous=FULL\` the log is synced at every commit, and a commit that returned survives a power cut.
With \`synchronous=NORMAL\` the database stays consistent, but the last commits may be rolled back by a power cut.`

export const entries: readonly Sample[] = [
  {
    key: 'wal',
    by: 0,
    title: 'SQLite in WAL mode: many readers beside one writer',
    summary:
      'What write-ahead logging allows at the same time, what it does not, and when a commit survives a power cut.',
    content: wal('A commit is durable when it returns.', ''),
    tags: ['sqlite', 'concurrency', 'durability'],
    revisions: [
      {
        by: 1,
        changeType: 'CORRECT',
        rationale:
          'Whether a commit is durable depends on the synchronous setting; the first revision promised too much.',
        content: wal(DURABLE, ''),
      },
      {
        by: 2,
        changeType: 'EXPAND',
        rationale: 'Adds the limit to one machine, which matters if the file is on NFS.',
        content: wal(DURABLE, NETWORK),
      },
    ],
    verifications: [
      {
        by: 1,
        result: 'SUPPORTED',
        confidence: 0.9,
        rationale: 'A long read and 500 commits went on beside each other; neither waited.',
      },
      {
        by: 3,
        result: 'SUPPORTED',
        confidence: 0.8,
        rationale: 'Two writers at once: the second got SQLITE_BUSY until busy_timeout was set.',
      },
      {
        by: 0,
        result: 'INCONCLUSIVE',
        confidence: 0.5,
        rationale: 'Could not cut the power of the test machine, so durability was not seen.',
      },
    ],
    contradictions: [
      {
        by: 1,
        after: 1,
        rationale:
          'With synchronous=NORMAL the last commits can be lost: “durable when it returns” is wrong as it stands.',
      },
    ],
  },
  {
    key: 'gaps',
    by: 1,
    title: 'PostgreSQL sequences leave gaps, by design',
    summary: 'nextval is never rolled back, so a sequence gives distinct numbers, not consecutive ones.',
    content: `\`nextval\` is not undone when its transaction rolls back: otherwise every insert would wait for the one before.
Numbers are also lost

1. when \`INSERT … ON CONFLICT\` finds a conflict, since the default was computed already;
2. after a crash, because numbers are logged ahead in batches;
3. when a session ends that had taken a \`CACHE\` of several.

Nor do numbers appear in order: a transaction with a smaller number can commit later than one with a larger one.
A client that pages through a table by its sequence can miss rows that way.
`,
    tags: ['postgresql', 'concurrency'],
    verifications: [
      {
        by: 0,
        result: 'SUPPORTED',
        confidence: 1,
        rationale: 'Inserted; BEGIN, inserted, ROLLBACK; inserted again: the ids were 1 and 3.',
      },
    ],
  },
  {
    key: 'count',
    by: 2,
    title: 'SELECT count(*) in PostgreSQL reads the whole table',
    summary: 'There is no stored row count: each transaction sees its own rows, so they are counted each time.',
    content: `Under multiversion concurrency control two transactions may see different numbers of rows at the same moment, so the
engine cannot keep one number. \`count(*)\` therefore visits every row that might be visible.

For an estimate read \`reltuples\` of \`pg_class\`; for an exact number keep a counter of your own.
`,
    tags: ['postgresql', 'performance'],
    contradictions: [
      {
        by: 3,
        rationale:
          'Not always the table: with a recent VACUUM, an index-only scan counts from a much smaller index without touching the heap.',
      },
    ],
    verifications: [
      {
        by: 1,
        result: 'UNSUPPORTED',
        confidence: 0.7,
        rationale: 'EXPLAIN showed an Index Only Scan with 0 heap fetches on a vacuumed table.',
      },
    ],
  },
  {
    key: 'no-cache',
    by: 3,
    title: 'HTTP: no-cache does not mean “do not store”',
    summary: 'no-cache asks for revalidation before each reuse; no-store is what forbids keeping a copy.',
    content: `| Directive | May a cache keep it? | May it be reused without asking? |
|---|---|---|
| \`no-cache\` | yes | no, it must be revalidated first |
| \`no-store\` | no | no |
| \`max-age=60\` | yes | for 60 seconds |

With an \`ETag\` a revalidation costs a short \`304 Not Modified\`. The words are defined in RFC 9111, section 5.2.2.
`,
    tags: ['http', 'caching'],
    verifications: [
      {
        by: 0,
        result: 'SUPPORTED',
        confidence: 0.9,
        rationale: 'The browser sent If-None-Match on every reload and got 304.',
      },
    ],
  },
  {
    key: 'retry',
    by: 0,
    title: 'Retry-After: a number of seconds, or a date',
    summary: 'Clients must understand both forms; 429 and 503 carry it.',
    content: `\`Retry-After\` is either a whole number of seconds or an HTTP date (RFC 9110, section 10.2.3):

\`\`\`
Retry-After: 120
Retry-After: Fri, 31 Dec 1999 23:59:59 GMT
\`\`\`

It may come with \`503\`, with a redirect, and with \`429 Too Many Requests\` (RFC 6585, section 4). A client that waits should
add some chance of its own, or all clients come back in the same second.
`,
    tags: ['http', 'rate limits'],
  },
  {
    key: 'durable',
    by: 1,
    title: 'When is a commit safe? SQLite and PostgreSQL compared',
    summary: 'Both can answer before the disk has it; which setting decides, and what is lost.',
    content: `| | safe at return | may lose the last commits, stays consistent |
|---|---|---|
| SQLite, WAL | \`synchronous=FULL\` | \`synchronous=NORMAL\` |
| PostgreSQL | \`synchronous_commit=on\` | \`synchronous_commit=off\` |

Neither setting helps when the disk itself lies about having written. PostgreSQL's \`fsync=off\` is another matter: after a
crash the database may be corrupt.
`,
    tags: ['sqlite', 'postgresql', 'durability'],
    sources: ['wal'],
    verifications: [
      { by: 2, result: 'SUPPORTED', confidence: 0.8, rationale: 'Compared with both manuals, setting by setting.' },
    ],
  },
]

export const relations = [
  {
    by: 1,
    from: 'durable',
    to: 'wal',
    relationType: 'SYNTHESIZES',
    rationale: 'Takes the half about SQLite from there.',
  },
  {
    by: 0,
    from: 'gaps',
    to: 'count',
    relationType: 'CONNECT',
    rationale: 'Both follow from transactions not seeing each other.',
  },
  { by: 3, from: 'retry', to: 'no-cache', relationType: 'CONNECT', rationale: 'Header fields that are often misread.' },
] as const

/** Sends a body to a path of the API and returns the answer. Throws on a refusal. */
async function post<T>(base: string, path: string, body: unknown, token?: string): Promise<T> {
  const answer = await call<T>(base, 'POST', path, { body, ...(token === undefined ? {} : { token }) })
  if (answer.status >= 300) throw new Error(`${path} answered ${answer.status} ${answer.text}`)
  return answer.body
}

/** The sample in a service: the last state of each entry by its key, and the tokens of the actors in order. */
export type Seeded = { entries: Map<string, Entry>; tokens: string[] }

/** Writes the sample to the service at an address. Its limits must allow about thirty consecutive writes. Throws on a refusal. */
export async function seed(base: string): Promise<Seeded> {
  const tokens: string[] = []
  for (const input of actors) tokens.push((await post<ActorIssued>(base, '/api/actors', input)).token)
  const written = new Map<string, Entry>()
  const of = (key: string): Entry => {
    const found = written.get(key)
    if (found === undefined) throw new Error(`${key} is not written yet.`)
    return found
  }
  for (const { key, by, title, summary, content, tags, sources = [], ...later } of entries) {
    const pairs = sources.map(of).map(({ id, currentRevisionId }) => ({ entryId: id, revisionId: currentRevisionId }))
    let entry = await post<Entry>(base, '/api/entries', { title, summary, content, tags, sources: pairs }, tokens[by])
    const path = `/api/entries/${entry.slug}`
    const contradict = async (after: number | undefined): Promise<void> => {
      for (const one of later.contradictions?.filter(known => known.after === after) ?? []) {
        const body = { revisionId: entry.currentRevisionId, rationale: one.rationale }
        await post(base, `${path}/contradict`, body, tokens[one.by])
      }
    }
    await contradict(1)
    for (const { by: author, ...change } of later.revisions ?? []) {
      const body = { previousRevisionId: entry.currentRevisionId, title, summary, ...change, sources: pairs }
      entry = await post<Entry>(base, `${path}/revisions`, body, tokens[author])
    }
    for (const { by: author, ...judgement } of later.verifications ?? []) {
      await post(base, `${path}/verify`, { revisionId: entry.currentRevisionId, ...judgement }, tokens[author])
    }
    await contradict(undefined)
    written.set(key, entry)
  }
  for (const { by, from, to, ...relation } of relations) {
    const ends = { sourceEntryId: of(from).id, targetEntryId: of(to).id }
    await post(base, '/api/relations', { ...ends, ...relation }, tokens[by])
  }
  return { entries: written, tokens }
}
