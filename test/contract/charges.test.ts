import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EXAMPLES } from '../../src/contract/examples.ts'
import { NAMED_INPUTS, OPERATIONS, type Operation } from '../../src/contract/operations.ts'
import { shareApp } from '../support/app.ts'
import { type Answer, call, newActor } from '../support/client.ts'

const LIMIT = 1_000_000
/** Lists of at most this many items, such as tags and sources, belong to one text and are not charged. */
const SHORT = 20

const app = shareApp()

type Lists = Record<string, { maxItems?: number; type?: string }>
const listsOf = ({ body }: Operation): [string, number][] => {
  const lists = body === undefined ? {} : (NAMED_INPUTS[body] as unknown as { properties: Lists }).properties
  return Object.entries(lists).flatMap(([name, { type, maxItems }]): [string, number][] =>
    type === 'array' ? [[name, maxItems ?? Number.POSITIVE_INFINITY]] : [],
  )
}

for (const [name, operation] of Object.entries(OPERATIONS) as [keyof typeof OPERATIONS, Operation][]) {
  for (const [member, most] of listsOf(operation)) {
    if (most > SHORT || operation.chargedItems?.member === member) {
      test(`${name} is charged in proportion to the length of ${member}`, async () => {
        const { chargedItems, body, cost, method, path } = operation
        assert.ok(chargedItems?.member === member, `${name} has up to ${most} ${member} for one charge`)
        assert.ok(chargedItems.perCall <= SHORT)
        const input = EXAMPLES[body as 'PinsInput' | 'EvidenceInput'] as unknown as Record<string, unknown[]>
        // Each round has another actor, and therefore a limit that no other request uses.
        for (const length of [1, chargedItems.perCall, chargedItems.perCall + 1, most].filter(n => n <= most)) {
          const { token } = await newActor(app.url)
          const items = Array.from({ length }, () => input[member]?.[0])
          const answer: Answer = await call(app.url, method, path, { token, body: { ...input, [member]: items } })
          const left = new RegExp(`"${cost}-token";r=(\\d+)`).exec(answer.headers.get('ratelimit') ?? '')?.[1]
          assert.equal(LIMIT - Number(left), Math.ceil(length / chargedItems.perCall), `${length} ${member}`)
        }
      })
    }
  }
}
