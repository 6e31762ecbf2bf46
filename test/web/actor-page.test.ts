import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Entry } from '../../src/contract/resources.ts'
import { useApp } from '../support/app.ts'
import { call, expectStatus, newActor, newEntry, revisionOf } from '../support/client.ts'
import { moderate } from '../support/moderation.ts'

let entry: Entry
let author: { actor: { id: string }; token: string }
const app = useApp({}, async () => {
  author = await newActor(app.url, { declaredName: 'Ada <b>', declaredModel: 'a model' })
  entry = await newEntry(app.url, author.token, { title: 'Hedgehogs' })
  const other = await newActor(app.url, { declaredName: 'Other' })
  const about = { revisionId: entry.currentRevisionId, rationale: 'Tried.' }
  const body = { ...about, result: 'SUPPORTED', confidence: 1 }
  expectStatus(await call(app.url, 'POST', `/api/entries/${entry.slug}/verify`, { token: other.token, body }), 201)
})

const textOf = async (path: string, status = 200): Promise<string> => {
  const answer = await call(app.url, 'GET', path, { headers: { accept: 'text/html' } })
  assert.equal(answer.status, status, path)
  return answer.text
}

test('the page of an actor shows its declared identity, contributions and outcomes', async () => {
  const text = await textOf(`/actors/${author.actor.id}`)
  assert.match(text, /<h1><bdi>Ada &lt;b&gt;<\/bdi><\/h1>/)
  assert.match(text, /Self-declared, unverified/)
  assert.match(text, /Model: <bdi>a model<\/bdi>/)
  assert.match(text, /<dt>Confirmed<\/dt><dd><strong>1<\/strong>/)
  assert.match(text, new RegExp(`published</span> <a href="/entries/${entry.slug}">`))
  assert.match(text, /<meta name="robots" content="noindex">/)
})

test('the page of an actor lists the reviews of its entries by others, the latest event first', async () => {
  const writer = await newActor(app.url)
  const other = await newActor(app.url)
  const [quiet, judged, revised] = [
    await newEntry(app.url, writer.token, { title: 'Nothing happened to moles' }),
    await newEntry(app.url, writer.token, { title: 'Moles are <i>blind</i>' }),
    await newEntry(app.url, writer.token, { title: 'Shrews sleep in winter' }),
  ]
  const about = { revisionId: judged.currentRevisionId, rationale: 'They see light.' }
  expectStatus(
    await call(app.url, 'POST', `/api/entries/${judged.slug}/contradict`, { token: other.token, body: about }),
    201,
  )
  app.advance(1_000)
  const body = revisionOf(revised, { changeType: 'CORRECT', content: 'They do not.' })
  expectStatus(await call(app.url, 'POST', `/api/entries/${revised.slug}/revisions`, { token: other.token, body }), 201)
  const text = await textOf(`/actors/${writer.actor.id}`)
  const [, fates = ''] = /<ul class="rows">(.*?)<\/ul>/s.exec(text) ?? []
  const rows = fates.split('<li>').slice(1)
  assert.equal(rows.length, 2, fates)
  assert.match(rows[0] ?? '', /Shrews sleep.*Corrected<.*\/history">revision 1 of 2</s)
  assert.match(
    rows[1] ?? '',
    />Contradicted<.*0 of 1 .*say it holds.*Moles are &lt;i&gt;blind.*>Contradicted<.*still the current text/s,
  )
  assert.doesNotMatch(fates, new RegExp(quiet.slug))
  assert.doesNotMatch(await textOf(`/actors/${other.actor.id}`), /Reviews by others/)
})

test('every name of an actor on a page is a link to its page', async () => {
  const link = new RegExp(`<a href="/actors/${author.actor.id}">(?:<bdi>)?Ada &lt;b&gt;`)
  const revision = `/entries/${entry.slug}/revisions/${entry.currentRevisionId}`
  for (const path of [
    '/',
    '/search',
    '/activity',
    `/entries/${entry.slug}`,
    `/entries/${entry.slug}/history`,
    revision,
  ])
    assert.match(await textOf(path), link, path)
  assert.match(await textOf(`/entries/${entry.slug}/evidence`), /<a href="\/actors\/[0-9a-f-]{36}"><bdi>Other/)
})

test('the page of an actor is at its id in lower case, and missing for an unknown id', async () => {
  const address = `${app.url}/actors/${author.actor.id.toUpperCase()}`
  const { status, headers } = await fetch(address, { redirect: 'manual', headers: { accept: 'text/html' } })
  assert.deepEqual([status, headers.get('location')], [302, `/actors/${author.actor.id}`])
  assert.match(await textOf('/actors/019e0000-0000-7000-8000-000000000000', 404), /Actor not found/)
})

test('the page of a hidden actor has no name, and the page of a quarantined actor no contributions', async () => {
  await moderate(app.url, 'ACTOR', author.actor.id, 'HIDE')
  const hidden = await textOf(`/actors/${author.actor.id}`)
  assert.match(hidden, /<h1>an unnamed actor<\/h1>/i)
  assert.doesNotMatch(hidden, /Ada|a model/)
  await moderate(app.url, 'ACTOR', author.actor.id, 'RESTORE', 'QUARANTINE')
  const quarantined = await textOf(`/actors/${author.actor.id}`)
  assert.doesNotMatch(quarantined, /Ada|Hedgehogs/)
  assert.match(quarantined, /no public contributions/)
  await moderate(app.url, 'ACTOR', author.actor.id, 'RESTORE')
})
