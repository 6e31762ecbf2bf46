import assert from 'node:assert/strict'
import { type CallTool, done, fenceOf, refused } from './session.ts'

/** A word for each round. No two have common parts or similar spellings. */
const WORDS = ['otter', 'quokka', 'zebu', 'ibex', 'vicuna', 'numbat', 'gaur', 'axolotl', 'pangolin', 'kiwi']
let rounds = 0

/** Calls tools, and asserts that no answer shows an actor token. */
const withoutTokens =
  (callTool: CallTool): CallTool =>
  async (name, args) => {
    const result = await callTool(name, args)
    assert.doesNotMatch(JSON.stringify(result), /plm_/, name)
    return result
  }

/**
 * All operations of an agent, only through the tools. Returns the actor token of the first write.
 * With `remembers` the process stores the token and never shows it; otherwise each call passes it.
 */
export async function takePart(caller: CallTool, remembers: boolean): Promise<string> {
  const word = WORDS[rounds++]
  assert.ok(word !== undefined, 'a word for every round')
  const callTool = remembers ? withoutTokens(caller) : caller
  assert.match(done(await callTool('find', { q: word })).text, /^No entry matches/)
  const texts = { title: `On ${word}`, summary: 'What they eat.', content: `The ${word} eats fish.`, tags: ['Animals'] }
  const first = done(await callTool('publish', { ...texts, actor: { actorType: 'AGENT', declaredName: 'Ann' } }))
  const { entryId = '', slug = '', revisionId = '', actorToken = '' } = first.structured
  if (!remembers) assert.match(actorToken, /^plm_/)
  assert.match(
    first.text,
    remembers ? /A new actor [0-9a-f-]{36} was created/ : new RegExp(`Its token is ${actorToken} `),
  )
  const acting = remembers ? {} : { actorToken }

  const found = fenceOf(done(await callTool('find', { q: word })).text)
  assert.ok(found.inside.includes(`· ${slug}@${revisionId} ·`), found.inside)
  const read = fenceOf(done(await callTool('read', { entry: entryId })).text)
  assert.ok(read.inside.endsWith(`content:\n${texts.content}`))
  assert.equal(JSON.parse(read.inside.split('\n')[0] ?? '').author.declaredName, 'Ann')

  const { tags, ...text } = texts
  const change = { ...text, changeType: 'EXPAND', rationale: 'Says more.', ...acting }
  const revised = done(
    await callTool('revise', {
      entry: entryId,
      previousRevisionId: revisionId,
      ...change,
      content: `${word}: fish, crabs.`,
    }),
  )
  const latest = revised.structured.revisionId ?? ''
  assert.equal(revised.structured.actorToken, undefined)
  // Another actor revises on top of the same revision.
  const stale = refused(
    await callTool('revise', { entry: entryId, previousRevisionId: revisionId, ...change, content: 'It eats crabs.' }),
    /^STALE_REVISION/,
  )
  assert.ok(stale.text.includes(`The current revision is ${latest}.`), stale.text)
  const merged = done(await callTool('revise', { entry: entryId, previousRevisionId: latest, ...change }))
  const current = merged.structured.revisionId ?? ''

  const second = done(
    await callTool('publish', { ...texts, title: `Against ${word}`, anyway: true, ...acting }),
  ).structured
  assert.equal(second.actorToken, undefined)
  done(
    await callTool('verify', {
      entry: entryId,
      revisionId: current,
      result: 'SUPPORTED',
      confidence: 0.8,
      rationale: 'Saw it eat.',
      ...acting,
    }),
  )
  done(
    await callTool('contradict', {
      entry: entryId,
      revisionId: current,
      rationale: 'It eats frogs.',
      sourceEntryId: second.entryId,
      ...acting,
    }),
  )
  done(
    await callTool('relate', {
      source: second.slug,
      target: entryId,
      relationType: 'CONTRADICTS',
      rationale: 'Frogs, not fish.',
      ...acting,
    }),
  )
  await expectEvidence(callTool, entryId, current)
  const history = fenceOf(done(await callTool('history', { entry: entryId })).text).inside.split('\n')
  assert.deepEqual(
    history.map(line => JSON.parse(line)).map(row => [row.revisionId, row.previousRevisionId, row.changeType]),
    [
      [current, latest, 'EXPAND'],
      [latest, revisionId, 'EXPAND'],
      [revisionId, null, 'CREATE'],
    ],
  )
  const before = fenceOf(done(await callTool('read', { entry: entryId, revisionId })).text)
  assert.match(before.outside, new RegExp(`revision ${revisionId}, which is not the current one`))
  return actorToken
}

async function expectEvidence(callTool: CallTool, entry: string, revisionId: string): Promise<void> {
  const { inside, outside } = fenceOf(done(await callTool('read', { entry })).text)
  // Author and judge are the same actor, whose objection to its own text counts.
  assert.match(outside, /Evidence on the current text: CONTRADICTED: 0 of 1 say it holds/)
  const rows = inside
    .split('\n')
    .slice(1, 4)
    .map(line => JSON.parse(line))
  assert.deepEqual(
    rows.map(row => [row.contradicts ?? row.relation ?? row.verifies, row.rationale]),
    [
      [revisionId, 'It eats frogs.'],
      ['CONTRADICTS', 'Frogs, not fish.'],
      [revisionId, 'Saw it eat.'],
    ],
  )
}
