import { failed, held, type Link, type Story, unclear } from './story.ts'

/** Entries about JavaScript, TypeScript and the shell. */
export const PROGRAMS: readonly Story[] = [
  {
    key: 'dates',
    day: 53,
    by: 'unnamed',
    title: 'JavaScript: which time zone does new Date(text) use?',
    summary: 'A date alone is UTC; a date with a time and no offset is local time.',
    content: `\`new Date('2026-01-01')\` and \`new Date('2026-01-01T00:00')\` are midnight in local time.

Write the offset to be independent of the machine: \`2026-01-01T00:00:00Z\`.
`,
    tags: ['javascript', 'time'],
    steps: [
      {
        ...{ kind: 'contradict', day: 49, by: 'tester' },
        rationale:
          "With TZ=America/New_York, new Date('2026-01-01').toISOString() is 2026-01-01T00:00:00.000Z: UTC, not local time.",
      },
      failed(49, 'checker', 0.9, 'The standard (Date Time String Format) says that a form without a time is UTC.'),
      {
        ...{ kind: 'revise', day: 42, by: 'reader', changeType: 'CORRECT' },
        rationale: 'A date alone is UTC.',
        replace: "`new Date('2026-01-01')` and `new Date('2026-01-01T00:00')` are midnight in local time.",
        with: "`new Date('2026-01-01')` is midnight in UTC. `new Date('2026-01-01T00:00')` is midnight in local time.",
      },
      held(
        34,
        'tester',
        1,
        'With TZ=America/New_York, toISOString() of the two is 2026-01-01T00:00:00.000Z and 2026-01-01T05:00:00.000Z.',
      ),
      held(33, 'checker', 0.9, 'The corrected text agrees with the standard.'),
      held(11, 'reviewer', 0.9, 'The rule is in the standard, so it does not depend on the engine or the zone.'),
    ],
  },
  {
    key: 'sort',
    day: 43,
    by: 'tester',
    title: 'JavaScript: [10, 9, 1].sort() is [1, 10, 9]',
    summary: 'Without a function, sort compares texts. Pass (a, b) => a - b for numbers.',
    content: `\`sort\` without a function converts each element to a string and compares UTF-16 code units. \`[10, 9, 1].sort()\` is \`[1, 10, 9]\`.

- Numbers: \`list.sort((a, b) => a - b)\`.
- Words for people: \`list.sort(new Intl.Collator('en').compare)\`.
- \`undefined\` always goes to the end, and the function is not called for it.
`,
    tags: ['javascript', 'sorting'],
    steps: [
      held(42, 'tester', 1, 'The definition of sort in the standard says all three.'),
      held(14, 'unnamed', 0.9, '"10" is less than "9" in UTF-16 code units, so the example is right.'),
    ],
  },
  {
    key: 'bigid',
    day: 29,
    by: 'operator',
    title: 'JSON.parse changes integers above 9007199254740991',
    summary: 'JavaScript numbers are doubles: a 64-bit id must travel as a string.',
    content: `\`JSON.parse('9007199254740993')\` is 9007199254740992. The text is valid JSON; the number has no exact double.

Send 64-bit ids as strings. Newer engines give the reviver the source text: \`JSON.parse(text, (key, value, { source }) => key === 'id' ? BigInt(source) : value)\`.
`,
    tags: ['javascript', 'json', 'ids'],
    steps: [
      held(
        28,
        'checker',
        1,
        'In Node 24 the first line is 9007199254740992, and the reviver returns 9007199254740993n.',
      ),
      unclear(
        13,
        'reader',
        0.5,
        'The third argument of the reviver is new: an engine without it cannot confirm the second half.',
      ),
    ],
  },
  {
    key: 'as',
    day: 16,
    by: 'reviewer',
    title: 'TypeScript: a type assertion checks nothing at run time',
    summary: 'as and <T> disappear when the code is compiled; data from outside needs a check.',
    content: `\`const user = JSON.parse(text) as User\` compiles to \`const user = JSON.parse(text)\`. A wrong text passes, and the error appears later, in another place.

Check data from outside with code that runs: a schema library, or a function with the return type \`value is User\`.
`,
    tags: ['typescript', 'types'],
    steps: [],
  },
  {
    key: 'all',
    day: 10,
    by: 'archivist',
    title: 'Promise.all rejects early and stops nothing',
    summary: 'The other promises continue after the first rejection. allSettled waits for all.',
    content: `\`Promise.all\` rejects as soon as one promise rejects. The others continue, and their results and later errors are dropped.

- To wait for all of them: \`Promise.allSettled\`.
- To stop the others: give them the signal of one \`AbortController\` and abort it in \`catch\`.
`,
    tags: ['javascript', 'concurrency'],
    steps: [held(9, 'tester', 1, 'ECMAScript has no way to cancel a promise, so the others continue.')],
  },
  {
    key: 'errexit',
    day: 22,
    by: 'unnamed',
    title: 'set -e stops a shell script at the first command that fails',
    summary: 'Put set -e at the top of a script to stop at errors.',
    content: `With \`set -e\` the shell exits as soon as a command returns a status other than 0. No further check is needed.
`,
    tags: ['shell', 'errors'],
    steps: [
      {
        ...{ kind: 'contradict', day: 20, by: 'checker', source: 'pipefail' },
        rationale: 'Not in a pipeline: only the status of its last command counts, unless pipefail is set.',
      },
      failed(
        16,
        'tester',
        1,
        'bash: local x=$(false) continues, because local returns 0. So does a function that is called in an if or before ||.',
      ),
    ],
  },
  {
    key: 'pipefail',
    day: 30,
    by: 'operator',
    title: 'A pipeline returns the status of its last command',
    summary: 'false | true succeeds. set -o pipefail reports a failure of any part.',
    content: `\`\`\`bash
false | true; echo $?        # 0
set -o pipefail
false | true; echo $?        # 1
\`\`\`

bash has the status of each part in \`\${PIPESTATUS[@]}\`. With pipefail, \`yes | head -1\` returns 141: head ends first, and SIGPIPE ends yes.
`,
    tags: ['shell', 'errors'],
    steps: [
      held(29, 'tester', 1, 'In bash the three are 0, 1 and 141: 128 plus 13, the number of SIGPIPE.'),
      held(2, 'reader', 0.9, 'It also covers a curl that fails in front of tar.'),
    ],
  },
]

/** The relations between entries. */
export const LINKS: readonly Link[] = [
  {
    ...{ day: 14, by: 'archivist', from: 'durable', to: 'wal', relationType: 'SYNTHESIZES' },
    rationale: 'Takes the row about SQLite from there.',
  },
  {
    ...{ day: 14, by: 'archivist', from: 'durable', to: 'gaps', relationType: 'SYNTHESIZES' },
    rationale: 'Takes the sentence about sequences from there.',
  },
  {
    ...{ day: 13, by: 'reader', from: 'gaps', to: 'count', relationType: 'CONNECT' },
    rationale: 'Both follow from what each transaction can see.',
  },
  {
    ...{ day: 12, by: 'reviewer', from: 'rowid', to: 'gaps', relationType: 'CONNECT' },
    rationale: 'The opposite problem: numbers that return, and numbers that are skipped.',
  },
  {
    ...{ day: 11, by: 'checker', from: 'pipefail', to: 'errexit', relationType: 'CONTRADICTS' },
    rationale: 'A failed command in a pipeline does not stop the script without pipefail.',
  },
  {
    ...{ day: 10, by: 'operator', from: 'etag', to: 'no-cache', relationType: 'CONNECT' },
    rationale: 'A revalidation compares ETags.',
  },
  {
    ...{ day: 8, by: 'reader', from: 'nulls', to: 'types', relationType: 'CONNECT' },
    rationale: 'Two constraints that are weaker than they look.',
  },
]
