import { held, type Story, unclear } from './story.ts'

const ONE_MACHINE = `- All processes must be on one machine: the index of the log is in shared memory, which a network file system does not share.
`

/** Entries about SQLite. */
export const SQLITE: readonly Story[] = [
  {
    key: 'wal',
    day: 61,
    by: 'reader',
    title: 'SQLite in WAL mode: many readers beside one writer',
    summary:
      'What write-ahead logging allows at the same time, what it does not, and when a commit survives a power cut.',
    content: `In write-ahead logging (WAL) mode a writer appends to a log beside the database. Readers read the pages of the last commit before they began.

- Readers do not block the writer, and the writer does not block readers.
- There is still one writer at a time. A second one waits for \`busy_timeout\`, then gets \`SQLITE_BUSY\`.
- The mode is a property of the file: \`PRAGMA journal_mode=WAL\` is needed once.

## Durability

A commit is durable when it returns.

See [the documentation](https://www.sqlite.org/wal.html).
`,
    tags: ['sqlite', 'concurrency', 'durability'],
    steps: [
      held(
        60,
        'reader',
        0.9,
        'The section “Concurrency” of wal.html says that readers and the writer do not block each other.',
      ),
      {
        ...{ kind: 'contradict', day: 52, by: 'tester' },
        rationale:
          'With synchronous=NORMAL a power cut can roll back the last commits, so the section on durability is too broad.',
      },
      {
        ...{ kind: 'revise', day: 51, by: 'archivist', changeType: 'CORRECT' },
        rationale: 'Whether a commit is durable depends on the synchronous setting.',
        replace: 'A commit is durable when it returns.',
        with: `With \`synchronous=FULL\` the log is synced at every commit: a commit that returned survives a power cut.
With \`synchronous=NORMAL\` the database stays consistent, but a power cut can roll back the last commits.`,
      },
      held(
        50,
        'tester',
        0.9,
        'Both modes match the documentation of PRAGMA synchronous, including the loss with NORMAL.',
      ),
      held(37, 'operator', 0.8, 'Without busy_timeout, a second BEGIN IMMEDIATE gets SQLITE_BUSY at once.'),
      {
        ...{ kind: 'revise', day: 21, by: 'reviewer', changeType: 'EXPAND' },
        rationale: 'Adds the limit to one machine.',
        replace: '\n## Durability',
        with: `${ONE_MACHINE}\n## Durability`,
      },
      held(9, 'checker', 0.9, 'wal.html has each point of the list.'),
      unclear(6, 'unnamed', 0.4, 'The durability of a commit cannot be judged without a power cut.'),
    ],
  },
  {
    key: 'types',
    day: 55,
    by: 'archivist',
    title: 'SQLite columns accept values of any type, except in STRICT tables',
    summary: 'A declared type is a preference for conversion. STRICT tables refuse what cannot be converted.',
    content: `\`\`\`sql
CREATE TABLE loose (n INTEGER);
INSERT INTO loose VALUES ('12'), ('x');
SELECT n, typeof(n) FROM loose;   -- 12 integer, x text
CREATE TABLE exact (n INTEGER) STRICT;
INSERT INTO exact VALUES ('x');   -- cannot store TEXT value in INTEGER column exact.n
\`\`\`

STRICT tables exist since SQLite 3.37. They still convert '12' to 12. The type \`ANY\` in a STRICT table keeps a value as it is.
`,
    tags: ['sqlite', 'types'],
    steps: [
      held(54, 'tester', 1, 'The five lines can be run as they are; the comments are the results of SQLite 3.53.'),
      held(
        30,
        'operator',
        0.9,
        'An import from CSV stores texts in a column declared INTEGER; a STRICT table refuses them.',
      ),
    ],
  },
  {
    key: 'foreign',
    day: 44,
    by: 'operator',
    title: 'SQLite checks foreign keys only after PRAGMA foreign_keys = ON',
    summary: 'The setting belongs to the connection and is off by default in the library.',
    content: `SQLite can check foreign keys since version 3.6.19, and does so only where the connection asks for it:

\`\`\`sql
PRAGMA foreign_keys = ON;    -- at the beginning of each connection
PRAGMA foreign_key_check;    -- lists the rows that already break a constraint
\`\`\`

The pragma does nothing inside a transaction.
`,
    tags: ['sqlite', 'constraints'],
    steps: [
      held(
        43,
        'operator',
        0.9,
        'Without the pragma, SQLite stores a row with a missing parent; with it, the INSERT fails.',
      ),
      held(29, 'reader', 0.8, 'foreignkeys.html, section 2, says the same.'),
      unclear(
        12,
        'tester',
        0.7,
        'Node opens connections of node:sqlite with foreign keys on, so the default of the library is not visible there.',
      ),
    ],
  },
  {
    key: 'rowid',
    day: 33,
    by: 'tester',
    title: 'SQLite can assign the id of a deleted row again',
    summary: 'An INTEGER PRIMARY KEY takes the largest id plus one. AUTOINCREMENT never assigns an id twice.',
    content: `Insert three rows, delete the third one, insert another: its id is 3 again, because SQLite takes the largest existing id plus one.
With \`AUTOINCREMENT\` the new id is 4: the table \`sqlite_sequence\` stores the largest id that was ever used.

An id that other systems store should come from \`AUTOINCREMENT\` or from a UUID.
`,
    tags: ['sqlite', 'ids'],
    steps: [held(32, 'tester', 1, 'It follows from autoinc.html: the ids are 1, 2, 3 and 1, 2, 4.')],
  },
]
