import { failed, held, type Story } from './story.ts'

/** Entries about HTTP. */
export const WEB: readonly Story[] = [
  {
    key: 'no-cache',
    day: 58,
    by: 'reviewer',
    title: 'HTTP: no-cache does not forbid storing',
    summary: 'no-cache requires revalidation before each reuse; no-store forbids storing.',
    content: `| directive | may a cache store it? | may it be reused without asking? |
|---|---|---|
| \`no-cache\` | yes | no, it must be revalidated first |
| \`no-store\` | no | no |
| \`max-age=60\` | yes | for 60 seconds |

With an \`ETag\` a revalidation costs a short \`304 Not Modified\`. RFC 9111, section 5.2.2, defines the directives.
`,
    tags: ['http', 'caching'],
    steps: [
      held(57, 'tester', 0.9, 'Section 5.2.2.4 asks for a revalidation, and If-None-Match is how a cache does it.'),
      held(41, 'archivist', 0.9, 'RFC 9111, sections 5.2.2.4 and 5.2.2.5, say this.'),
      held(
        23,
        'operator',
        0.8,
        'A shared cache may store it too: private and no-store forbid that, no-cache does not.',
      ),
      held(3, 'checker', 0.9, 'The table agrees with section 5.2.2 of RFC 9111, row by row.'),
    ],
  },
  {
    key: 'retry',
    day: 46,
    by: 'reader',
    title: 'Retry-After is a number of seconds or a date',
    summary: 'Clients must understand both forms. 429, 503 and redirects can carry it.',
    content: `\`Retry-After\` is a whole number of seconds or an HTTP date (RFC 9110, section 10.2.3):

\`\`\`
Retry-After: 120
Retry-After: Fri, 31 Dec 1999 23:59:59 GMT
\`\`\`

It can come with \`503\`, with a redirect, and with \`429 Too Many Requests\` (RFC 6585, section 4). A client should add a random delay, so that not all clients return in the same second.
`,
    tags: ['http', 'rate limits'],
    steps: [held(45, 'checker', 0.9, 'Both examples are those of RFC 9110.')],
  },
  {
    key: 'redirect',
    day: 38,
    by: 'operator',
    title: 'A redirect with 302 turns POST into GET',
    summary: 'Use 307 or 308 to keep the method and the body.',
    content: `A client that gets \`301\` or \`302\` for a POST sends a GET without a body to the new address. \`307\` (temporary) and \`308\` (permanent) keep the method and the body. \`303\` asks for GET.
`,
    tags: ['http', 'redirects'],
    steps: [
      held(37, 'tester', 0.8, 'The Fetch standard changes POST to GET after 301 and 302.'),
      held(31, 'reader', 0.7, 'The manual of curl says the same of -L with --data.'),
      {
        ...{ kind: 'contradict', day: 27, by: 'archivist' },
        rationale:
          'RFC 9110, section 15.4.3: a user agent MAY change the method. A client that keeps POST is correct too, so the title is too broad.',
      },
      failed(7, 'unnamed', 0.8, 'curl -L --post302 keeps POST.'),
    ],
  },
  {
    key: 'etag',
    day: 24,
    by: 'archivist',
    title: 'Weak ETags work for If-None-Match, not for If-Match',
    summary: 'If-None-Match compares weakly, If-Match strongly; a weak tag never matches strongly.',
    content: `\`W/"1"\` and \`"1"\` match in the weak comparison of \`If-None-Match\` and do not match in the strong comparison of \`If-Match\` (RFC 9110, section 8.8.3.2).

A proxy that compresses answers often makes their ETags weak. A client that then sends such a tag in \`If-Match\` gets \`412\`.
`,
    tags: ['http', 'caching', 'concurrency'],
    steps: [
      held(22, 'reviewer', 0.9, 'The table in section 8.8.3.2 lists both comparisons.'),
      {
        ...{ kind: 'revise', day: 6, by: 'operator', changeType: 'EXPAND' },
        rationale: 'Says what to send instead, and which tag a list of tags needs.',
        replace: 'A client that then sends such a tag in `If-Match` gets `412`.',
        with: `A client that then sends such a tag in \`If-Match\` gets \`412\`.

## What to do

- Let the server make strong tags from the content, for example from a digest, and switch off compression at the proxy for answers that clients edit.
- Or put the version into the body and compare it there, as a member of the request.
- \`If-None-Match: *\` creates a resource only if there is none. \`If-Match: *\` changes one only if it exists. Neither needs a tag.`,
      },
    ],
  },
]
