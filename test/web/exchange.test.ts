import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Entry } from '../../src/contract/resources.ts'
import { REPLIES_SHOWN } from '../../src/memory/evidence/weights.ts'
import { proseOf } from '../support/judging.ts'
import { useJudgedPages, wordsOf } from './page-text.ts'

const { world, page } = useJudgedPages()

const WRONG = 'Wait 70 seconds before the second try.'
const RIGHT = 'Wait 7 seconds before the second try.'
const rest = proseOf(40)

/** The row of the evidence page of the only objection with a quote. */
const rowOf = async ({ slug }: Entry): Promise<string> =>
  /<li class="piece bad"(?:(?!<\/li>).)*<blockquote.*?<\/li>/s.exec(await page(`/entries/${slug}/evidence`))?.[0] ?? ''
const linksOf = (row: string): (string | undefined)[] =>
  [...row.matchAll(/\?objection=[^"]*">([^<]*)</g)].map(([, name]) => name)

/** An entry whose first sentence was contradicted and then corrected. */
async function corrected() {
  const [author, objector] = [await world.voice(undefined, 'Ada'), await world.voice(undefined, 'Otto')]
  const first = await world.publish(author, { content: `${WRONG} ${rest}` })
  const { contradiction } = await world.quote(objector, first, WRONG)
  const change = { content: `${RIGHT} ${rest}`, changeType: 'CORRECT', rationale: 'Seven, <b>measured</b>.' }
  return { author, objector, first, id: contradiction?.id ?? '', answer: await world.revise(author, first, change) }
}

test('an objection shows its answer, and what others said about it, in order of time', async () => {
  const { objector, answer } = await corrected()
  const answered = await rowOf(answer)
  assert.match(
    wordsOf(answered),
    /Answered by revision 2 of Ada &hellip;\w+, today, .* UTC Seven, &lt;b&gt;measured&lt;\/b&gt;\./,
  )
  assert.deepEqual(linksOf(answered), ['This answers it', 'Still wrong'])
  await world.verify(await world.voice(undefined, 'Eve'), answer)
  const addressed = await rowOf(answer)
  assert.match(wordsOf(addressed), /\(earlier, addressed\).*Answered by revision 2.*Confirmed by Eve .* Tried it\./)
  assert.deepEqual(linksOf(addressed), [])
  await world.contradict(await world.voice(undefined, 'Kay'), answer, 'Still too long.')
  const again = await rowOf(answer)
  assert.match(wordsOf(again), /Answered by.*Confirmed by Eve.*Objected again by Kay .* Still too long\./)
  assert.deepEqual(linksOf(again), ['Correct this sentence'])
  await world.verify(objector, answer)
  assert.match(wordsOf(await rowOf(answer)), /Objected again by Kay.*Withdrawn by Otto/)
})

test('the page of an entry shows the objection that was answered, and leads to the exchange', async () => {
  const { id, answer } = await corrected()
  const shown = await page(`/entries/${answer.slug}`)
  assert.match(shown, /Answered by revision 2<\/a>/)
  assert.match(shown, new RegExp(`href="/entries/${answer.slug}/evidence#evidence-${id}"`))
})

test('an objection shows a few replies, and leads to the others', async () => {
  const { answer } = await corrected()
  for (const voice of await world.voices(REPLIES_SHOWN + 1)) await world.verify(voice, answer)
  const row = await rowOf(answer)
  assert.equal(row.match(/Confirmed by/g)?.length, REPLIES_SHOWN - 1)
  assert.match(row, new RegExp(`/revisions/${answer.currentRevisionId}">2 later judgements of the answer</a>`))
})

test('an objection leads to a form that replies to it', async () => {
  const { id, first, answer } = await corrected()
  const at = (name: string): Promise<string> => page(`/entries/${answer.slug}/${name}?objection=${id}`)
  const fieldOf = (form: string, name: string): string =>
    new RegExp(`<textarea id="f-${name}"[^>]*>\n([^<]*)<`).exec(form)?.[1] ?? ''
  const accepted = await at('verify')
  assert.match(accepted, /value="SUPPORTED" checked/)
  assert.equal(fieldOf(accepted, 'rationale'), `Revision 2 answers the objection to “${WRONG}”.`)
  const wrong = await at('contradict')
  assert.match(wrong, /value="UNSUPPORTED" checked/)
  assert.equal(fieldOf(wrong, 'quote'), RIGHT, 'the sentence that replaced the quoted one')
  const correction = await at('revise')
  assert.match(correction, /value="CORRECT" checked/)
  assert.match(correction, new RegExp(`<blockquote data-quote dir="auto">${WRONG}<`))
  const other = await world.publish(await world.voice())
  for (const odd of [`/entries/${other.slug}/revise?objection=${id}`, `/entries/${first.slug}/verify?objection=x`])
    assert.doesNotMatch(await page(odd), /The objection/, odd)
})

test('the relation of an entry that contradicts another one shows its answer', async () => {
  const author = await world.voice()
  const entry = await world.publish(author)
  await world.object(await world.voice(), await world.publish(author), entry)
  await world.revise(author, entry, { content: proseOf(60, 70_000), changeType: 'CORRECT', rationale: 'Rewritten.' })
  const text = wordsOf(await page(`/entries/${entry.slug}/evidence`))
  assert.match(text, /by an entry: .*Answered by revision 2 of .* Rewritten\.This answers it · Still wrong/)
})
