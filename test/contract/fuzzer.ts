import { ADMIN_TOKEN } from '../support/app.ts'
import type { Answer } from '../support/client.ts'
import { bodySchemaOf, codesOf, type Described, type Row } from './document.ts'
import { anyBytes, anyPath, faultyBody, faultyParameter, type Random, sampleOf, uuidOf } from './generate.ts'
import type { Sending } from './wire.ts'

const POOL_MAX = 100

type Entry = { id: string; slug: string; currentRevisionId: string }
/** Facts from earlier answers. `revisions` may be of any age and entry. */
export type Known = { tokens: string[]; actors: string[]; entries: Entry[]; revisions: string[] }
/** The intent of a request: valid with one fault, random, or about facts of earlier answers. */
export type Kind = 'faulty' | 'random' | 'stateful'
export type Fuzzed = { kind: Kind; row?: Row; method: string; path: string; sending: Sending }
type Source = { random: Random; known: Known; rows: readonly Row[] }

const someOf = <T>(random: Random, from: readonly T[]): T | undefined =>
  from.length === 0 ? undefined : random.pick(from)

/** Ids for the members of a body: the parts of one request are mostly about one entry. */
function idsFor({ random, known }: Source, about: Entry | undefined): (name: string) => string {
  return name => {
    const other = someOf(random, known.entries)
    if (random.below(20) === 0) return someOf(random, known.revisions) ?? uuidOf(random)
    if (name === 'entryId' || name === 'sourceEntryId') return about?.id ?? uuidOf(random)
    if (name === 'targetEntryId') return other?.id ?? uuidOf(random)
    if (name === 'targetId') return random.pick([other?.id, someOf(random, known.actors)]) ?? 'unknown'
    return about?.currentRevisionId ?? uuidOf(random)
  }
}

function credentialOf({ random, known }: Source, { security }: Described): Sending {
  const schemes = security.flatMap(scheme => Object.keys(scheme))
  if (schemes.includes('AdminToken')) return { bearer: ADMIN_TOKEN }
  const required = security.every(scheme => Object.keys(scheme).length > 0)
  const sent = schemes.includes('ActorToken') && (required || random.below(2) === 0)
  return sent ? { token: someOf(random, known.tokens) } : {}
}

/** Few enough that they come again, with the same request and with others. */
const keyOf = (random: Random): Record<string, string> => ({
  'idempotency-key': `key-of-the-fuzzer-${random.below(60)}`,
})

/** A request that the document allows; `full` leaves nothing optional out of its body. */
function valid(source: Source, row: Row, kind: Kind, full: boolean): Fuzzed {
  const { random, known } = source
  const { method, operation } = row
  const about = someOf(random, known.entries)
  const path = row.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    name === 'revisionId'
      ? (about?.currentRevisionId ?? uuidOf(random))
      : name === 'sequence'
        ? random.pick(['0', '1', '20', '60', '9'.repeat(19)])
        : row.path.startsWith('/api/actors/')
          ? (someOf(random, known.actors) ?? uuidOf(random))
          : (random.pick([about?.slug, about?.id]) ?? 'nothing'),
  )
  const query = operation.parameters
    .filter(({ in: where, required }) => where === 'query' && (required || random.below(3) === 0))
    .map(({ name, schema }) => {
      const value = sampleOf(random, schema, () => uuidOf(random), full, name)
      return `${name}=${encodeURIComponent(String(value))}`
    })
  const schema = bodySchemaOf(operation)
  const body = schema === undefined ? {} : { body: sampleOf(random, schema, idsFor(source, about), full) }
  const search = query.length === 0 ? '' : `?${query.join('&')}`
  const keyed = operation.parameters.some(({ in: where }) => where === 'header') && random.below(3) === 0
  const headers = keyed ? { headers: keyOf(random) } : {}
  return {
    kind,
    row,
    method,
    path: path + search,
    sending: { ...credentialOf(source, operation), ...headers, ...body },
  }
}

/** A request that the document allows but for one fault, in its body or its query. */
function faulty(source: Source, row: Row): Fuzzed {
  const { random } = source
  const request = valid(source, row, 'faulty', true)
  const schema = bodySchemaOf(row.operation)
  if (schema !== undefined && random.below(5) > 0) {
    return { ...request, sending: { ...request.sending, body: faultyBody(random, schema, request.sending.body) } }
  }
  const [path = ''] = request.path.split('?')
  const faults = [`?x${random.below(99)}=1`, '?%=', '?a=1&a=2']
  const parameter = someOf(
    random,
    row.operation.parameters.filter(({ in: where }) => where === 'query'),
  )
  if (parameter !== undefined) {
    const { name } = parameter
    faults.push(`?${name}=${faultyParameter(random, parameter.schema)}`, `?${name}=1&${name}=1`)
  }
  return { ...request, path: path + random.pick(faults) }
}

const METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'PATCH', 'OPTIONS']
const TYPES = ['application/json', 'application/json', 'application/json; charset=utf-8', 'text/plain', null]

/** Any method, path, fields and bytes; often those of an operation, so that not all ends at its address. */
function anything({ random, known, rows }: Source): Fuzzed {
  const row = random.pick(rows)
  const method = random.below(3) > 0 ? row.method : random.pick(METHODS)
  const slug = random.below(4) === 0 ? undefined : someOf(random, known.entries)?.slug
  const astray = random.below(3) === 0
  const path = astray ? anyPath(random) : row.path.replaceAll(/\{\w+\}/g, () => slug ?? anyPath(random).slice(1))
  const raw = ['GET', 'HEAD', 'OPTIONS'].includes(method) ? {} : { raw: anyBytes(random) }
  const token = random.pick([undefined, someOf(random, known.tokens), someOf(random, known.tokens), 'x', ''])
  const key = random.pick([undefined, '', '"', 'k', anyPath(random).slice(0, 300), keyOf(random)['idempotency-key']])
  const headers = key === undefined ? {} : { headers: { 'idempotency-key': key } }
  const bearer = random.pick([undefined, ADMIN_TOKEN, 'x'])
  const sending = { type: random.pick(TYPES), token, bearer, ...headers, ...raw }
  // If it certainly is an operation, the document's statements about it apply as well.
  const described = !astray && method === row.method && (slug !== undefined || !row.path.includes('{'))
  return { kind: 'random', ...(described ? { row } : {}), method, path, sending }
}

/** Makes requests: half with one fault, a third of anything, the rest stateful. */
export function createFuzzer(random: Random, known: Known, rows: readonly Row[]): () => Fuzzed {
  const source = { random, known, rows }
  /** Where a query is not closed, nothing in it is a fault. */
  const faultable = rows.filter(({ operation }) => codesOf(operation, 400).includes('UNKNOWN_PARAMETER'))
  /** Moderation takes entries and actors away: now and then only. */
  const gentle = rows.filter(({ operation }) => operation.operationId !== 'moderate')
  return () => {
    const die = random.below(6)
    if (die < 3) return faulty(source, random.pick(faultable))
    if (die < 5) return anything(source)
    return valid(source, random.pick(random.below(3) === 0 ? rows : gentle), 'stateful', random.below(2) === 0)
  }
}

/** Stores the tokens, actors, entries and revisions of an answer; a new token replaces the sent one. */
export function learn(random: Random, known: Known, { body, status }: Answer, sent?: string): void {
  if (status === 200 && typeof body.token === 'string' && sent !== undefined) {
    known.tokens = known.tokens.map(token => (token === sent ? String(body.token) : token))
  }
  if (status !== 201) return
  const keep = <T>(pool: T[], item: T): void => {
    if (pool.length < POOL_MAX) pool.push(item)
    else pool[random.below(POOL_MAX)] = item
  }
  const { token, actor, slug, currentRevisionId } = body as Partial<Entry> & { token?: string; actor?: { id: string } }
  if (token !== undefined && actor !== undefined) {
    keep(known.tokens, token)
    keep(known.actors, actor.id)
  }
  if (slug === undefined || currentRevisionId === undefined) return
  const entry = body as Entry
  keep(known.revisions, currentRevisionId)
  const place = known.entries.findIndex(({ id }) => id === entry.id)
  if (place >= 0) known.entries[place] = entry
  else keep(known.entries, entry)
}
