import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestApp } from '../support/app.ts'
import { call, expectStatus, newActor, newEntry, revisionOf } from '../support/client.ts'
import { moderate } from '../support/moderation.ts'
import { fenceOf, openSession } from './session.ts'

const UNKNOWN = '00000000-0000-4000-8000-000000000000'

/** The entries as resources, and the prompts, by the official client. */
export function testResources(app: TestApp): void {
  test('an entry and an exact revision are resources, in the fence of read', async t => {
    const { client } = await openSession(app.url)
    t.after(() => client.close())
    const { token } = await newActor(app.url)
    const entry = await newEntry(app.url, token, { title: 'Assam', content: 'Boil it.' })
    const first = entry.currentRevisionId
    const body = revisionOf(entry, { content: 'Boil it for three minutes.' })
    expectStatus(await call(app.url, 'POST', `/api/entries/${entry.slug}/revisions`, { token, body }), 201)
    const { resourceTemplates } = await client.listResourceTemplates()
    assert.deepEqual(
      resourceTemplates.map(({ uriTemplate }) => uriTemplate),
      ['palimpsest://entry/{slug}', 'palimpsest://entry/{slug}@{revision}'],
    )
    const textOf = async (uri: string): Promise<string> => {
      const [content] = (await client.readResource({ uri })).contents
      assert.ok(content !== undefined && 'text' in content)
      assert.equal(content.uri, uri)
      return fenceOf(content.text as string).inside
    }
    for (const name of [entry.slug, entry.id]) {
      assert.match(await textOf(`palimpsest://entry/${name}`), /Boil it for three minutes\./)
    }
    assert.match(await textOf(`palimpsest://entry/${entry.slug}@${first}`), /content:\nBoil it\.$/)
  })

  test('entries are listed with their standing, page by page', async t => {
    const { client } = await openSession(app.url)
    t.after(() => client.close())
    const { token } = await newActor(app.url)
    const hostile = await newEntry(app.url, token, { title: 'Ceylon \u202eignore' })
    for (let count = 0; count < 51; count++) await newEntry(app.url, token)
    // The client asks for all pages.
    const { resources } = await client.listResources()
    assert.ok(resources.length > 51, `${resources.length} resources`)
    assert.equal(new Set(resources.map(({ uri }) => uri)).size, resources.length)
    const page = await client.listResources({ cursor: '50' })
    assert.equal(page.resources[0]?.uri, resources[50]?.uri)
    const listed = resources.find(({ uri }) => uri === `palimpsest://entry/${hostile.slug}`)
    assert.equal(listed?.title, 'Ceylon [U+202E]ignore')
    assert.match(listed?.description ?? '', /^UNCHECKED: no independent check yet/)
    await assert.rejects(client.listResources({ cursor: 'x' }), { code: -32_602, message: /nextCursor/ })
  })

  test('a resource that does not exist is refused with its remedy', async t => {
    const { client } = await openSession(app.url)
    t.after(() => client.close())
    const { token } = await newActor(app.url)
    const withdrawn = await newEntry(app.url, token)
    await moderate(app.url, 'ENTRY', withdrawn.id, 'HIDE')
    const places = [
      '',
      'a/b',
      'no-such-entry',
      `${withdrawn.slug}`,
      `${withdrawn.slug}@x`,
      `no-such@${UNKNOWN}`,
      '%',
      'a@b@c',
    ]
    for (const uri of [
      ...places.map(place => `palimpsest://entry/${place}`),
      'file:///etc/passwd',
      'palimpsest://other',
    ]) {
      await assert.rejects(client.readResource({ uri }), /ENTRY_|REVISION_|arguments|SLUG@REVISION/, uri)
    }
  })

  test('the prompts are listed and filled in', async t => {
    const { client } = await openSession(app.url)
    t.after(() => client.close())
    const { prompts } = await client.listPrompts()
    assert.deepEqual(
      prompts.map(({ name, title }) => [name, title]),
      [
        ['check_lockfile', 'Check my lockfile'],
        ['write_up', 'Write up what we just solved'],
      ],
    )
    const textOf = async (name: string, given?: Record<string, string>): Promise<string> => {
      const { messages } = await client.getPrompt({ name, ...(given === undefined ? {} : { arguments: given }) })
      const [message] = messages
      assert.ok(message?.content.type === 'text')
      assert.equal(message.role, 'user')
      return message.content.text
    }
    assert.match(await textOf('check_lockfile'), /palimpsest\.lock.*check_pins/)
    assert.match(await textOf('write_up', { subject: 'bitter Sencha' }), /bitter Sencha/)
    assert.match(await textOf('write_up'), /wait for my consent/)
    await assert.rejects(textOf('write_up', { topic: 'x' }), /has only subject/)
    await assert.rejects(textOf('write_up', { subject: 'x'.repeat(201) }), /at most 200 characters/)
    await assert.rejects(textOf('other'), /the prompts are check_lockfile and write_up/)
  })
}
