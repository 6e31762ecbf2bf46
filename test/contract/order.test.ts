import { after, before, test } from 'node:test'
import type { ProblemCode } from '../../src/contract/problem.ts'
import { PROBLEMS } from '../../src/contract/problems.ts'
import type { Entry } from '../../src/contract/resources.ts'
import { ADMIN_TOKEN, startApp, type TestApp } from '../support/app.ts'
import { call, expectProblem, expectStatus, newEntry, revisionOf } from '../support/client.ts'
import { inParallel, openWire, type Wire } from './wire.ts'
import { expectRefusal, NIL } from './world.ts'

const WRITE_LIMIT = 200
const EXHAUSTED = '203.0.113.1'
const BLOCKED = '203.0.113.2'

let app: TestApp
let wire: Wire
let fresh = 0
/** An unused address, without earlier admissions or cooldowns. */
const nextOrigin = (): string => {
  fresh += 1
  return `198.51.${Math.floor(fresh / 250)}.${fresh % 250}`
}
const from = (origin: string) => ({ 'x-forwarded-for': origin })

/** A key that every actor has used up. */
const USED = { 'idempotency-key': 'used' }

/** A request in parts, each of which can be spoilt on its own. */
type Attempt = {
  path: string
  slug: string
  search: string
  origin: string
  type: string
  headers: Record<string, string>
  body: Record<string, unknown>
  /** Changes of the JSON text, after all changes of the body. */
  edits: ((text: string) => string)[]
}
type Spoil = { code: ProblemCode; spoil(attempt: Attempt): void }

before(async () => {
  app = await startApp({
    TRUSTED_PROXIES: '127.0.0.1',
    WRITE_LIMIT_PER_MINUTE: String(WRITE_LIMIT),
    COOLDOWN_SECONDS: '3600',
  })
  wire = openWire(app.url)
  const spend = Array.from({ length: WRITE_LIMIT }, () => EXHAUSTED)
  await inParallel(spend, 16, async origin => {
    expectProblem(await wire.send('POST', '/api/entries', { headers: from(origin) }), 401, 'ACTOR_TOKEN_REQUIRED')
  })
})
after(async () => {
  wire.close()
  await app.close()
})

const actorFrom = async (origin: string): Promise<{ id: string; token: string }> => {
  const { actor, token } = expectStatus(
    await call<{ actor: { id: string }; token: string }>(app.url, 'POST', '/api/actors', {
      body: {},
      headers: from(origin),
    }),
    201,
  )
  return { id: actor.id, token }
}
const entryOfSomeone = async (): Promise<Entry> => newEntry(app.url, (await actorFrom(nextOrigin())).token)
const moderate = async (targetType: string, targetId: string, action: string): Promise<void> => {
  const body = { targetType, targetId, action, reason: 'A test.' }
  expectStatus(
    await wire.send('POST', '/api/admin/moderate', { body, bearer: ADMIN_TOKEN, headers: from(nextOrigin()) }),
    200,
  )
}
const originOf = async (actorId: string): Promise<string> => {
  const { body } = await wire.send('GET', '/api/admin/snapshot', { bearer: ADMIN_TOKEN })
  const actor = (body.actors as { id: string; originId: string }[]).find(({ id }) => id === actorId)
  return actor?.originId ?? ''
}

/** Faults of the request itself, in the order of their checks, for any operation. */
const SHAPE: Spoil[] = [
  { code: 'UNKNOWN_PARAMETER', spoil: attempt => void Object.assign(attempt, { search: '?unknown=1' }) },
  {
    code: 'INVALID_IDEMPOTENCY_KEY',
    spoil: ({ headers }) => void Object.assign(headers, { 'idempotency-key': '' }),
  },
  { code: 'UNSUPPORTED_MEDIA_TYPE', spoil: attempt => void Object.assign(attempt, { type: 'text/plain' }) },
  { code: 'BODY_TOO_LARGE', spoil: ({ edits }) => void edits.push(text => text + ' '.repeat(40_000)) },
  { code: 'MALFORMED_JSON', spoil: ({ edits }) => void edits.push(text => `${text}}`) },
  { code: 'UNKNOWN_MEMBER', spoil: ({ edits }) => void edits.push(text => text.replace('{', '{"unknown":1,')) },
  { code: 'INVALID_TEXT', spoil: ({ edits }) => void edits.push(text => text.replace('Because', 'Be\\u0000cause')) },
]

/** Adds every pair of faults to a valid request. The fault that is checked first must be reported. The valid request succeeds at the end. */
async function provePairs(good: () => Attempt, spoils: readonly Spoil[], status: number): Promise<void> {
  const pairs = spoils.flatMap((first, place) => spoils.slice(place).map(second => [first, second] as const))
  await inParallel(pairs, 8, async ([first, second]) => {
    const attempt = good()
    if (second !== first) second.spoil(attempt)
    first.spoil(attempt)
    expectRefusal(`${first.code} before ${second.code}`, await send(attempt), PROBLEMS[first.code].status, first.code)
  })
  expectStatus(await send(good()), status)
}

function send({ path, slug, search, origin, type, headers, body, edits }: Attempt) {
  const raw = edits.reduce((text, edit) => edit(text), JSON.stringify(body))
  const fields = { ...from(origin), ...headers }
  return wire.send('POST', path.replace('{slug}', slug) + search, { raw, type, headers: fields })
}

test('of two faults of a revision the one that is checked first is reported', async () => {
  const [entry, withdrawn, locked] = [await entryOfSomeone(), await entryOfSomeone(), await entryOfSomeone()]
  const [writer, cooling, blocked] = [
    await actorFrom(nextOrigin()),
    await actorFrom(nextOrigin()),
    await actorFrom(nextOrigin()),
  ]
  // A blocked actor also has a cooldown, and a withdrawn entry is also locked, so only the order of the checks decides.
  for (const { token } of [cooling, blocked]) {
    const own = await entryOfSomeone()
    const path = `/api/entries/${own.slug}/revisions`
    const headers = { ...from(nextOrigin()), ...USED }
    expectStatus(await wire.send('POST', path, { body: revisionOf(own), token, headers }), 201)
  }
  const headers = { ...from(nextOrigin()), 'x-actor-token': writer.token, ...USED }
  const body = { title: 'T', content: 'C', summary: 'S' }
  expectStatus(await wire.send('POST', '/api/entries', { body, headers }), 201)
  await moderate('ACTOR', blocked.id, 'BLOCK')
  await moderate('ORIGIN', await originOf((await actorFrom(BLOCKED)).id), 'BLOCK')
  for (const { id } of [withdrawn, locked]) await moderate('ENTRY', id, 'BLOCK')
  await moderate('ENTRY', withdrawn.id, 'HIDE')

  const as = (token: string) => (attempt: Attempt) => void Object.assign(attempt.headers, { 'x-actor-token': token })
  const at = (slug: string) => (attempt: Attempt) => void Object.assign(attempt, { slug })
  const spoils: Spoil[] = [
    {
      code: 'ROUTE_NOT_FOUND',
      spoil: attempt => void Object.assign(attempt, { path: '/api/entries/{slug}/revision' }),
    },
    { code: 'RATE_LIMITED', spoil: attempt => void Object.assign(attempt, { origin: EXHAUSTED }) },
    { code: 'ACTOR_TOKEN_INVALID', spoil: as('plm_x') },
    { code: 'INVALID_SLUG', spoil: at('%00') },
    ...SHAPE,
    {
      code: 'IDEMPOTENCY_KEY_REUSED',
      spoil: attempt => {
        Object.assign(attempt.headers, USED)
        // Of two simultaneous equal requests one would get REQUEST_IN_PROGRESS.
        attempt.body.summary = `Summary ${++fresh}`
      },
    },
    { code: 'ACTOR_BLOCKED', spoil: as(blocked.token) },
    { code: 'ORIGIN_BLOCKED', spoil: attempt => void Object.assign(attempt, { origin: BLOCKED }) },
    { code: 'COOLDOWN', spoil: as(cooling.token) },
    { code: 'ENTRY_NOT_FOUND', spoil: at('no-such-entry') },
    { code: 'ENTRY_WITHDRAWN', spoil: at(withdrawn.slug) },
    { code: 'ENTRY_LOCKED', spoil: at(locked.slug) },
    { code: 'STALE_REVISION', spoil: ({ body }) => void Object.assign(body, { previousRevisionId: NIL }) },
    {
      code: 'SOURCE_NOT_FOUND',
      spoil: ({ body }) => void Object.assign(body, { sources: [{ entryId: NIL, revisionId: NIL }] }),
    },
    { code: 'SECRET_IN_TEXT', spoil: ({ body }) => void Object.assign(body, { content: writer.token }) },
  ]
  const good = (): Attempt => ({
    path: '/api/entries/{slug}/revisions',
    slug: entry.slug,
    search: '',
    origin: nextOrigin(),
    type: 'application/json',
    headers: { 'x-actor-token': writer.token },
    body: revisionOf(entry, { rationale: 'Because' }),
    edits: [],
  })
  await provePairs(good, spoils, 201)
})

test('of two faults of a moderation the one that is checked first is reported', async () => {
  const { id } = await actorFrom(nextOrigin())
  const originId = await originOf(id)
  const spoils: Spoil[] = [
    { code: 'ROUTE_NOT_FOUND', spoil: attempt => void Object.assign(attempt, { path: '/api/admin/moderation' }) },
    { code: 'RATE_LIMITED', spoil: attempt => void Object.assign(attempt, { origin: EXHAUSTED }) },
    { code: 'ADMIN_TOKEN_INVALID', spoil: ({ headers }) => void Object.assign(headers, { authorization: 'Bearer x' }) },
    ...SHAPE,
    { code: 'TARGET_NOT_FOUND', spoil: ({ body }) => void Object.assign(body, { targetId: 'unknown' }) },
    { code: 'ACTION_NOT_APPLICABLE', spoil: ({ body }) => void Object.assign(body, { action: 'HIDE' }) },
  ]
  const good = (): Attempt => ({
    path: '/api/admin/moderate',
    slug: '',
    search: '',
    origin: nextOrigin(),
    type: 'application/json',
    headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
    body: { targetType: 'ORIGIN', targetId: originId, action: 'RESTORE', reason: 'Because' },
    edits: [],
  })
  await provePairs(good, spoils, 200)
})
