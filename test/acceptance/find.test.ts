import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EntryList, FoundList } from '../../src/contract/resources.ts'
import { useApp } from '../support/app.ts'
import { call, callPatiently, columnOf, expectProblem, expectStatus, newActor, newEntry } from '../support/client.ts'
import { moderate } from '../support/moderation.ts'

let token: string
const ENTRIES: Record<string, { title: string; summary: string; content: string; tags?: string[] }> = {
  refused: {
    title: 'PostgreSQL refuses connections right after the container starts',
    summary: 'The server accepts no connections until initialisation has ended; wait for its health check.',
    content:
      'connect ECONNREFUSED 127.0.0.1:5432 appears while the database is still being initialised.\n\nAdd a health check with pg_isready and let the application depend on it. Retrying with a growing pause works as well.',
    tags: ['postgresql', 'docker'],
  },
  wal: {
    title: 'SQLite in WAL mode: one writer, many readers',
    summary: 'Readers do not block the writer.',
    content: 'In WAL mode readers see the last commit while one writer appends to the log.',
    tags: ['sqlite'],
  },
  parser: {
    title: 'parseUserNames drops empty lines',
    summary: 'The helper getUserNames depends on it.',
    content: 'Call parseUserNames(text, { keepEmpty: true }) from version v20.11.1 on. It is written in C++.',
  },
  verbindung: {
    title: 'Datenbank antwortet nicht',
    summary: 'Die Verbindung zur Datenbank bricht ab.',
    content: 'Nach einem Neustart bricht jede Verbindung zur Datenbank ab, bis der Pool neu aufgebaut ist.',
  },
  japanese: {
    title: 'データベースの接続',
    summary: '接続できない場合',
    content: 'データベースに接続できない場合は再起動します。',
  },
  russian: {
    title: 'Ошибки подключения к базе данных',
    summary: 'Подключение прерывается после перезапуска.',
    content: 'После перезапуска сервера подключения прерываются.',
  },
}
const app = useApp({}, async () => {
  token = (await newActor(app.url)).token
  for (const entry of Object.values(ENTRIES)) await newEntry(app.url, token, entry)
  for (let n = 0; n < 20; n++) {
    await newEntry(app.url, token, {
      title: `Tea ${n}`,
      summary: 'About tea',
      content: `Brew tea number ${n} at 80 degrees.`,
    })
  }
})

const find = async (q: string, more: Record<string, string> = {}): Promise<FoundList> =>
  expectStatus(
    await callPatiently<FoundList>(app.url, 'GET', `/api/find?${new URLSearchParams({ q, limit: '10', ...more })}`),
    200,
  )
const first = async (q: string): Promise<string | undefined> => (await find(q)).items[0]?.title
const titleOf = (name: string): string => ENTRIES[name]?.title ?? ''

test('a question in other words finds the entry that answers it', async () => {
  for (const [q, name] of [
    ['why is my database refusing the connection when docker has just started?', 'refused'],
    ['Error: connect ECONNREFUSED 127.0.0.1:5433 at TCPConnectWrap.afterConnect', 'refused'],
    ['how many writers and readers can SQLite have at the same time', 'wal'],
    ['get_user_names returns nothing', 'parser'],
    ['node 20.11 parse names', 'parser'],
    ['Datenbankverbindung bricht ab', 'verbindung'],
    ['データベースに接続できません', 'japanese'],
    ['ошибка при подключении', 'russian'],
  ] as const) {
    assert.equal(await first(q), titleOf(name), q)
  }
})

test('words that no entry has are repaired, or named as missing', async () => {
  const found = await find('postgrseql conection refused xylophone')
  assert.equal(found.items[0]?.title, titleOf('refused'))
  assert.deepEqual(found.missing, ['xylophone'])
  assert.deepEqual(columnOf(found.corrected, 'from'), ['postgrseql', 'conection'])
})

test('a word is corrected to a stop word only by a frequent kind of error', async () => {
  await newEntry(app.url, token, { title: 'A pool that is not full', summary: 'S', content: 'It is not that one.' })
  const { missing, corrected } = await find('chat note taht')
  assert.deepEqual(missing, ['chat', 'note'])
  assert.deepEqual(corrected, [{ from: 'taht', to: 'that' }])
})

test('a name with a number that no entry has is missing, and the question is not answerable', async () => {
  for (const [title, content] of [
    ['TypeScript TS2322: type is not assignable', 'The compiler reports TS2322 for the assignment.'],
    ['Oracle ORA-01017 at logon', 'ORA-01017 means that the user name or the password is wrong.'],
    ['Rust E0499 in a loop', 'The borrow checker reports E0499 for two mutable borrows.'],
    ['Virtual environments of python3.11', 'On this system python3.11 -m venv needs a package of its own.'],
    ['Keeping HTTP/1 connections open', 'Over HTTP/1 each connection carries one request at a time.'],
    ['The otter1 host', 'On otter1 the disks are mirrored.'],
    ['A note with numbers', 'Two is 2, twelve is 12, and 3 is between them; 942 and 382 are larger.'],
  ] as const) {
    await newEntry(app.url, token, { title, summary: title, content })
  }
  for (const [asked, other] of [
    ['TS2345', 'TS2322'],
    ['ORA-00942', 'ORA-01017'],
    ['E0382', 'E0499'],
    ['python3.12', 'python3.11'],
    ['HTTP/2', 'HTTP/1'],
    ['otter2', 'otter1'],
  ] as const) {
    const absent = await find(asked)
    assert.deepEqual(absent.missing, [asked.toLowerCase()], asked)
    assert.equal(absent.answerable, false, `${asked}: ${absent.match}`)
    assert.notEqual(absent.coverage, 'ALL', asked)
    const present = await find(other)
    assert.deepEqual([present.missing, present.coverage], [[], 'ALL'], other)
    assert.equal(present.answerable, true, `${other}: ${present.match}`)
    const [both, one] = [await find(`what does ${asked} mean here`), await find(`what does ${other} mean here`)]
    assert.ok(both.match < one.match, `${asked}: ${both.match} and ${one.match}`)
  }
  assert.deepEqual((await find('python 3.12')).missing, ['3.12'])
  assert.match((await find('otter2')).items[0]?.title ?? '', /otter1/)
})

test('an entry with the exact name and number comes first, in any spelling of the question', async () => {
  // Sentences with words of their own: a text that repeats itself counts for less.
  const padding = Array.from({ length: 12 }, (_, n) => {
    const own = [...'bdfgklmnprst'].map(letter => `${letter}o${'aeiou'[n % 5]}${'bdfgklmnprst'[n]}er`).join(' ')
    return `More lines about tables, views, users and the logon of each: ${own}. `
  }).join('')
  for (const [name, other] of [
    ['TS7053', 'TS7006'],
    ['ORA-12154', 'ORA-12541'],
    ['E0716', 'E0597'],
    ['ruby3.3', 'ruby3.2'],
    ['QUIC/2', 'QUIC/1'],
    ['badger2', 'badger1'],
  ] as const) {
    const exact = `${padding}Then ${name} was reported. ${padding}`
    const entry = await newEntry(app.url, token, {
      title: `Night log ${name.length}`,
      summary: 'A log',
      content: exact,
    })
    for (let n = 0; n < 3; n++) {
      const title = `${other} explained: users, tables and views, part ${n}`
      await newEntry(app.url, token, { title, summary: other, content: `${other} in full: ${other} for users.` })
    }
    for (const q of [name, name.toLowerCase(), `${name} for users`, `tables and views: ${name}`]) {
      const found = await find(q)
      assert.equal(found.items[0]?.id, entry.id, q)
      assert.deepEqual(found.missing, [], q)
    }
  }
  for (const [q, name] of [
    ['ORA 12154', 'ora'],
    ['ruby 3.3', 'ruby'],
    ['QUIC 2', 'quic'],
    ['badger-2', 'badger'],
    ['badger 2', 'badger'],
  ] as const) {
    const [row] = (await find(q)).items
    assert.match(row?.title ?? '', /^Night log/, q)
    assert.match(row?.excerpt.toLowerCase() ?? '', new RegExp(name), q)
  }
})

test('an excerpt begins with a sentence that has a word of the question', async () => {
  const token = (await newActor(app.url)).token
  const content = `${'Nothing here is about it. '.repeat(80)}The zebrafinch sings at dawn. Its song is short.`
  await newEntry(app.url, token, { title: 'A bird', summary: 'A bird.', content })
  const [row] = (await find('zebrafinch song')).items
  assert.match(row?.excerpt ?? '', /^… The zebrafinch sings at dawn\. Its song is short\.$/)
})

test('a row is short, and its excerpt is the best passage', async () => {
  const { items, contentTrust } = await find('health check pg_isready')
  const [row] = items
  assert.ok(row?.excerpt.includes('Add a health check with pg_isready'), row?.excerpt)
  assert.ok(!('content' in (row ?? {})))
  assert.equal(contentTrust, 'UNTRUSTED_USER_DATA')
  assert.ok((row?.score ?? 0) > 0 && (row?.score ?? 0) <= 1)
})

test('the answer states how well it matches', async () => {
  const good = await find('SQLite WAL mode readers writer')
  const foreign = await find('symphony orchestra conductor salary in Vienna tea')
  assert.equal(good.coverage, 'ALL')
  assert.equal(good.answerable, true)
  assert.equal(foreign.answerable, false)
  assert.ok(good.match > foreign.match)
  const none = await find('zzzzqqqq')
  assert.deepEqual([none.coverage, none.match, none.answerable, none.items], ['NONE', 0, false, []])
})

test('coverage is ALL only where the first entry has every word', async () => {
  assert.equal((await find('one writer and many readers in WAL mode')).coverage, 'ALL')
  const spread = await find('SQLite readers, PostgreSQL health check, tea')
  assert.deepEqual([spread.missing, spread.corrected], [[], []])
  assert.equal(spread.coverage, 'SOME')
})

test('a question of stop words alone finds the entries that have all of them, and is not answerable', async () => {
  const title = 'What it is and how it was done'
  await newEntry(app.url, token, { title, summary: 'About nothing else.', content: 'The others were not like this.' })
  for (const q of ['how was it and what is it', '"is and how it was"']) {
    const found = await find(q)
    assert.deepEqual([found.items[0]?.title, found.coverage, found.answerable], [title, 'ALL', false], q)
  }
  const none = await find('whom were they against')
  assert.deepEqual([none.items, none.coverage], [[], 'NONE'])
  assert.deepEqual((await find(' ?! ')).items, [])
})

test('a list by relevance has entries with all words first, then those with any, and marks the limit between them', async () => {
  const list = async (q: string, sort: string) => {
    const answer = await callPatiently<EntryList>(app.url, 'GET', `/api/search?${new URLSearchParams({ q, sort })}`)
    return { ...expectStatus(answer, 200), header: answer.headers.get('search-match') }
  }
  const all = await list('sqlite readers', 'relevance')
  assert.equal(all.header, 'all')
  assert.equal(all.items[0]?.title, titleOf('wal'))
  for (const sort of ['relevance', 'recent', 'evolution']) {
    const some = await list('sqlite readers violin', sort)
    assert.equal(some.header, 'some', sort)
    assert.equal(some.items[0]?.title, titleOf('wal'), sort)
    assert.ok((some.match ?? 1) < 1, sort)
  }
  const none = await list('zzzzqqqq', 'recent')
  assert.deepEqual([none.header, none.match, none.items], ['none', 0, []])
  const unfiltered = await call<EntryList>(app.url, 'GET', '/api/search')
  assert.equal(unfiltered.headers.get('search-match'), null)
  assert.ok(!('match' in unfiltered.body))
})

test('a tag filters, a withdrawn entry is not found, and a long stack trace is accepted whole', async () => {
  const q = 'connections readers database'
  assert.deepEqual(columnOf((await find(q, { tag: 'SQLite' })).items, 'title'), [titleOf('wal')])
  const trace = `TypeError: cannot read properties of undefined\n${'    at Object.<anonymous> (/srv/app/index.js:1:1)\n'.repeat(30)}parseUserNames failed`
  assert.equal(await first(trace.slice(0, 2_000)), titleOf('parser'))
  const wal = (await find('sqlite wal')).items[0]
  await moderate(app.url, 'ENTRY', wal?.id ?? '', 'HIDE')
  assert.ok((await find('sqlite wal')).items.every(({ id }) => id !== wal?.id))
  await moderate(app.url, 'ENTRY', wal?.id ?? '', 'RESTORE')
  assert.equal((await find('sqlite wal')).items[0]?.id, wal?.id)
})

test('a question has its bounds, and is neither logged nor shown in the feed', async () => {
  for (const [query, code] of [
    ['', 'MISSING_PARAMETER'],
    ['?q=', 'INVALID_Q'],
    [`?q=${'x'.repeat(2_001)}`, 'INVALID_Q'],
    ['?q=a&limit=0', 'INVALID_LIMIT'],
    ['?q=a&limit=21', 'INVALID_LIMIT'],
    ['?q=a&offset=1', 'UNKNOWN_PARAMETER'],
    ['?q=a%00b', 'INVALID_Q'],
  ] as const) {
    expectProblem(await call(app.url, 'GET', `/api/find${query}`), 400, code)
  }
  await find('Confidentialword in a question')
  const feed = await call(app.url, 'GET', '/api/activity')
  assert.doesNotMatch(feed.text, /onfidentialword/)
  assert.doesNotMatch(app.log(), /onfidentialword/)
})

test('evidence orders near ties: supported, unchecked, contradicted', async () => {
  const publish = (name: string) =>
    newEntry(app.url, token, { title: `Kiln ${name}`, summary: 'Firing a kiln', content: 'Fire the kiln to cone six.' })
  const [plain, supported, contradicted] = [await publish('one'), await publish('two'), await publish('three')]
  const { token: other } = await newActor(app.url)
  const judge = (slug: string, path: string, body: object) =>
    call(app.url, 'POST', `/api/entries/${slug}/${path}`, { token: other, body: { rationale: 'Tried it.', ...body } })
  const verification = { revisionId: supported.currentRevisionId, result: 'SUPPORTED', confidence: 0.9 }
  assert.equal((await judge(supported.slug, 'verify', verification)).status, 201)
  const contradiction = { revisionId: contradicted.currentRevisionId, rationale: 'It cracks at cone six.' }
  assert.equal((await judge(contradicted.slug, 'contradict', contradiction)).status, 201)

  const { items } = await find('fire the kiln to which cone')
  assert.deepEqual(columnOf(items.slice(0, 2), 'slug'), [supported.slug, plain.slug])
  assert.equal(items.at(-1)?.slug, contradicted.slug)
  assert.equal(items[0]?.standing.state, 'SUPPORTED')
  const ofState = await find('fire the kiln', { state: 'CONTRADICTED' })
  assert.deepEqual(columnOf(ofState.items, 'slug'), [contradicted.slug])
  const { items: none, coverage, match, answerable } = await find('fire the kiln', { state: 'DISPUTED' })
  assert.deepEqual({ none, coverage, match, answerable }, { none: [], coverage: 'NONE', match: 0, answerable: false })

  const brief = await find('fire the kiln', { tokens: '2000' })
  const last = brief.items.find(({ slug }) => slug === contradicted.slug)
  assert.deepEqual(
    last?.objections?.map(({ rationale }) => rationale),
    ['It cracks at cone six.'],
  )
})

test('a brief takes at most the tokens that were asked for, as JSON and as Markdown in one fence', async () => {
  for (const tokens of [300, 500, 2_000]) {
    const path = `/api/find?${new URLSearchParams({ q: 'brew tea at 80 degrees', tokens: String(tokens) })}`
    const json = await call<FoundList>(app.url, 'GET', path)
    assert.ok(Buffer.byteLength(json.text) <= tokens * 4, `${tokens}: ${Buffer.byteLength(json.text)} bytes`)
    assert.ok(json.body.items.length > 0)
    const markdown = await call(app.url, 'GET', path, { headers: { accept: 'text/markdown' } })
    assert.match(markdown.headers.get('content-type') ?? '', /^text\/markdown/)
    assert.ok(
      Buffer.byteLength(markdown.text) <= tokens * 4,
      `${tokens}: ${Buffer.byteLength(markdown.text)} bytes of Markdown`,
    )
    const [, mark = ''] = /^<<<([0-9a-f]{24})$/m.exec(markdown.text) ?? []
    assert.ok(mark !== '' && markdown.text.endsWith(`${mark}>>>\n`))
    assert.match(markdown.text, /UNTRUSTED_USER_DATA/)
  }
})
