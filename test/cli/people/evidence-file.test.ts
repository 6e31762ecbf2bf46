import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Entry, EvidenceResult } from '../../../src/client/index.ts'
import { shareApp } from '../../support/app.ts'
import { newActor, newEntry } from '../../support/client.ts'
import { expectDone, expectRefusal } from '../command.ts'
import { commandLine } from './in-process.ts'

const { inProcess, scratch } = commandLine()
let entries: Entry[]
const app = shareApp({}, async () => {
  const { token } = await newActor(app.url)
  entries = []
  for (let n = 0; n < 12; n += 1) entries.push(await newEntry(app.url, token, { title: `Knot ${n}` }))
})

const record = (lines: readonly object[], ...flags: string[]) =>
  inProcess(['evidence', '-', ...flags], {
    env: { PALIMPSEST_URL: app.url, XDG_CONFIG_HOME: scratch() },
    input: lines.map(line => JSON.stringify(line)).join('\n'),
  })
const verificationOf = ({ slug, currentRevisionId }: Entry) => ({
  ...{
    entry: slug,
    revisionId: currentRevisionId,
    kind: 'VERIFY',
    result: 'SUPPORTED',
    confidence: 1,
    rationale: 'Tied.',
  },
})

test('twelve verifications take one command, and each result is a line', async () => {
  const results = expectDone(await record(entries.map(verificationOf), '--json'))
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line) as EvidenceResult)
  assert.deepEqual(
    results.map(({ verification }) => verification?.entryId),
    entries.map(({ id }) => id),
  )
})

test('a judgement that is refused does not refuse the others, and the command fails', async () => {
  const [first, second] = entries as [Entry, Entry]
  const { result, confidence, ...rest } = verificationOf(second)
  const strange = { ...verificationOf(first), entry: 'no-such-knot' }
  const ended = await record([strange, { ...rest, kind: 'CONTRADICT' }])
  expectRefusal(ended, 1, /Refused: 1 of 2 judgements/)
  assert.match(
    ended.stdout,
    /^Refused for no-such-knot: ENTRY_NOT_FOUND: .+\nRecorded CONTRADICT for [\w-]+ of knot-1\n$/,
  )
})

test('an invalid line is named before a request is sent', async () => {
  const [first] = entries as [Entry]
  expectRefusal(await record([]), 1, /no judgement/)
  expectRefusal(
    await record([verificationOf(first), { ...verificationOf(first), confidence: 2 }]),
    1,
    /Line 2: confidence/,
  )
  expectRefusal(await record([{ ...verificationOf(first), mood: 'good' }]), 1, /Line 1: mood is not a member/)
  expectRefusal(await record(['text' as unknown as object]), 1, /Line 1 is not a JSON object/)
})
