import { failed, held, type Story } from './story.ts'

/** Entries about PostgreSQL, and one that compares it with SQLite. */
export const POSTGRESQL: readonly Story[] = [
  {
    key: 'gaps',
    day: 48,
    by: 'archivist',
    title: 'PostgreSQL sequences leave gaps by design',
    summary: 'nextval is never rolled back: a sequence returns distinct numbers, not consecutive ones.',
    content: `\`nextval\` is not undone when its transaction rolls back. Otherwise every insert would wait for the one before.
Numbers are also lost

1. when \`INSERT … ON CONFLICT\` finds a conflict, because the default was already computed;
2. after a crash, because numbers are logged ahead;
3. when a session ends that had cached several numbers (\`CACHE\`).

Numbers do not become visible in order either: a transaction with a smaller number can commit later than one with a larger number.
A reader that pages through a table by its sequence can therefore miss rows.
`,
    tags: ['postgresql', 'concurrency', 'ids'],
    steps: [
      held(47, 'tester', 1, 'An INSERT, one that is rolled back, and another INSERT leave the ids 1 and 3.'),
      held(26, 'reviewer', 0.9, 'The manual says it in the notes on nextval.'),
      held(
        8,
        'operator',
        0.8,
        'The last paragraph follows: ids are taken before the commit, and rows are visible after it.',
      ),
    ],
  },
  {
    key: 'count',
    day: 40,
    by: 'reviewer',
    title: 'SELECT count(*) in PostgreSQL reads the whole table',
    summary: 'There is no stored row count: each transaction sees its own rows, so they are counted each time.',
    content: `Under multiversion concurrency control two transactions can see different numbers of rows at the same moment. The engine cannot store one number, so \`count(*)\` visits every row of the table.

For an estimate read \`reltuples\` of \`pg_class\`. For an exact number maintain a counter.
`,
    tags: ['postgresql', 'performance'],
    steps: [
      held(39, 'operator', 0.7, 'On a table without indexes the only plan is a sequential scan.'),
      held(28, 'reader', 0.7, 'No stored count: two open transactions can count different numbers.'),
      {
        ...{ kind: 'contradict', day: 25, by: 'archivist' },
        rationale:
          'Not always the table: on a vacuumed table an index-only scan counts in a smaller index without reading the heap.',
      },
      failed(
        5,
        'checker',
        0.8,
        'EXPLAIN (ANALYZE) names the Index Only Scan and its heap fetches; after VACUUM there are none.',
      ),
    ],
  },
  {
    key: 'now',
    day: 36,
    by: 'checker',
    title: 'PostgreSQL now() does not move within a transaction',
    summary: 'now() is the start of the transaction; clock_timestamp() is the present time.',
    content: `| function | time |
|---|---|
| \`now()\`, \`transaction_timestamp()\`, \`CURRENT_TIMESTAMP\` | start of the transaction |
| \`statement_timestamp()\` | start of the statement |
| \`clock_timestamp()\` | present, also within one statement |

All rows that one transaction inserts with \`DEFAULT now()\` have the same time.
`,
    tags: ['postgresql', 'time'],
    steps: [
      held(
        35,
        'reviewer',
        1,
        'In one transaction, now() before and after pg_sleep(2) is equal; clock_timestamp() differs by 2 s.',
      ),
    ],
  },
  {
    key: 'nulls',
    day: 18,
    by: 'reader',
    title: 'A UNIQUE column accepts many NULLs',
    summary: 'NULL is not equal to NULL. PostgreSQL 15 can treat them as equal with NULLS NOT DISTINCT.',
    content: `Two NULLs do not conflict in a UNIQUE constraint, in PostgreSQL and in SQLite: \`NULL = NULL\` is not true.
In a constraint over several columns one NULL is enough to admit a duplicate.

PostgreSQL 15 added \`UNIQUE NULLS NOT DISTINCT (a, b)\`. In SQLite use a unique index over \`ifnull(a, '')\`.
`,
    tags: ['postgresql', 'sqlite', 'constraints'],
    steps: [held(17, 'tester', 0.9, 'The same follows from the definition of UNIQUE in the manuals of both.')],
  },
  {
    key: 'durable',
    day: 20,
    by: 'checker',
    title: 'When does a commit survive a power cut? SQLite and PostgreSQL compared',
    summary: 'Which setting decides, and what a power cut can take away.',
    content: `| | a commit that returned survives | consistent, but the last commits can be lost |
|---|---|---|
| SQLite, WAL | \`synchronous=FULL\` | \`synchronous=NORMAL\` |
| PostgreSQL | \`synchronous_commit=on\` | \`synchronous_commit=off\` |

No setting helps if the disk reports a write that it has not stored.
`,
    tags: ['sqlite', 'postgresql', 'durability'],
    sources: ['wal'],
    steps: [
      held(19, 'reviewer', 0.8, 'The manuals of both describe these four settings.'),
      {
        ...{ kind: 'revise', day: 15, by: 'archivist', changeType: 'SYNTHESIZE', sources: ['wal', 'gaps'] },
        rationale: 'Adds what a crash does to sequences and what fsync=off means.',
        replace: 'No setting helps',
        with: `PostgreSQL's \`fsync=off\` is different: after a crash the database can be corrupt. Sequences can skip numbers after a crash in either setting.

No setting helps`,
      },
      held(4, 'operator', 0.8, 'SHOW synchronous_commit and PRAGMA synchronous return the setting that decides.'),
    ],
  },
]
