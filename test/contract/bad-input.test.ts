import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { LIMITS } from '../../src/contract/limits.ts'
import { OPERATIONS, type Operation, type OperationName } from '../../src/contract/operations.ts'
import { shareApp } from '../support/app.ts'
import { expectStatus } from '../support/client.ts'
import { openWire, type Sending, type Wire } from './wire.ts'
import { credentialOf, expectRefusal, makeWorld, pathOf, storingNothing, type World } from './world.ts'

let wire: Wire
let world: World
const app = shareApp({}, async () => {
  wire = openWire(app.url)
  world = await makeWorld(app.url)
})
after(() => wire.close())

const WRITES = (Object.entries(OPERATIONS) as [OperationName, Operation][]).filter(([, { body }]) => body !== undefined)
const entry = { title: 'Title', content: 'Content', summary: 'Summary' }

/** Sends something to a write operation, with the credential that it needs. */
const post = (name: OperationName, sending: Sending) => {
  const { path, access }: Operation = OPERATIONS[name]
  return wire.send('POST', pathOf(path, world), { ...credentialOf(access, world), ...sending })
}

/** Every write operation refuses it with the same problem, and stores nothing. */
async function refusedByAll(label: string, sending: Sending, status: number, code: string): Promise<void> {
  for (const [name] of WRITES) expectRefusal(`${name}: ${label}`, await post(name, sending), status, code)
}

const MALFORMED: [string, string | Uint8Array][] = [
  ['nothing', ''],
  ['spaces', '  \n'],
  ['half an object', '{"title":'],
  ['two objects', '{}{}'],
  ['a trailing comma', '{"title":"a",}'],
  ['single quotes', "{'title':'a'}"],
  ['a comment', '{/* */}'],
  ['bare words', 'undefined'],
  ['a raw line break in a text', '{"title":"a\nb"}'],
  ['a raw NUL in a text', '{"title":"a\u0000b"}'],
  ['a raw NUL behind', '{}\u0000'],
  ['a bad escape', '{"title":"\\x41"}'],
  ['a cut escape', '{"title":"\\u00"}'],
  ['a byte order mark', '\ufeff{}'],
  ['a UTF-16 body', Buffer.from('\ufeff{}', 'utf16le')],
  ['a byte that is no UTF-8', Buffer.from('7b2261223a22ff227d', 'hex')],
  ['an overlong slash', Buffer.from('7b2261223a22c0af227d', 'hex')],
  ['an encoded surrogate', Buffer.from('7b2261223a22eda080227d', 'hex')],
  ['a cut character', Buffer.from('7b2261223a22e381227d', 'hex')],
  ['beyond U+10FFFF', Buffer.from('7b2261223a22f4908080227d', 'hex')],
  ['a form', 'title=a&content=b'],
  ['no-break space', '\u00a0{}'],
  ['brackets without end', '['.repeat(10_000)],
  ['objects without end', '{"a":'.repeat(5_000)],
]

test('a body that is not JSON in UTF-8 is MALFORMED_JSON everywhere, and nothing is stored', () =>
  storingNothing(wire, async () => {
    for (const [label, raw] of MALFORMED) await refusedByAll(label, { raw }, 400, 'MALFORMED_JSON')
    await refusedByAll('a type but no body', { type: 'application/json' }, 400, 'MALFORMED_JSON')
  }))

const deep = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`
const MISFITS: [string, string][] = [
  ['5,000 objects in each other', `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`],
  ['a deep unknown member', `{"unknown":${deep(10_000)}}`],
  ['__proto__', '{"__proto__":{"actorType":"AGENT"}}'],
  ['__proto__ of nothing', '{"__proto__":null}'],
  ['constructor', '{"constructor":{"prototype":{"title":"a"}}}'],
  ['toString', '{"toString":"a"}'],
  ['3,000 unknown members', `{${Array.from({ length: 3_000 }, (_, n) => `"m${n}":1`).join()}}`],
]

test('deep nesting and members of prototypes are refused everywhere, and nothing is stored', () =>
  storingNothing(wire, async () => {
    await refusedByAll('10,000 arrays in each other', { raw: deep(10_000) }, 400, 'INVALID_BODY')
    const deepTitle = { raw: `{"title":${deep(10_000)},"content":"c","summary":"s"}` }
    expectRefusal('a deep member', await post('createEntry', deepTitle), 400, 'INVALID_TITLE')
    for (const [label, raw] of MISFITS) await refusedByAll(label, { raw }, 400, 'UNKNOWN_MEMBER')
    const members = '"content":"c","summary":"s"'
    for (const own of [
      '"__proto__":{"title":"t"}',
      '"title":"t","__proto__":{"tags":["a"]}',
      '"title":"t","__proto__":1',
    ]) {
      const answer = await post('createEntry', { raw: `{${members},${own}}` })
      expectRefusal(own, answer, 400, 'UNKNOWN_MEMBER')
    }
  }))

test('of duplicate members the last one counts', async () => {
  const raw = '{"title":"first","content":"c","summary":"s","title":"last"}'
  assert.equal(expectStatus(await post('createEntry', { raw }), 201).title, 'last')
  const spoilt = '{"title":"first","content":"c","summary":"s","title":1}'
  expectRefusal('the last is wrong', await post('createEntry', { raw: spoilt }), 400, 'INVALID_TITLE')
  const corrected = '{"title":1,"content":"c","summary":"s","t\\u0069tle":"escaped"}'
  assert.equal(expectStatus(await post('createEntry', { raw: corrected }), 201).title, 'escaped')
})

const BAD_TYPES = [
  null,
  '',
  'text/plain',
  'text/plain; charset=utf-8',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/octet-stream',
  'text/json',
  'application/jsonp',
  'application/json5',
  'application/json-patch+json',
  'application/vnd.api+json',
  'application/merge-patch+json',
  'json',
  '*/*',
  'application/*',
  'application/json, text/plain',
  'application/json; charset=utf-16',
  'application/json; charset=utf-16le',
  'application/json; charset=iso-8859-1',
  'application/json; charset=us-ascii',
  'application/json; charset=',
  'application/json; charset="utf-8',
  'application/json; charset=utf-8; charset=utf-16',
  'application/json; version=1',
  'application/json/extra',
  '\u00e9',
]
const GOOD_TYPES = [
  'application/json',
  'Application/JSON',
  'application/json;charset=utf-8',
  'application/json; charset=UTF-8',
  'application/json; charset="utf-8"',
  'application/json ; charset=utf-8',
  'application/json;',
]

test('a body of any other type, or compressed, is 415 everywhere, and nothing is stored', () =>
  storingNothing(wire, async () => {
    for (const type of BAD_TYPES) {
      await refusedByAll(`type ${type}`, { type, body: entry }, 415, 'UNSUPPORTED_MEDIA_TYPE')
    }
    await refusedByAll('no body and no type', {}, 415, 'UNSUPPORTED_MEDIA_TYPE')
    for (const coding of ['gzip', 'deflate', 'br', 'zstd', 'x-gzip', 'GZIP', 'identity, gzip', 'nonsense', 'utf-8']) {
      const sending = { raw: gzipSync(JSON.stringify(entry)), headers: { 'content-encoding': coding } }
      await refusedByAll(`coding ${coding}`, sending, 415, 'UNSUPPORTED_MEDIA_TYPE')
    }
  }))

test('JSON with or without charset utf-8, uncompressed, is accepted', async () => {
  for (const type of GOOD_TYPES) expectStatus(await post('createEntry', { type, body: entry }), 201)
  for (const coding of ['identity', 'Identity']) {
    expectStatus(await post('createEntry', { body: entry, headers: { 'content-encoding': coding } }), 201)
  }
})

/** A valid entry of exactly this many bytes, including spaces after the object. */
const sized = (bytes: number): string => {
  const text = JSON.stringify({ ...entry, content: 'x'.repeat(19_000) })
  return text + ' '.repeat(bytes - text.length)
}
const chunked = (text: string, size: number): Sending => ({
  chunks: Array.from({ length: Math.ceil(text.length / size) }, (_, n) => text.slice(n * size, (n + 1) * size)),
})

test('a body of 32768 bytes is accepted, one of 32769 is 413, announced or streamed', async () => {
  const most = LIMITS.bodyBytes
  expectStatus(await post('createEntry', { raw: sized(most) }), 201)
  expectStatus(await post('createEntry', chunked(sized(most), 1_000)), 201)
  await storingNothing(wire, async () => {
    await refusedByAll('one over', { raw: sized(most + 1) }, 413, 'BODY_TOO_LARGE')
    await refusedByAll('one over in chunks', chunked(sized(most + 1), 5_000), 413, 'BODY_TOO_LARGE')
    await refusedByAll('ten times', { raw: sized(most * 10) }, 413, 'BODY_TOO_LARGE')
    await refusedByAll('ten times in chunks', chunked(sized(most * 10), 20_000), 413, 'BODY_TOO_LARGE')
  })
})

test('a body that is too large is reported before its other faults', () =>
  storingNothing(wire, async () => {
    await refusedByAll('broken', { raw: '{'.repeat(40_000) }, 413, 'BODY_TOO_LARGE')
    await refusedByAll('no UTF-8', { raw: Buffer.alloc(40_000, 0xff) }, 413, 'BODY_TOO_LARGE')
    const content = 'あ'.repeat(LIMITS.contentCharacters)
    await refusedByAll('20,000 characters of three bytes', { body: { ...entry, content } }, 413, 'BODY_TOO_LARGE')
    await refusedByAll('wrong type', { raw: 'x'.repeat(40_000), type: 'text/plain' }, 415, 'UNSUPPORTED_MEDIA_TYPE')
  }))
