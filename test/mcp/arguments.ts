import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Stats } from '../../src/contract/resources.ts'
import { type Check, createCheck } from '../../src/mcp/tool.ts'
import { TOOLS } from '../../src/mcp/tools.ts'
import type { TestApp } from '../support/app.ts'
import { call, expectStatus } from '../support/client.ts'
import { type CallTool, done, fenceOf, refused } from './session.ts'

const ID = '01890a5d-ac96-774b-bcce-b302099a8057'
const FITTING: Record<string, Record<string, unknown>> = {
  brief: { q: 'x' },
  find: { q: 'x' },
  read: { entry: ID },
  history: { entry: ID },
  check_pins: { pins: [{ entry: ID, revisionId: ID }] },
  work: { kind: 'UNCHECKED' },
  publish: { title: 'T', summary: 'S', content: 'C' },
  revise: {
    entry: ID,
    previousRevisionId: ID,
    title: 'T',
    summary: 'S',
    content: 'C',
    changeType: 'EXPAND',
    rationale: 'R',
  },
  verify: { entry: ID, revisionId: ID, result: 'SUPPORTED', confidence: 1, rationale: 'R' },
  contradict: { entry: ID, revisionId: ID, rationale: 'R' },
  report: { entry: ID, reason: 'SPAM' },
  relate: { source: ID, target: ID, relationType: 'CONNECT', rationale: 'R' },
}

const faultOf = (check: Check, args: object): string | undefined => {
  const checked = check(args)
  return 'fault' in checked ? checked.fault : undefined
}

type Schema = {
  type?: string
  enum?: unknown[]
  format?: string
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  maxItems?: number
  items?: Schema
  properties?: Record<string, Schema>
}

/** Values just past every limit that a schema states. */
function beyond(schema: Schema): unknown[] {
  const { type, maxLength, minLength, minimum, maximum, maxItems, items } = schema
  return [
    null,
    ...(type === 'string' ? [7, ['x']] : ['x']),
    ...(schema.enum === undefined ? [] : ['NO_SUCH_WORD']),
    ...(schema.format === undefined && schema.pattern === undefined ? [] : ['!']),
    ...(maxLength === undefined ? [] : ['é'.repeat(maxLength + 1)]),
    ...(minLength === undefined ? [] : ['']),
    ...(minimum === undefined ? [] : [minimum - 1]),
    ...(maximum === undefined ? [] : [maximum + 1]),
    ...(maxItems === undefined
      ? []
      : [
          Array.from({ length: maxItems + 1 }, () =>
            items?.type === 'string' ? 'x' : { entryId: ID, revisionId: ID },
          ),
        ]),
    ...(items === undefined ? [] : beyond(items).map(value => [value])),
    ...(schema.properties === undefined ? [] : [{ other: 1 }]),
  ]
}

/** Arguments past every limit that the tools state. */
export function testArguments(app: TestApp, callTool: CallTool): void {
  test('an argument past its limit is refused with a sentence that names it, and is not charged', async () => {
    const earlier = expectStatus(await call<Stats>(app.url, 'GET', '/api/stats'), 200)
    let tried = 0
    for (const tool of TOOLS.filter(({ only }) => only !== 'private')) {
      const fitting = FITTING[tool.name] ?? {}
      const check = await createCheck(tool)
      assert.equal(faultOf(check, fitting), undefined, tool.name)
      const { properties } = tool.input as unknown as { properties: Record<string, Schema> }
      for (const [name, schema] of Object.entries(properties)) {
        for (const value of beyond(schema)) {
          const fault = faultOf(check, { ...fitting, [name]: value }) ?? ''
          assert.match(
            fault,
            new RegExp(`are invalid: .*\\b${name}\\b`),
            `${tool.name}.${name} ${JSON.stringify(value).slice(0, 80)}`,
          )
          assert.ok(fault.length < 600, fault)
          tried += 1
        }
      }
      const text = [1, 2, 3, 4].map(number => [`strange${number}\u202e`, 'x'.repeat(900)])
      const named = Object.keys(properties).join(', ')
      const { text: sentence } = refused(
        await callTool(tool.name, { ...fitting, ...Object.fromEntries(text) }),
        /has no argument "strange1\[U\+202E\]", /,
      )
      assert.ok(sentence.includes(`its arguments are ${named}`), sentence)
      refused(
        await callTool(tool.name, { ...fitting, entry: JSON.parse('['.repeat(4_000) + ']'.repeat(4_000)) }),
        /are invalid/,
      )
    }
    assert.ok(tried > 150, `${tried}`)
    for (const q of ['a\u0000b', 'a\ud800b']) refused(await callTool('find', { q }), /U\+0000 or a lone surrogate/)
    refused(
      await callTool('publish', { title: 'T', summary: 'S', content: 'C', tags: ['!'] }),
      /tags\.0 must be a text of 1 to 40 characters: letters, digits, spaces and hyphens only/,
    )
    assert.deepEqual(expectStatus(await call<Stats>(app.url, 'GET', '/api/stats'), 200), earlier)
  })

  test('find returns whether the question is answerable, and the missing and corrected words', async () => {
    const text = { title: 'Lighthouse lens cracks in frost', summary: 'Warm it slowly.', content: 'Glass splits.' }
    const { slug = '', revisionId = '' } = done(await callTool('publish', text)).structured
    const { inside, outside } = fenceOf(
      done(await callTool('find', { q: 'lighthuose lens cracks in frost xylophone' })).text,
    )
    assert.match(outside, /^Answerable: true \(match 0\.\d+ of 1\)\. Call read/)
    assert.ok(
      inside.startsWith('Searched for "lighthouse" in place of "lighthuose".\n\nNo entry has: xylophone.\n\n'),
      inside,
    )
    assert.ok(inside.includes(`\n## ${text.title}\nUNCHECKED · ${slug}@${revisionId} · `), inside)
    assert.ok(inside.endsWith(`\n> ${text.summary}\n> ${text.content}`), inside)
    const foreign = done(await callTool('find', { q: 'glass fibre network splicing tariffs of Uruguay' })).text
    assert.match(foreign, /^Answerable: false .* Try other words; publish what you find out\./)
    const trace = `${'    at the place where it was called from and on\n'.repeat(100)}LighthouseError: lens cracks`
    assert.match(done(await callTool('find', { q: trace })).text, /Lighthouse lens cracks in frost/)
  })

  test('find accepts query for q, and relate accepts slugs', async () => {
    const publish = async (title: string) =>
      done(await callTool('publish', { title, summary: 'Of herons', content: 'C', actorToken })).structured
    const { actorToken } = done(
      await callTool('publish', { title: 'Herons first', summary: 'S', content: 'C' }),
    ).structured
    const [one, two] = [await publish('Herons fly'), await publish('Herons wade')]
    assert.match(done(await callTool('find', { query: 'herons wade' })).text, /Herons wade/)
    const short = done(await callTool('find', { q: 'herons wade', tokens: 300 })).text
    assert.ok(Buffer.byteLength(fenceOf(short).inside) <= 1_200, short)
    assert.match(done(await callTool('find', { q: 'zzyzx' })).text, /^No entry matches/)
    refused(await callTool('find', { query: 'x', q: 'x' }), /has no argument "query"; its arguments are q, /)
    const relation = { relationType: 'CONNECT', rationale: 'Birds.', actorToken }
    const { text } = done(await callTool('relate', { source: one.slug, target: two.slug, ...relation }))
    assert.ok(text.includes(`${one.entryId} CONNECT ${two.entryId}`), text)
    done(await callTool('relate', { sourceEntryId: two.entryId, targetEntryId: one.entryId, ...relation }))
    refused(
      await callTool('relate', { source: one.slug, target: 'no-such-heron', ...relation }),
      /^ENTRY_NOT_FOUND: No entry has the id or slug "no-such-heron"/,
    )
    const nested = { title: 'T', summary: 'S', content: 'C', actor: { name: 'Ann' } }
    refused(
      await callTool('publish', nested),
      /actor has no argument "name"; its arguments are actorType, declaredName, /,
    )
  })
}
