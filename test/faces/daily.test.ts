import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Entry, PinsReport } from '../../src/contract/resources.ts'
import { shareApp } from '../support/app.ts'
import { call, expectStatus, newActor, newEntry, revisionOf } from '../support/client.ts'
import { moderate } from '../support/moderation.ts'
import { type DailyFace, openDailyAgent, openDailyShell, openDailyTools, type Pin } from './daily.ts'

const TOKENS = 2_000
const TOKEN_BYTES = 4
/** The maximum size of an answer about pins without its items, in bytes. */
const FRAME_BYTES = 1_024

const app = shareApp()

const judge = (token: string, entry: Entry, path: string, body: object): Promise<unknown> =>
  call(app.url, 'POST', `/api/entries/${entry.slug}/${path}`, {
    ...{ token, body: { revisionId: entry.currentRevisionId, ...body } },
  }).then(answer => expectStatus(answer, 201))

/** A dozen entries about one subject, the second disputed and the third confirmed. */
async function subjectOf(word: string): Promise<{ author: string; entries: Entry[]; pins: Pin[]; since: string }> {
  const { token: author } = await newActor(app.url)
  const { token: reader } = await newActor(app.url)
  const entries: Entry[] = []
  for (let n = 0; n < 12; n += 1) {
    const text = `The ${word} of kind ${n} leaks where its seal is dry. Grease the seal before winter.`
    entries.push(
      await newEntry(app.url, author, {
        title: `${word} leak, kind ${n}`,
        summary: `Why a ${word} leaks.`,
        content: text,
      }),
    )
  }
  const [, second, third] = entries as [Entry, Entry, Entry]
  await judge(reader, second, 'contradict', { rationale: 'It leaked after greasing too.' })
  const { token: other } = await newActor(app.url)
  await judge(other, second, 'verify', { result: 'SUPPORTED', confidence: 1, rationale: 'Greased it: dry.' })
  await judge(reader, third, 'verify', { result: 'SUPPORTED', confidence: 1, rationale: 'Two winters dry.' })
  const pins = entries.map(({ slug, currentRevisionId }) => ({ slug, revisionId: currentRevisionId }))
  const { sequence } = expectStatus(await call<PinsReport>(app.url, 'POST', '/api/pins/check', { body: { pins } }), 200)
  return { author, entries, pins, since: sequence }
}

const FACES: Record<string, (token: string) => Promise<DailyFace>> = {
  'an agent that knows only /llms.txt': token => openDailyAgent(app.url, token),
  'the tools at /mcp': token => openDailyTools(app.url, token),
  'the command line': () => openDailyShell(app.url),
}

for (const [name, open] of Object.entries(FACES)) {
  test(`daily questions cost few calls and few tokens: ${name}`, async t => {
    const word = name.replaceAll(/[^a-z]/g, '').slice(-9)
    const { author, entries, pins, since } = await subjectOf(word)
    const face = await open((await newActor(app.url)).token)
    t.after(() => face.close?.())
    await face.rely?.(pins)

    const learnt = await face.learn(`my ${word} leaks, is the seal dry`, TOKENS)
    t.diagnostic(`all about a subject: ${learnt.calls} call, ${learnt.bytes} bytes`)
    assert.equal(learnt.calls, 1)
    assert.ok(learnt.bytes <= TOKENS * TOKEN_BYTES, `${learnt.bytes} bytes`)
    for (const expected of ['DISPUTED', 'It leaked after greasing too.', 'SUPPORTED']) {
      assert.ok(learnt.text.includes(expected), `${expected} is not in ${learnt.text}`)
    }

    const [first, , third, fourth] = entries as [Entry, Entry, Entry, Entry]
    const revised = { ...revisionOf(first), content: `${first.content} Twice.`, rationale: 'Once is not enough.' }
    expectStatus(
      await call(app.url, 'POST', `/api/entries/${first.slug}/revisions`, { body: revised, token: author }),
      201,
    )
    await moderate(app.url, 'ENTRY', fourth.id, 'HIDE')
    const { token: reader } = await newActor(app.url)
    await judge(reader, third, 'contradict', { rationale: 'Not in the third winter.' })
    const changed = await face.changed(pins, since)
    t.diagnostic(`what changed in twelve pins: ${changed.calls} call, ${changed.bytes} bytes`)
    assert.equal(changed.calls, 1)
    for (const expected of ['REVISED', 'EVIDENCE', 'WITHDRAWN', 'Not in the third winter.']) {
      assert.ok(changed.text.includes(expected), `${expected} is not in ${changed.text}`)
    }
    const { items } = expectStatus(
      await call<PinsReport>(app.url, 'POST', '/api/pins/check', { body: { pins, since } }),
      200,
    )
    const most = Buffer.byteLength(JSON.stringify(items)) + FRAME_BYTES
    assert.ok(changed.bytes <= most, `${changed.bytes} bytes of at most ${most}`)

    const due = await face.check()
    t.diagnostic(`what to check: ${due.calls} call, ${due.bytes} bytes`)
    assert.equal(due.calls, 1)
    assert.ok(due.text.includes(third.slug), `${third.slug} is not in ${due.text}`)

    const { slug, currentRevisionId } = await newEntry(app.url, author, { title: `${word} seal` })
    const used = [...pins.filter(pin => pin.slug !== fourth.slug), { slug, revisionId: currentRevisionId }]
    const held = await face.confirm(used)
    t.diagnostic(`${used.length} verifications: ${held.calls} calls`)
    assert.ok(held.calls <= 2)
  })
}
