import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Entry, Standing } from '../../../src/contract/resources.ts'
import { startApp } from '../../support/app.ts'
import { call, expectStatus, newActor, newEntry, revisionOf } from '../../support/client.ts'
import { expectDone } from '../command.ts'
import { commandLine } from '../people/in-process.ts'
import { openCopy } from './copy.ts'

const { inProcess } = commandLine()
const wordsOf = (stem: string): string => Array.from({ length: 60 }, (_, n) => `${stem}${n} is here.`).join(' ')
const FIRST = wordsOf('alpha')
const SECOND = wordsOf('beta')

test('a mirror has the standing of its original, with authors, quotes and environments', async () => {
  await using app = await startApp()
  const [author, supporter, other] = [await newActor(app.url), await newActor(app.url), await newActor(app.url)]
  let entry: Entry = await newEntry(app.url, author.token, { content: FIRST })
  const revise = async (content: string, { token } = author): Promise<void> => {
    const answer = await call(app.url, 'POST', `/api/entries/${entry.slug}/revisions`, {
      body: revisionOf(entry, { content }),
      token,
    })
    expectStatus(answer, 201)
    entry = expectStatus(await call<Entry>(app.url, 'GET', `/api/entries/${entry.id}`), 200)
  }
  const verify = async (result: string, { token }: { token: string }): Promise<void> => {
    const body = { revisionId: entry.currentRevisionId, result, confidence: 0.9, rationale: 'Tried it.' }
    expectStatus(await call(app.url, 'POST', `/api/entries/${entry.slug}/verify`, { body, token }), 201)
  }
  await verify('SUPPORTED', supporter)
  await revise(SECOND)
  await verify('INCONCLUSIVE', other)
  await revise(FIRST, supporter)
  await revise(SECOND)
  await verify('SUPPORTED', supporter)
  await verify('SUPPORTED', author)
  const item = { entry: entry.id, revisionId: entry.currentRevisionId, kind: 'CONTRADICT', rationale: 'No.' }
  const items = [{ ...item, quote: 'beta3 is', observedOn: [{ version: '22', name: 'nodejs' }] }]
  expectStatus(await call(app.url, 'POST', '/api/evidence', { body: { items }, token: other.token }), 200)
  await revise(`${SECOND} gamma`)

  const standingAt = async (url: string): Promise<Standing> =>
    expectStatus(await call<Standing>(url, 'GET', `/api/entries/${entry.id}/standing`), 200)
  const original = await standingAt(app.url)
  assert.deepEqual([original.tally.own, original.contradictions[0]?.quote], [1, 'beta3 is'])
  const copy = await openCopy(app.url)
  await copy.catchUp()
  assert.deepEqual(await standingAt(copy.app.url), original)
  await copy.close()
  expectDone(await inProcess(['check', '--data-dir', copy.directory]))
})
