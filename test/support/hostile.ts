import type { Entry } from '../../src/contract/resources.ts'
import { call, expectStatus, newActor, newEntry } from './client.ts'
import type { SeededPages } from './page-table.ts'

/** A host that must get no request. */
export const ELSEWHERE = 'elsewhere.example'

/** Characters that are invisible, change the direction of text, or control a terminal. */
export const UNSEEN =
  '\u202eesrever\u202c \u2066isolate\u2069 zero\u200bwidth\u2060\ufeff \u001b[31mred\u001b[0m \u009b2J \u0007 \u{e0041}\u{e0042}\u{1bca0}\u{1d173}\u180b\u2800\ufffc'
/** Every character of `UNSEEN` that must not occur unescaped. */
export const UNSEEN_CHARACTERS =
  /\u034f|\u17b4|[\u0007\u001b\u009b\u200b\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e0fff}\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u2800\ufffc]|[\u180b-\u180f]/u

/** Markup that would have an effect wherever it occurs unescaped: in text, attributes, titles, scripts, comments, XML and templates. */
export const MARKUP = [
  '<script>globalThis.struck=1</script>',
  `"><img src=//${ELSEWHERE}/a.png onerror=globalThis.struck=1>`,
  `' autofocus onfocus='globalThis.struck=1`,
  '</title></textarea></style></script><script>globalThis.struck=1</script>',
  '--><svg/onload=globalThis.struck=1>',
  ']]><b:script xmlns:b="http://www.w3.org/1999/xhtml">globalThis.struck=1</b:script>',
  '&lt;script&gt; &#60;b&#62; {{globalThis.struck=1}}',
].join(' ')

/** Content with every hostile feature of Markdown. */
export const CONTENT = `# Head ${UNSEEN}

${MARKUP}

<iframe src="//${ELSEWHERE}/frame"></iframe> <a href="javascript:globalThis.struck=1">raw</a> <base href="//${ELSEWHERE}/"> <meta http-equiv="refresh" content="0;url=//${ELSEWHERE}/">

[script](javascript:globalThis.struck=1) [case](JaVaScRiPt:globalThis.struck=1) [entity](&#106;avascript:globalThis.struck=1)
[tab](java&#9;script:globalThis.struck=1) [vb](vbscript:struck) [data](data:text/html,<script>globalThis.struck=1</script>)
[file](file:///etc/passwd) [blob](blob:x) [reference][bad] <javascript:globalThis.struck=1> [quote](https://${ELSEWHERE}/"onmouseover="globalThis.struck=1)
[away](https://${ELSEWHERE}/page) [slashes](//${ELSEWHERE}/page) [user](https://good.example@${ELSEWHERE}/)

![remote](https://${ELSEWHERE}/pixel.png) ![data](data:image/svg+xml,<svg/onload=globalThis.struck=1>) ![script](javascript:globalThis.struck=1)
[![nested](https://${ELSEWHERE}/nested.png)](https://${ELSEWHERE}/)

[bad]: javascript:globalThis.struck=1 "title"

\`\`\`js "onload=globalThis.struck=1
${MARKUP}
${UNSEEN}
\`\`\`

| ${UNSEEN} | <script>globalThis.struck=1</script> |
|---|---|
| <img src=x onerror=globalThis.struck=1> | [x](javascript:globalThis.struck=1) |
`

/** Cuts a hostile text to the maximum length of a field. */
const short = (text: string, characters: number): string => [...text].slice(0, characters).join('').toWellFormed()

/** Publishes hostile texts in every text field, by actors with hostile names. Returns the records that contain them. */
export async function seedHostile(base: string): Promise<SeededPages> {
  const { token } = await newActor(base, {
    declaredName: short(`${UNSEEN}<script>struck=1</script>`, 100),
    declaredModel: short(`"><img src=x onerror=struck=1>${UNSEEN}`, 100),
    declaredProvider: short(`' onfocus='struck=1${UNSEEN}`, 100),
  })
  const post = async <T>(path: string, body: unknown): Promise<T> =>
    expectStatus(await call<T>(base, 'POST', path, { token, body }), 201)
  const texts = {
    title: short(`<script>globalThis.struck=1</script>"'> ${UNSEEN} struck`, 180),
    summary: short(`${UNSEEN} ${MARKUP}`, 500),
    content: CONTENT,
  }
  // Tags accept letters, marks and numbers, so invisible marks are the only hostile characters that they accept.
  const tags = ['tag\u034f\u17b4', 'javascript', 'tag']
  const other = await newEntry(base, token, { ...texts, tags, title: `${UNSEEN} other` })
  const begun = await newEntry(base, token, { ...texts, tags })
  const sources = [{ entryId: other.id, revisionId: other.currentRevisionId }]
  const rationale = short(`${UNSEEN} ${MARKUP}`, 1_000)
  const { id, slug } = begun
  const change = { previousRevisionId: begun.currentRevisionId, changeType: 'CORRECT', rationale, sources }
  const entry = await post<Entry>(`/api/entries/${slug}/revisions`, {
    ...texts,
    ...change,
    content: `${UNSEEN}${CONTENT}`,
  })
  const about = { revisionId: entry.currentRevisionId, rationale }
  await post(`/api/entries/${slug}/verify`, { ...about, result: 'UNSUPPORTED', confidence: 1 })
  await post(`/api/entries/${slug}/contradict`, { ...about, sourceEntryId: other.id })
  await post('/api/relations', { sourceEntryId: id, targetEntryId: other.id, relationType: 'CONTRADICTS', rationale })
  return { entry, first: { id: begun.currentRevisionId }, other, tokens: [token] }
}

/** Addresses of searches for hostile words. */
export const HOSTILE_QUERIES: readonly string[] = [
  `/search?q=${encodeURIComponent(short(MARKUP, 200))}`,
  `/search?q=${encodeURIComponent(UNSEEN)}&tag=${encodeURIComponent('"><script>1')}`,
  `/search?q=struck&sort=recent&utm="><script>globalThis.struck=1</script>`,
]
