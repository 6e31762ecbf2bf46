import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { NAMED_INPUTS, OPERATIONS, type Operation, type OperationName } from '../../src/contract/operations.ts'
import type { ProblemCode } from '../../src/contract/problem.ts'
import { PROBLEMS } from '../../src/contract/problems.ts'
import type { Entry } from '../../src/contract/resources.ts'
import { shareApp } from '../support/app.ts'
import { newEntry } from '../support/client.ts'
import { type BodyCase, bodyCases, type Schema } from './cases.ts'
import { inParallel, openWire, type Wire } from './wire.ts'
import { bodyOf, credentialOf, expectRefusal, makeWorld, pathOf, storingNothing, type World } from './world.ts'

const WIDTH = 16
const ALL = Object.entries(OPERATIONS) as [OperationName, Operation][]

let wire: Wire
let world: World
const app = shareApp({}, async () => {
  wire = openWire(app.url, WIDTH)
  world = await makeWorld(app.url)
})
after(() => wire.close())

/** The outcome for an id that fits the schema but names nothing, by input and field. */
const FOREIGN: Record<string, ProblemCode> = {
  'CreateInput sources.0.entryId': 'SOURCE_NOT_FOUND',
  'CreateInput sources.0.revisionId': 'SOURCE_NOT_FOUND',
  'RevisionInput previousRevisionId': 'STALE_REVISION',
  'RevisionInput sources.0.entryId': 'SOURCE_NOT_FOUND',
  'RevisionInput sources.0.revisionId': 'SOURCE_NOT_FOUND',
  'VerifyInput revisionId': 'REVISION_NOT_FOUND',
  'ContradictInput revisionId': 'REVISION_NOT_FOUND',
  'ContradictInput sourceEntryId': 'SOURCE_NOT_FOUND',
  'FeedbackInput handle': 'HANDLE_REFUSED',
  'RelationInput sourceEntryId': 'ENTRY_NOT_FOUND',
  'RelationInput targetEntryId': 'ENTRY_NOT_FOUND',
  'ModerationInput targetId': 'TARGET_NOT_FOUND',
  'ModerationInput targetType': 'TARGET_NOT_FOUND',
  'AppealInput decision': 'DECISION_NOT_FOUND',
  'ReportSecret secret': 'REPORT_NOT_FOUND',
  'ReportInput targetId': 'TARGET_NOT_FOUND',
  'ReportInput targetType': 'TARGET_NOT_FOUND',
}

/** The problem that a valid value causes, because its target does not exist. */
async function foreignProblem(input: string, { field, label, text }: BodyCase): Promise<ProblemCode | undefined> {
  const problem = FOREIGN[`${input} ${field}`]
  if (field === 'targetType') return label === 'ENTRY' ? undefined : problem
  if (field !== 'targetId')
    return label.startsWith('foreign id') || field === 'handle' || field === 'secret' ? problem : undefined
  const { targetId } = JSON.parse(text) as { targetId: string }
  const named = await wire.send('GET', `/api/entries/${encodeURIComponent(targetId)}`)
  return named.status === 200 ? undefined : problem
}

for (const [name, operation] of ALL) {
  if (operation.body === undefined) continue
  const input = operation.body
  const schema = NAMED_INPUTS[input] as Schema
  const fields = Object.keys(schema.properties ?? {}).length

  test(`${name}: every field of ${input} beyond its bounds is refused, and nothing is stored`, async () => {
    const credential = credentialOf(operation.access, world)
    const path = pathOf(operation.path, world)
    const refused = bodyCases(schema, bodyOf(name, world)).filter(({ fault }) => fault !== undefined)
    assert.ok(refused.length > ([10, 25][fields] ?? 40), `${refused.length} cases`)
    await storingNothing(wire, () =>
      inParallel(refused, WIDTH, async ({ field, label, text, fault = 'INVALID_BODY' }) => {
        const answer = await wire.send(operation.method, path, { ...credential, raw: text })
        expectRefusal(`${field}: ${label}`, answer, PROBLEMS[fault].status, fault)
      }),
    )
  })

  if (fields === 0) continue

  test(`${name}: every field of ${input} at its bounds is accepted`, async () => {
    const credential = credentialOf(operation.access, world)
    let latest: Entry = world.entry
    let decision = world.decision
    // Nothing follows an erasure, and an appeal is answered once: test/acceptance/erasure.test.ts and appeals.test.ts have them.
    const taken = bodyCases(schema, bodyOf(name, world)).filter(
      ({ fault, label, field }) => fault === undefined && label !== 'ERASE' && field !== 'appeal',
    )
    assert.ok(taken.length > 10, `${taken.length} cases`)
    for (const one of taken) {
      const { field, label, text } = one
      const current = text
        .replaceAll(world.entry.currentRevisionId, id => (name === 'reviseEntry' ? latest.currentRevisionId : id))
        .replaceAll(world.decision, decision)
      const answer = await wire.send(operation.method, pathOf(operation.path, world), { ...credential, raw: current })
      const problem = await foreignProblem(input, one)
      if (problem !== undefined) expectRefusal(`${field}: ${label}`, answer, PROBLEMS[problem].status, problem)
      else {
        assert.equal(
          answer.status,
          operation.status,
          `${field}: ${label}: ${answer.status} ${answer.text.slice(0, 300)}`,
        )
        assertKept(`${field}: ${label}`, JSON.parse(current), answer.body)
      }
      if (name === 'reviseEntry' && answer.status === 201) latest = answer.body as Entry
      if (name === 'createAppeal' && answer.status === 201) decision = await newDecision()
    }
  })
}

/** The id of another act of moderation that the actor may appeal: each takes one appeal. */
async function newDecision(): Promise<string> {
  const { id: targetId } = await newEntry(app.url, world.token)
  const body = { targetType: 'ENTRY', targetId, action: 'BLOCK', reason: 'Asked for.' }
  return (await wire.send('POST', '/api/admin/moderate', { ...credentialOf('admin', world), body })).body.id as string
}

/** Texts come back as they were sent, byte for byte. */
function assertKept(label: string, sent: Record<string, unknown>, answered: Record<string, unknown>): void {
  const { declared = {} } = (answered.actor ?? {}) as { declared?: Record<string, unknown> }
  const got: Record<string, unknown> = {
    ...answered,
    ...('declaredName' in sent ? { declaredName: declared.name } : {}),
    ...('declaredModel' in sent ? { declaredModel: declared.model } : {}),
    ...('declaredProvider' in sent ? { declaredProvider: declared.provider } : {}),
  }
  for (const field of [
    'title',
    'content',
    'summary',
    'rationale',
    'reason',
    'declaredName',
    'declaredModel',
    'declaredProvider',
  ]) {
    if (field in sent && field in got) assert.equal(got[field], sent[field], `${label}: ${field}`)
  }
}
