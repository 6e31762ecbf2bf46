import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Entry, FoundList, Standing } from '../../src/contract/resources.ts'
import { COUNTED_JUDGEMENTS } from '../../src/memory/evidence/rules.ts'
import { shareApp } from '../support/app.ts'
import { editStore } from '../support/edit-store.ts'
import { assertOneStanding, judgingWorld, proseOf, type Voice } from '../support/judging.ts'

let author: Voice
let attacker: Voice
const world = judgingWorld(() => app)
const app = shareApp({ TRUSTED_PROXIES: '127.0.0.0/8' }, async () => {
  ;[author, attacker] = (await world.voices(2)) as [Voice, Voice]
})

const LIST = '1. Stop the pump.\n2. Open the valve.\n3. Start the pump.'
const TABLE = '| who | dose |\n| - | - |\n| adult | 70 mg |\n| child | 7 mg |'
const lines = (of: string): string => `${of}\n${proseOf(100)}`

async function supported(content: string): Promise<Entry> {
  const entry = await world.publish(author, { content })
  await world.verify(await world.voice(), entry)
  return entry
}
async function contradicted(content: string, voices = 1): Promise<Entry> {
  const entry = await world.publish(author, { content })
  for (const judge of await world.voices(voices)) await world.contradict(judge, entry)
  return entry
}
const summaryOf = ({ state, tally, contradictions }: Standing) => [
  state,
  tally.against,
  contradictions.map(({ status }) => status),
]

for (const [name, before, after] of [
  ['a changed setting', "Set lock_timeout = '2s'.", "Set lock_timeout = '0'."],
  ['a removed negation', 'Do not mix them.', 'Do mix them.'],
  ['a number with one more digit', 'Brew it at 70 degrees.', 'Brew it at 700 degrees.'],
  ['a moved semicolon', 'DELETE FROM users WHERE id = 1;', 'DELETE FROM users; WHERE id = 1'],
  ['a space in a path', 'rm -rf build/', 'rm -rf build /'],
  ['another unit', 'Take 5 µg.', 'Take 5 mg.'],
  ['another indentation', 'if ok:\n    go()\n    stop()', 'if ok:\n    go()\nstop()'],
  ['another target of a link', '[guide](https://a.example)', '[guide](https://b.example)'],
  ['reordered steps', LIST, '1. Open the valve.\n2. Stop the pump.\n3. Start the pump.'],
  ['a moved table cell', TABLE, TABLE.replace('70 mg', '7 mg').replace('| child | 7 mg', '| child | 70 mg')],
  ['a deleted warning', 'Run it. Never on a primary.', 'Run it.'],
  ['a command that leaves its comment', '# Never on a primary. rm -rf /data', '# Never on a primary.\nrm -rf /data'],
  ['a command that enters a comment', '# Stop the pump.\nsync && halt', '# Stop the pump. sync && halt'],
  ['a blank after the backslash of a line', 'rm -rf build \\\n --dry-run', 'rm -rf build \\ \n --dry-run'],
  ['an invisible character in a word', 'Never mix them.', 'Ne\u2063ver mix them.'],
] as const) {
  test(`${name} does not inherit the support of the text before it`, async () => {
    const entry = await supported(lines(before))
    assert.equal(entry.standing.state, 'UNCHECKED')
    const changed = await world.revise(attacker, entry, { content: lines(after) })
    assert.equal(changed.standing.state, 'PARTLY_SUPPORTED')
    assert.ok(changed.standing.changed > 0)
    // Neither the attacker nor a second token from its network can confirm the change.
    await world.verify(attacker, changed)
    await world.verify(await world.voice(attacker.from), changed)
    const here = await world.revise(attacker, changed, { content: lines(after) })
    assert.notEqual((await assertOneStanding(world, here)).state, 'SUPPORTED')
  })
}

/** The first character of each range of characters that are invisible: one of every kind. */
const INVISIBLE = Array.from({ length: 0x110000 }, (_, code) => code)
  .filter(code => isInvisible(code) && !isInvisible(code - 1))
  .map(code => String.fromCodePoint(code))
function isInvisible(code: number): boolean {
  return code > 0 && /[\p{Default_Ignorable_Code_Point}\u2800\ufffc]/u.test(String.fromCodePoint(code))
}

test('an invisible character of every kind inside a word inherits no support and removes no objection', async () => {
  const claim = 'Never mix them.'
  assert.ok(INVISIBLE.length > 15, `${INVISIBLE.length} kinds`)
  const [supporter, objector] = (await world.voices(2)) as [Voice, Voice]
  for (const character of INVISIBLE) {
    const code = `U+${character.codePointAt(0)?.toString(16)}`
    const content = lines(claim)
    const hidden = content.replace('Never', `Ne${character}ver`)
    const entry = await world.publish(author, { content })
    await world.verify(supporter, entry)
    const changed = await world.revise(attacker, entry, { content: hidden })
    const { state, changed: pieces, unconfirmed } = await assertOneStanding(world, changed)
    assert.deepEqual([state, pieces, unconfirmed[0]?.actor.id], ['PARTLY_SUPPORTED', 1, attacker.id], code)

    const objected = await world.publish(author, { content })
    await world.quote(objector, objected, claim)
    const expanded = await world.revise(attacker, objected, { content: hidden, changeType: 'EXPAND' })
    assert.deepEqual(summaryOf(await world.standing(expanded)), ['CONTRADICTED', 1, ['STANDING']], code)
    const restored = await world.revise(attacker, expanded, { content, changeType: 'CORRECT' })
    const corrected = await world.revise(attacker, restored, { content: hidden, changeType: 'CORRECT' })
    await world.verify(attacker, corrected)
    assert.deepEqual(summaryOf(await world.standing(corrected)), ['ANSWERED', 0, ['ANSWERED']], code)
    const again = await world.revise(attacker, corrected, { content })
    assert.deepEqual(summaryOf(await world.standing(again)), ['CONTRADICTED', 1, ['STANDING']], code)
  }
})

for (const decoys of [20, 40, 200]) {
  test(`${decoys} decoy revisions push neither contradictions nor support out`, async () => {
    const claim = 'Pi is 3.'
    const entry = await world.publish(author, { content: lines(claim) })
    for (const judge of await world.voices(5)) await world.quote(judge, entry, claim)
    let latest = entry
    for (let n = 0; n < decoys; n++) {
      const changeType = n % 3 ? 'CORRECT' : 'EXPAND'
      latest = await world.revise(attacker, latest, { content: lines(`${claim} Decoy ${n}.`), changeType })
      if (n % 2) await world.verify(attacker, latest)
      else await world.contradict(attacker, latest)
    }
    const standing = await assertOneStanding(world, latest)
    const five = ['CONTRADICTED', 5, ['STANDING', 'STANDING', 'STANDING']]
    assert.deepEqual(summaryOf(standing), five, 'the attacker withdrew its own by supporting')
    await world.verify(await world.voice(), latest)
    assert.deepEqual(summaryOf(await assertOneStanding(world, latest)), ['DISPUTED', ...five.slice(1)])
  })
}

test('filler that is rewritten around a contradicted claim answers nothing', async () => {
  const claim = 'Aspirin cures it in 2 days.'
  const entry = await world.publish(author, { content: `${claim}\n${proseOf(300)}` })
  for (const judge of await world.voices(5)) await world.quote(judge, entry, claim)
  const filler = { content: `${proseOf(300, 5_000)}\n${claim}`, title: 'New', summary: 'New', changeType: 'CORRECT' }
  const rewritten = await world.revise(author, entry, filler)
  await world.verify(await world.voice(), rewritten)
  const standing = await assertOneStanding(world, rewritten)
  assert.deepEqual(summaryOf(standing), ['DISPUTED', 5, ['STANDING', 'STANDING', 'STANDING']])
})

test('a trivial CORRECT revision after a contradiction is shown as an answer, and only other voices make it true', async () => {
  const entry = await contradicted(lines('Pi is 3.'))
  const trivial = await world.revise(author, entry, { content: lines('Pi is 3!'), changeType: 'CORRECT' })
  await world.verify(author, trivial)
  await world.verify(await world.voice(author.from), trivial)
  const standing = await assertOneStanding(world, trivial)
  assert.deepEqual(summaryOf(standing), ['ANSWERED', 0, ['ANSWERED']])
  assert.equal(standing.contradictions[0]?.answeredBy, trivial.currentRevisionId)
})

test('a restore to a contradicted text opens the objection again, also after a reader confirmed the correction', async () => {
  const entry = await contradicted(lines('Pi is 3.'))
  const corrected = await world.revise(author, entry, { content: lines('Pi is 3.14.'), changeType: 'CORRECT' })
  await world.verify(await world.voice(), corrected)
  assert.deepEqual(summaryOf(await assertOneStanding(world, corrected)), ['SUPPORTED', 0, ['ADDRESSED']])
  const restored = await world.revise(attacker, corrected, { content: entry.content, changeType: 'CORRECT' })
  assert.deepEqual(summaryOf(await assertOneStanding(world, restored)), ['DISPUTED', 1, ['STANDING']])
})

test('vandalism that its supporter repairs leaves the confirmation, and a later edit is not confirmed', async () => {
  const entry = await world.publishFrom(author, { content: lines('Wait 2 s.') })
  const supporter = await world.voice()
  await world.verify(supporter, entry)
  const vandalised = await world.revise(attacker, entry, { content: 'Buy this.', title: 'Sale', summary: 'Sale' })
  assert.equal(vandalised.standing.state, 'UNCHECKED')
  const { title, summary, content } = entry
  const text = { title, summary, content }
  const repaired = await world.revise(supporter, vandalised, { ...text, changeType: 'CORRECT' })
  assert.equal((await assertOneStanding(world, repaired)).state, 'SUPPORTED')
  await world.verify(supporter, repaired)
  const { state, tally } = await assertOneStanding(world, repaired)
  assert.deepEqual([state, tally.for, tally.own], ['SUPPORTED', 1, 0])
  const later = await world.revise(attacker, repaired, { ...text, content: content.replace('2 s', '0 s') })
  const standing = await assertOneStanding(world, later)
  assert.deepEqual([standing.state, standing.tally.for, standing.changed], ['PARTLY_SUPPORTED', 1, 1])
  assert.deepEqual([standing.unconfirmed[0]?.text, standing.unconfirmed[0]?.actor.id], ['Wait 0 s.', attacker.id])
})

test('a second token on the network of the author confirms nothing; another network does', async () => {
  const entry = await world.publishFrom(author)
  await world.verify(await world.voice(author.from), entry)
  const { state, tally } = await assertOneStanding(world, entry)
  assert.deepEqual([state, tally.own, tally.for], ['UNCHECKED', 1, 0])
  await world.verify(await world.voice(), entry)
  assert.equal((await assertOneStanding(world, entry)).state, 'SUPPORTED')
})

test('thirty networks /64 of one /48 are one voice', async () => {
  const entry = await world.publish(author)
  for (let n = 0; n < 30; n++) await world.verify(await world.voice(`2001:db8:7:${n}::1`), entry)
  await world.verify(await world.voice('2001:db8:8::1'), entry)
  const { tally } = await assertOneStanding(world, entry)
  assert.deepEqual([tally.supported, tally.for], [31, 2])
})

test('a contradicted entry stays in its place in find, with its strongest objection in the row', async () => {
  const words = { title: 'Quorvex pump primes itself', summary: 'Quorvex pump priming' }
  const entry = await world.publish(author, { ...words, content: 'Prime the Quorvex pump with oil.' })
  await world.contradict(attacker, entry, 'Oil ruins it; tried and failed.')
  for (let n = 0; n < 4; n++)
    await world.publish(author, { title: `Notes ${n}`, summary: 'Various pumps', content: `A pump, number ${n}.` })
  const { items } = await world.read<FoundList>('/api/find?q=how%20does%20the%20quorvex%20pump%20prime')
  assert.equal(items[0]?.slug, entry.slug)
  assert.deepEqual(
    items[0]?.objections?.map(({ rationale }) => rationale),
    ['Oil ruins it; tried and failed.'],
  )
})

test('5,000 judgements from one network displace only themselves', async () => {
  const entry = await world.publish(author)
  for (const judge of await world.voices(3)) await world.contradict(judge, entry)
  const of = `(SELECT number FROM entry WHERE slug = '${entry.slug}')`
  const counting = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)'
  await editStore(
    app,
    `INSERT INTO actor (number, id, actor_type, data_class, first_seen_at, last_seen_at)
      ${counting} SELECT 1000000 + i, 'flood-' || i, 'UNKNOWN', 'EXTERNAL', 1, 1 FROM n`,
    `INSERT INTO evidence (number, id, kind, entry, ordinal, revision, actor, origin_group, result, confidence, rationale, created_at)
      ${counting} SELECT 1000000 + i, 'flood-' || i, 'VERIFY', ${of}, 3 + i, ${of}, 1000000 + i, 1000, 'SUPPORTED', 1, 'x', 1 FROM n`,
    `UPDATE entry SET evidence = 5003 WHERE slug = '${entry.slug}'`,
  )
  const began = process.cpuUsage()
  await world.contradict(attacker, entry)
  const { user, system } = process.cpuUsage(began)
  const { tally } = await assertOneStanding(world, entry)
  assert.partialDeepStrictEqual(tally, { actors: COUNTED_JUDGEMENTS, contradicted: 4, against: 4, for: 1 })
  assert.ok(user + system < 2_000_000, `${user + system} µs of the processor`)
})
