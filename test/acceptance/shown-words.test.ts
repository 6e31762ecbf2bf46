import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Entry, Standing } from '../../src/contract/resources.ts'
import { useApp } from '../support/app.ts'
import { call, callPatiently, expectStatus, newActor, newEntry } from '../support/client.ts'

const app = useApp()

const TITLE = 'Green tea water'
const SUMMARY = 'Heat water to eighty degrees only.'
const WORDS =
  'Water should be heated to eighty degrees before the leaves of green tea are steeped for two minutes in a small warmed pot with a lid on it because boiling water makes catechins leave quickly and the cup becomes bitter.'
const EVIL = 'Pour boiling bleach over the leaves and drink it at once while it is hot.'

async function judged(path: 'verify' | 'contradict', content = WORDS): Promise<Entry> {
  const [author, judge] = [await newActor(app.url), await newActor(app.url)]
  const entry = await newEntry(app.url, author.token, { title: TITLE, summary: SUMMARY, content })
  const body = {
    revisionId: entry.currentRevisionId,
    rationale: 'Tried with a thermometer.',
    ...(path === 'verify' ? { result: 'SUPPORTED', confidence: 0.9 } : {}),
  }
  const { token } = judge
  expectStatus(await callPatiently(app.url, 'POST', `/api/entries/${entry.slug}/${path}`, { token, body }), 201)
  return entry
}

async function standingAfter(entry: Entry, content: string, changeType: string): Promise<Standing> {
  const { token } = await newActor(app.url)
  const previousRevisionId = entry.currentRevisionId
  const body = { previousRevisionId, title: TITLE, summary: SUMMARY, content, changeType, rationale: 'Clearer.' }
  expectStatus(await call(app.url, 'POST', `/api/entries/${entry.slug}/revisions`, { token, body }), 201)
  return expectStatus(await call<Standing>(app.url, 'GET', `/api/entries/${entry.slug}/standing`), 200)
}

test('a judged text that the page does not show supports nothing', async () => {
  for (const content of [
    `${EVIL}\n\n[//]: # "${WORDS}"`,
    `${EVIL}\n\n[//]: # (${WORDS})`,
    `${EVIL} [.](https://e.example "${WORDS}")`,
    `${EVIL} [.](https://e.example/${WORDS.replaceAll(' ', '/')})`,
    `${EVIL}\n\n\`\`\`${WORDS}\n\`\`\``,
    `| tea |\n|---|\n| ${EVIL} | ${WORDS} |`,
    `${EVIL} [.][${WORDS}]\n\n[${WORDS}]: https://e.example`,
    `~~${WORDS}~~ ${EVIL}`,
  ]) {
    const { state, kept } = await standingAfter(await judged('verify'), content, 'EXPAND')
    assert.deepEqual([state, (kept ?? 0) < 0.5], ['UNCHECKED', true], `${kept}: ${content}`)
  }
})

test('a contradiction stands while the page shows the same words', async () => {
  const words = WORDS.split(' ')
  for (const content of [
    words.map(word => `&#${word.charCodeAt(0)};${word.slice(1)}`).join(' '),
    words.map(word => `&#x${word.charCodeAt(0).toString(16)};${word.slice(1)}`).join(' '),
    words.map(word => `${word[0]}\u200a${word.slice(1)}`).join(' '),
    words.join('\u2009'),
    WORDS.replaceAll('a', '\u0251').replaceAll('g', '\u0261'),
    WORDS.replaceAll('o', '\u0585'),
    WORDS.replaceAll('H', '\u0397').replaceAll('e', '\u0435').replaceAll('s', '\ua731'),
    words.map(word => `${word[0]}**${word.slice(1)}**`).join(' '),
    words.map(word => `[${word}](https://e.example/other/words "and others")`).join(' '),
    `# ${words.slice(0, 9).join(' ')}\n\n1. ${words.slice(9, 20).join(' ')}\n2. \`${words.slice(20).join(' ')}\``,
  ]) {
    const { state, kept, contradictions } = await standingAfter(await judged('contradict'), content, 'CORRECT')
    assert.deepEqual([state, contradictions[0]?.status], ['CONTRADICTED', 'STANDING'], `${kept}: ${content}`)
  }
})

test('reversed operators make another text', async () => {
  const entry = await judged('verify', 'Run chmod +x deploy.sh and then test 5 > 3 && a != b in the loop.')
  const reversed = 'Run chmod -x deploy.sh and then test 5 < 3 || a == b in the loop.'
  const { state, kept } = await standingAfter(entry, reversed, 'EXPAND')
  assert.deepEqual([state, (kept ?? 1) < 0.9], ['UNCHECKED', true], `${kept}`)
})

test('words that move from the summary into a hidden part of the content are gone', async () => {
  const [author, judge] = [await newActor(app.url), await newActor(app.url)]
  const post = async <T>(token: string, path: string, body: object): Promise<T> =>
    expectStatus(await callPatiently<T>(app.url, 'POST', path, { token, body }), 201)
  const definition = `\n[water]: /water "${WORDS}"\n`
  const shown = { title: TITLE, summary: `${SUMMARY}\n${definition}`, content: EVIL }
  const entry = await post<Entry>(author.token, '/api/entries', shown)
  const at = `/api/entries/${entry.slug}`
  const verdict = { revisionId: entry.currentRevisionId, result: 'SUPPORTED', confidence: 1, rationale: 'Tried.' }
  await post(judge.token, `${at}/verify`, verdict)
  await post(author.token, `${at}/revisions`, {
    ...{ title: TITLE, summary: SUMMARY, content: `${definition}\n${EVIL}` },
    ...{ previousRevisionId: entry.currentRevisionId, changeType: 'EXPAND', rationale: 'Shorter.' },
  })
  const { state, kept } = expectStatus(await call<Standing>(app.url, 'GET', `${at}/standing`), 200)
  assert.deepEqual([state, (kept ?? 1) < 0.9], ['UNCHECKED', true], `${kept}`)
})
