import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { GENERAL_PROBLEMS } from '../../src/contract/general-problems.ts'
import { PROBLEMS } from '../../src/contract/problems.ts'
import { MODERATION_ACTIONS, TARGET_TYPES } from '../../src/contract/vocabulary.ts'
import { ADMIN_TOKEN, useApp } from '../support/app.ts'
import { call, expectStatus, newActor, newEntry, revisionOf } from '../support/client.ts'
import { moderate, snapshot, tryModerate } from '../support/moderation.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const BROWSER = join(ROOT, 'src', 'web', 'browser')
const load = <T>(name: string): Promise<T> => import(join(BROWSER, name)) as Promise<T>
const HOSTILE = '\n\n</textarea><script>alert(1)</script>"\'&amp;<b>\u202e'

let token = ''
const app = useApp({}, async () => {
  token = (await newActor(app.url)).token
})

const page = (path: string, headers: Record<string, string> = {}) =>
  call(app.url, 'GET', path, { headers: { accept: 'text/html', ...headers } })
const html = async (path: string): Promise<string> => {
  const answer = await page(path)
  expectStatus(answer, 200)
  return answer.text
}
/** The addresses that a browser resolves from a page's references. */
const unescaped = (text: string): string =>
  text.replace(/&(?:amp|lt|gt|quot|#39);/g, found => UNESCAPED[found] ?? found)
const UNESCAPED: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" }

test('the form of a revision names its sources by their titles', async () => {
  const source = await newEntry(app.url, token, { title: 'Where the tides come from' })
  const sources = [{ entryId: source.id, revisionId: source.currentRevisionId }]
  const { slug } = await newEntry(app.url, token, { sources })
  const text = await html(`/entries/${slug}/revise`)
  assert.match(text, new RegExp(`data-entry="${source.id}"[^>]*><a [^>]*>Where the tides come from</a>`))
})

test('the form of a revision contains the texts of the latest one byte for byte, and names it', async () => {
  const first = await newEntry(app.url, token, { title: 'Bytes', content: 'first' })
  const body = revisionOf(first, { title: '<i>T</i>', summary: '  S  ', content: HOSTILE, sources: [] })
  const path = `/api/entries/${first.slug}/revisions`
  const entry = expectStatus(await call<typeof first>(app.url, 'POST', path, { body, token }), 201)
  const text = await html(`/entries/${first.slug}/revise`)
  const [, content = ''] = /<textarea id="f-content"[^>]*>\n([\s\S]*?)<\/textarea>/.exec(text) ?? []
  assert.equal(unescaped(content), HOSTILE)
  assert.ok(text.includes(`name="previousRevisionId" value="${entry.currentRevisionId}"`))
  assert.ok(text.includes('value="&lt;i&gt;T&lt;/i&gt;"'))
})

test('pages about a missing or withdrawn entry say so, with the status of the API', async () => {
  const entry = await newEntry(app.url, token)
  const other = await newEntry(app.url, token)
  for (const name of ['revise', 'verify', 'contradict', 'relate', 'report']) {
    assert.equal((await page(`/entries/nowhere/${name}`)).status, 404)
  }
  assert.equal((await page(`/entries/${entry.slug}/verify?revision=${other.currentRevisionId}`)).status, 404)
  assert.equal((await page(`/entries/${entry.slug}/verify?revision=x`)).status, 404)
  await moderate(app.url, 'ENTRY', entry.id, 'HIDE')
  assert.equal((await page(`/entries/${entry.slug}/revise`)).status, 410)
})

test('the page of the console contains no data of the administrator', async () => {
  const anonymous = await page('/admin')
  const bearer = await page('/admin', { authorization: `Bearer ${ADMIN_TOKEN}` })
  assert.equal(anonymous.text, bearer.text)
  assert.equal(anonymous.text.includes(ADMIN_TOKEN), false)
})

test('every kind of failure has a sentence for people', async () => {
  type Messages = { MESSAGES: Record<string, string>; messageOf(code: string): string }
  const { MESSAGES, messageOf } = await load<Messages>('api.js')
  const general = [...Object.keys(GENERAL_PROBLEMS), 'NO_ANSWER', 'INVALID_TAGS']
  assert.deepEqual(Object.keys(MESSAGES).sort(), general.sort())
  for (const code of Object.keys(PROBLEMS)) assert.match(messageOf(code), /^[A-Z](?!.* with the code ).*\.$/, code)
  assert.match(messageOf('INVALID_DECLARED_NAME'), /“declared name”/)
})

test('a write that is repeated after a missing answer is stored once; the same write after an answer is stored again', async t => {
  type Call = (
    method: string,
    path: string,
    options: object,
  ) => Promise<{ ok: boolean; code?: string; body: { slug: string } }>
  const { call: send } = await load<{ call: Call }>('api.js')
  const { fetch: real } = globalThis
  let losses = 1
  globalThis.fetch = async (...given) => {
    const answer = await real(...given)
    if (losses-- > 0) throw new TypeError('the connection was reset')
    return answer
  }
  t.after(() => {
    globalThis.fetch = real
  })
  const publish = (title: string) =>
    send('POST', `${app.url}/api/entries`, { token, body: { title, content: 'C', summary: 'S' } })
  assert.equal((await publish('Sent twice')).code, 'NO_ANSWER')
  const { body } = await publish('Sent twice')
  assert.equal(body.slug, 'sent-twice')
  assert.notEqual((await publish('Sent twice')).body.slug, body.slug)
  losses = 1
  assert.equal((await publish('Given up')).code, 'NO_ANSWER')
  assert.equal((await publish('Other')).body.slug, 'other')
  assert.notEqual((await publish('Given up')).body.slug, 'given-up')
})

test('the console offers exactly the actions that apply to a target', async () => {
  type Consequences = Record<string, Record<string, string>>
  const { CONSEQUENCES } = await load<{ CONSEQUENCES: Consequences }>('consequences.js')
  const { actor } = await newActor(app.url)
  const entry = await newEntry(app.url, token)
  const originId = (await snapshot(app.url)).entries[0]?.originId ?? ''
  const targets = { ENTRY: entry.id, ACTOR: actor.id, ORIGIN: originId, RECORD: '1' }
  for (const type of TARGET_TYPES) {
    const applicable: string[] = []
    // In the order of the table: each action is undone by the next.
    for (const action of MODERATION_ACTIONS) {
      const { status, text } = await tryModerate(app.url, type, targets[type], action)
      assert.ok(status === 200 || text.includes('ACTION_NOT_APPLICABLE'), `${type} ${action} ${text}`)
      if (status === 200) applicable.push(action)
    }
    assert.deepEqual(Object.keys(CONSEQUENCES[type] ?? {}).sort(), applicable.sort(), type)
  }
})

test('many actions wait for the limit and continue, stop at another refusal, and are undone to their previous states', async t => {
  type Result = { targetId: string; previousState: object; state: object; changed: boolean }
  type Many = {
    perform(
      actions: object[],
      bearer: () => string | undefined,
      progress: (done: number, wait: number) => void,
      second: number,
    ): Promise<{ results: Result[]; refused?: { code: string } }>
    undoing(results: Result[]): { targetId: string; action: string; reason: string }[]
  }
  const { perform, undoing } = await load<Many>('admin-many.js')
  const [one, two] = [await newEntry(app.url, token), await newEntry(app.url, token)]
  await moderate(app.url, 'ENTRY', two.id, 'HIDE')
  const { fetch: real } = globalThis
  t.after(() => {
    globalThis.fetch = real
  })
  let refusals = 1
  const limited = () =>
    Response.json({ error: { code: 'RATE_LIMITED', requestId: '' } }, { status: 429, headers: { 'retry-after': '2' } })
  globalThis.fetch = (path, given) =>
    refusals-- > 0 ? Promise.resolve(limited()) : real(new URL(String(path), app.url), given)
  const on = (id: string) => ({ targetType: 'ENTRY', targetId: id, action: 'QUARANTINE', reason: 'Why' })
  const reported: [number, number][] = []
  const run = (ids: string[]) =>
    perform(
      ids.map(on),
      () => ADMIN_TOKEN,
      (...now) => reported.push(now),
      1,
    )
  const { results } = await run([one.id, two.id])
  assert.deepEqual(reported, [
    [0, 0],
    [0, 2],
    [0, 1],
    [0, 0],
    [1, 0],
  ])
  const steps = undoing(results.toReversed())
  assert.deepEqual(
    steps.map(({ targetId, action, reason }) => [targetId, action, reason]),
    [
      [two.id, 'RESTORE', 'Undone: Why'],
      [two.id, 'HIDE', 'Undone: Why'],
      [one.id, 'RESTORE', 'Undone: Why'],
    ],
  )
  const undone = await perform(
    steps,
    () => ADMIN_TOKEN,
    () => {},
    1,
  )
  assert.deepEqual(undone.results.at(-1)?.state, results[0]?.previousState)
  assert.deepEqual(undone.results.at(1)?.state, results[1]?.previousState)
  const ended = await run([one.id, 'nothing-here', two.id])
  assert.deepEqual([ended.results.length, ended.refused?.code], [1, 'TARGET_NOT_FOUND'])
})

test('addresses of entries and revisions are found in any pasted text', async () => {
  type Parse = (text: string) => { entry: string; revision?: string } | undefined
  const { parseAddress } = await load<{ parseAddress: Parse }>('entry-picker.js')
  const id = '019a9b1c-1f20-7b21-9c4d-3c9b62e1d002'
  for (const [text, read] of [
    ['water', { entry: 'water' }],
    [` ${id} `, { entry: id }],
    ['https://example.org/entries/water?x=1#y', { entry: 'water' }],
    ['/entries/water.md', { entry: 'water' }],
    [`/api/entries/water/revisions/${id}`, { entry: 'water', revision: id }],
    [`http://127.0.0.1:8080/entries/water/revisions/${id}.json`, { entry: 'water', revision: id }],
    ['/entries/water/revisions/odd', { entry: 'water' }],
    ['javascript:alert(1)', undefined],
    ['../../admin', undefined],
    ['/entries/%2e%2e%2fadmin', undefined],
    ['/entries/%zz', undefined],
    ['', undefined],
  ] as const) {
    assert.deepEqual(parseAddress(text), read, text)
  }
})

test('the modules of the browser agree with their types', () => {
  const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc')
  execFileSync(process.execPath, [compiler, '-p', BROWSER], { cwd: ROOT, encoding: 'utf8', stdio: 'pipe' })
})

test('the form of a contradiction has the quote that its address names, and every sentence as a link', async () => {
  const { token } = await newActor(app.url)
  const entry = await newEntry(app.url, token, { content: 'Use **two** [tea spoons](/x).\n\nWait 0 s & dry <it>.' })
  const quoteOf = async (quote: string): Promise<string> => {
    const query = new URLSearchParams({ revision: entry.currentRevisionId, quote })
    const { text } = await call(app.url, 'GET', `/entries/${entry.slug}/contradict?${query}`)
    return /<textarea id="f-quote"[^>]*>\n([^<]*)</.exec(text)?.[1] ?? text
  }
  assert.equal(await quoteOf(''), '')
  assert.equal(await quoteOf('Wait 0 s'), 'Wait 0 s')
  assert.equal(await quoteOf('two tea spoons.'), 'Use **two** [tea spoons](/x).')
  assert.equal(await quoteOf('not in the text'), 'not in the text')
  assert.equal([...(await quoteOf('a'.repeat(600)))].length, 500)
  const { text } = await call(app.url, 'GET', `/entries/${entry.slug}/contradict`)
  assert.match(
    text,
    /<li dir="auto"><a href="\/entries\/[^"?]*\/contradict\?revision=[^"]*quote=Wait\+0\+s\+%26\+dry\+%3Cit%3E\.">Wait 0 s &amp; dry &lt;it&gt;\.<\/a>/,
  )
})
