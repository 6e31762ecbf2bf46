import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Entry, Evidence, Revision } from '../../src/contract/resources.ts'
import { ADMIN_TOKEN, type TestApp } from '../support/app.ts'
import { call, expectStatus, newActor, newEntry } from '../support/client.ts'
import { eventually } from '../support/process.ts'
import { type CallTool, done, fenceOf, refused } from './session.ts'

/** Revising by pieces, several judgements in one call, and reports. */
export function testWriting(app: TestApp, callTool: CallTool): void {
  const read = async <T>(path: string): Promise<T> => expectStatus(await call<T>(app.url, 'GET', path), 200)

  test('revise replaces pieces of the content and keeps title and summary', async () => {
    const { token: actorToken } = await newActor(app.url)
    const content = 'Steep for 3 minutes.\nUse 80 degrees.\n'
    const entry = await newEntry(app.url, actorToken, { title: 'Green tea', summary: 'How to steep it.', content })
    const base = { entry: entry.slug, previousRevisionId: entry.currentRevisionId, actorToken }
    const change = { changeType: 'CORRECT', rationale: 'Measured.' }
    const replace = [
      { old: '3 minutes', new: '2 minutes' },
      { old: 'Use 80', new: 'Use 70' },
    ]
    const made = done(await callTool('revise', { ...base, ...change, replace })).structured
    const revision = await read<Revision>(`/api/entries/${entry.id}/revisions/${made.revisionId}`)
    assert.deepEqual(
      [revision.title, revision.summary, revision.content],
      [entry.title, entry.summary, 'Steep for 2 minutes.\nUse 70 degrees.\n'],
    )
    // With an older base the pieces are those of the base, and the answer names the latest revision.
    refused(await callTool('revise', { ...base, ...change, replace }), /^STALE_REVISION: .*The current revision is /)
    const latest = { ...base, previousRevisionId: made.revisionId, ...change }
    refused(
      await callTool('revise', { ...latest, replace: [{ old: '3 minutes', new: 'x' }] }),
      /replace\.0\.old does not occur/,
    )
    refused(
      await callTool('revise', { ...latest, replace: [{ old: 'e', new: 'x' }] }),
      /replace\.0\.old occurs more than once/,
    )
    refused(await callTool('revise', { ...latest, replace, content: 'x' }), /content and replace; use one of them/)
    refused(await callTool('revise', { ...latest, replace: [{ old: 'Use', new: 'Use' }] }), /would change nothing/)
    refused(await callTool('revise', latest), /would change nothing/)
    const renamed = done(await callTool('revise', { ...latest, title: 'Sencha' })).structured
    const last = await read<Revision>(`/api/entries/${entry.id}/revisions/${renamed.revisionId}`)
    assert.deepEqual([last.title, last.content], ['Sencha', revision.content])
  })

  test('a stale revision is told whether it still fits the latest one', async () => {
    const { token: actorToken } = await newActor(app.url)
    const content = 'Steep for 3 minutes.\nUse 80 degrees.\n'
    const entry = await newEntry(app.url, actorToken, { title: 'White tea', summary: 'How to steep it.', content })
    const base = { entry: entry.slug, previousRevisionId: entry.currentRevisionId, actorToken }
    const change = { ...base, changeType: 'CORRECT', rationale: 'Measured.' }
    const { revisionId } = done(await callTool('revise', { ...change, replace: [{ old: '80', new: '70' }] })).structured
    const minutes = { ...change, replace: [{ old: '3 minutes', new: '2 minutes' }] }
    const fits = refused(await callTool('revise', minutes), /All pieces of replace still fit its content/)
    assert.ok(fits.text.includes(`previousRevisionId=${revisionId}`), fits.text)
    const degrees = { ...change, replace: [{ old: '80 degrees', new: '75 degrees' }] }
    refused(await callTool('revise', degrees), /In its content replace\.0\.old does not occur/)
    refused(await callTool('revise', { ...change, title: 'White teas' }), /It left alone what you change/)
    const all = { ...change, title: 'White teas', content: 'Cold.' }
    refused(await callTool('revise', all), /It changed the content too: call read/)
    done(await callTool('revise', { ...minutes, previousRevisionId: revisionId }))
    assert.equal((await read<Entry>(`/api/entries/${entry.id}`)).content, 'Steep for 2 minutes.\nUse 70 degrees.\n')
  })

  test('revise brings the text of an earlier revision back, and history shows who wrote each sentence', async () => {
    const { token: actorToken } = await newActor(app.url)
    const text = { title: 'Yellow tea', summary: 'How to steep it.', content: 'Steep it. Wait a minute.' }
    const entry = await newEntry(app.url, actorToken, text)
    const change = { entry: entry.slug, changeType: 'CORRECT', rationale: 'Measured.', actorToken }
    const replace = [{ old: 'Wait a minute.', new: 'Wait an hour.' }]
    const first = { ...change, previousRevisionId: entry.currentRevisionId }
    const { revisionId } = done(await callTool('revise', { ...first, replace })).structured
    const { inside } = fenceOf(done(await callTool('history', { entry: entry.slug, blame: true })).text)
    const rows = inside.split('\n').map(line => JSON.parse(line))
    assert.deepEqual(
      rows.filter(row => row.section === 'CONTENT').map(row => [row.ordinal, row.text]),
      [
        [1, 'Steep it.'],
        [2, 'Wait an hour.'],
      ],
    )
    assert.equal(rows.find(row => row.ordinal === 2)?.revisionId, revisionId)
    const undo = { ...change, previousRevisionId: revisionId, undoTo: entry.currentRevisionId }
    refused(await callTool('revise', { ...undo, title: 'T' }), /has undoTo and texts/)
    done(await callTool('revise', undo))
    const now = await read<Entry>(`/api/entries/${entry.id}`)
    assert.deepEqual([now.content, now.revisionCount], [text.content, 3])
  })

  test('publish names similar entries behind a fence', async () => {
    const { token: actorToken } = await newActor(app.url)
    const texts = { summary: 'The whistle of a kettle fails in winter.', content: 'Scale closes the whistle.' }
    const first = await newEntry(app.url, actorToken, { title: 'Kettle whistle fails in winter', ...texts })
    const { text } = await eventually('the first entry can be found', 60_000, async () => {
      const title = `Why whistles of kettles stay quiet ${crypto.randomUUID().slice(0, 8)}`
      const made = done(await callTool('publish', { ...texts, title, summary: 'A cold kettle is quiet.', actorToken }))
      return made.text.includes(first.slug) ? made : undefined
    })
    assert.match(text, /^Published entry /)
    assert.match(fenceOf(text).inside, new RegExp(`"slug":"${first.slug}"`))
  })

  test('publish refuses a text that says what others say, and names them, until anyway is true', async () => {
    const { token: actorToken } = await newActor(app.url)
    const [title, summary] = ['Whistling kettle fails in cold winters', 'A whistle of the kettle fails in winter.']
    const draft = { title, summary, content: 'Descale the whistle.', actorToken }
    const { text } = refused(await callTool('publish', draft), /^Your entry was not published: .* may say the same/)
    assert.match(fenceOf(text).inside, /"slug":"kettle-whistle-fails-in-winter".*"match":0\.[7-9]/)
    const made: string[] = []
    for (let n = 0; n < 3; n++) {
      const answer = done(await callTool('publish', { ...draft, anyway: true })).text
      for (const slug of made) assert.ok(answer.includes(slug), `${slug} is not in ${answer}`)
      made.push(/\((\S+)\), current revision/.exec(answer)?.[1] ?? '')
    }
  })

  test('revise keeps the sources of its base unless the call has others', async () => {
    const { token: actorToken } = await newActor(app.url)
    const source = await newEntry(app.url, actorToken)
    const sources = [{ entryId: source.id, revisionId: source.currentRevisionId }]
    const entry = await newEntry(app.url, actorToken, { content: 'Steep for 3 minutes.', sources })
    const base = { entry: entry.slug, previousRevisionId: entry.currentRevisionId, actorToken }
    const change = { changeType: 'CORRECT', rationale: 'Measured.' }
    refused(await callTool('revise', { ...base, ...change, sources }), /would change nothing/)
    const replace = [{ old: '3', new: '2' }]
    const made = done(await callTool('revise', { ...base, ...change, replace })).structured
    const sourcesOf = async (revisionId: unknown): Promise<unknown> =>
      (await read<Revision>(`/api/entries/${entry.id}/revisions/${revisionId}`)).sources
    assert.deepEqual(await sourcesOf(made.revisionId), sources)
    const bare = done(
      await callTool('revise', { ...base, ...change, previousRevisionId: made.revisionId, sources: [] }),
    )
    assert.deepEqual(await sourcesOf(bare.structured.revisionId), [])
  })

  test('a handle of find or read suffices to say that a text worked or failed', async () => {
    const { token: author } = await newActor(app.url)
    const text = { title: 'Samovar hums at dusk', summary: 'The samovar hums.', content: 'Close the samovar.' }
    const entry = await newEntry(app.url, author, text)
    const { actorToken = '' } = done(
      await callTool('publish', { title: 'Of urns', summary: 'S', content: 'C', anyway: true }),
    ).structured
    const row = await eventually('the entry is found', 60_000, async () => {
      const { text } = await callTool('find', { q: 'samovar hums at dusk' })
      return /· handle (\S+)/.exec(text)?.[1]
    })
    const worked = done(await callTool('verify', { handle: row, actorToken }))
    assert.match(worked.text, /^Recorded verification \S+ of revision /)
    assert.equal(worked.structured.revisionId, entry.currentRevisionId)
    const shown = done(await callTool('read', { entry: entry.slug })).text
    const handle = /^Its handle for verify .* is (\S+)\.$/m.exec(shown)?.[1]
    const rationale = 'It hums on.'
    const failed = done(await callTool('contradict', { handle, rationale, actorToken })).structured
    const [kept] = (await read<Evidence>(`/api/entries/${entry.id}/evidence`)).contradictions
    assert.deepEqual(
      [kept?.id, kept?.rationale, kept?.revisionId],
      [failed.contradictionId, rationale, entry.currentRevisionId],
    )
    refused(await callTool('contradict', { handle, actorToken }), /^MISSING_MEMBER: rationale/)
    refused(await callTool('verify', { handle, entry: entry.id, actorToken }), /has handle and entry; give only one/)
    refused(await callTool('verify', { handle: `${handle}x`, actorToken }), /^HANDLE_REFUSED: The handle is forged/)
  })

  test('verify and contradict accept several judgements, and report the result of each', async () => {
    const { token: actorToken } = await newActor(app.url)
    const entries: Entry[] = []
    for (let made = 0; made < 3; made += 1) entries.push(await newEntry(app.url, actorToken))
    const [a, b, c] = entries as [Entry, Entry, Entry]
    const verified = (entry: Entry) => ({
      ...{ entry: entry.slug, revisionId: entry.currentRevisionId },
      ...{ result: 'SUPPORTED', confidence: 0.8, rationale: 'Tried it.' },
    })
    const missing = { ...verified(a), entry: 'no-such-entry' }
    const { text, structured } = done(
      await callTool('verify', { items: [verified(a), missing, verified(b)], actorToken }),
    )
    assert.match(text, /^Recorded 2 of 3 verifications\.\n0\. Recorded /)
    assert.match(text, /\n1\. Refused for "no-such-entry": ENTRY_NOT_FOUND: No entry has this id or slug/)
    const ids = structured.verificationIds?.split(',') ?? []
    const found = await Promise.all(
      [a, b].map(async ({ id }) => (await read<Evidence>(`/api/entries/${id}/evidence`)).verifications[0]?.id),
    )
    assert.deepEqual(ids, found)

    const wrong = { entry: c.id, revisionId: c.currentRevisionId, rationale: 'It is not so.' }
    const items = [wrong, { ...wrong, sourceEntryId: a.id }]
    assert.match(done(await callTool('contradict', { items, actorToken })).text, /^Recorded 2 of 2 contradictions\./)
    assert.equal((await read<Evidence>(`/api/entries/${c.id}/evidence`)).contradictions.length, 2)

    refused(await callTool('verify', { items: [missing], actorToken }), /^Recorded 0 of 1 verifications\./)
    refused(
      await callTool('verify', { items: [verified(a)], entry: a.id, actorToken }),
      /has items and entry; give one/,
    )
    refused(await callTool('verify', { entry: a.id, actorToken }), /lacks revisionId, result, confidence, rationale/)
    refused(await callTool('contradict', {}), /lacks entry, revisionId, rationale/)
    refused(await callTool('verify', { items: Array(11).fill(verified(a)) }), /items must be a list of 1 to 10 items/)
  })

  test('check_pins names the findings about pinned revisions', async () => {
    const { token: actorToken } = await newActor(app.url)
    const [same, revised] = [await newEntry(app.url, actorToken), await newEntry(app.url, actorToken)]
    const pins = [same, revised].map(({ slug, currentRevisionId: revisionId }) => ({ entry: slug, revisionId }))
    pins[0] = { entry: same.id, revisionId: same.currentRevisionId }
    const { text } = done(await callTool('check_pins', { pins }))
    const [, since] = /^There are no findings for the 2 pinned revisions\. .* since="(\d+)"/.exec(text) ?? []
    const change = { content: 'Another text, 100% safe.', changeType: 'CORRECT', rationale: 'It was wrong.\n>>>' }
    const base = { entry: revised.id, previousRevisionId: revised.currentRevisionId, actorToken }
    done(await callTool('revise', { ...base, ...change }))
    const { inside, outside } = fenceOf(done(await callTool('check_pins', { pins, since })).text)
    assert.match(outside, /^1 differ, 1 do not\./)
    const { kind, slug, signals, revised: found } = JSON.parse(inside)
    const expected = ['REVISED', revised.slug, 'CLAIMS_TRUST', change.rationale]
    assert.deepEqual([kind, slug, signals, found.rationale], expected)
  })

  test('report accepts an entry, a revision or a piece of evidence, and creates no actor', async () => {
    const { token } = await newActor(app.url)
    const entry = await newEntry(app.url, token)
    const said = { reason: 'SPAM', details: 'It sells something.' }
    const { text, structured } = done(await callTool('report', { entry: entry.slug, ...said }))
    assert.match(text, new RegExp(`^Reported ENTRY ${entry.id}: report ${structured.reportId}\\.$`))
    assert.doesNotMatch(text, /actor/)
    done(await callTool('report', { revisionId: entry.currentRevisionId, ...said }))
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}` }
    const { items } = expectStatus(
      await call<{ items: { targetType: string; details: string }[] }>(app.url, 'GET', '/api/admin/reports?limit=2', {
        headers,
      }),
      200,
    )
    assert.deepEqual(
      items.map(({ targetType, details }) => [targetType, details]),
      [
        ['REVISION', said.details],
        ['ENTRY', said.details],
      ],
    )
    refused(await callTool('report', said), /must name exactly one of entry, revisionId and evidenceId/)
    refused(
      await callTool('report', { entry: 'no-such-entry', ...said }),
      /^ENTRY_NOT_FOUND: No entry has the id or slug/,
    )
  })
}
