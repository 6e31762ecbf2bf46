import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { Entry } from '../../src/contract/resources.ts'
import { connectPostgres } from '../../src/database/postgres.ts'
import { createFollower, FOLLOWING } from '../../src/postgres/search-follow.ts'
import { startApp } from '../support/app.ts'
import { call, expectStatus, newActor } from '../support/client.ts'
import { databaseOf, NO_POSTGRES } from '../support/engine.ts'

const HOUR = 3_600_000
/** More than are put into the index at a time. */
const MANY = 250
const SESSION = { name: 'test', statementTimeout: 30_000, idleTimeout: 30_000 }

test('entries are gathered for the index until a search of any node waits for them, and many are put there at once', {
  skip: NO_POSTGRES,
}, async () => {
  const url = await databaseOf('gather for the index')
  const app = await startApp({ DATABASE_URL: url })
  const connection = await connectPostgres({ url, ...SESSION })
  try {
    // From now on this session follows, as another node would, and that of the service is kept out.
    await connection.exec(`SELECT pg_advisory_lock(${FOLLOWING})`)
    while ((await createFollower(0).follow(connection)) !== 'idle');
    const gathering = createFollower(HOUR)
    const { token } = await newActor(app.url)
    const publish = async (content: string): Promise<void> => {
      const body = { title: 'Quoll', summary: 'An animal', content }
      expectStatus(await call<Entry>(app.url, 'POST', '/api/entries', { token, body }), 201)
    }
    const search = (word: string) => call<{ items: Entry[] }>(app.url, 'GET', `/api/search?q=${word}&limit=50`)

    await publish('spotted')
    assert.equal(await gathering.follow(connection), 'gathering')
    const found = search('spotted')
    let followed = await gathering.follow(connection)
    for (; followed === 'gathering'; followed = await gathering.follow(connection)) await setTimeout(5)
    assert.equal(followed, 'done')
    assert.equal(expectStatus(await found, 200).items.length, 1)
    assert.equal(await gathering.follow(connection), 'idle')

    await Promise.all(Array.from({ length: MANY }, (_, number) => publish(`striped w${number}`)))
    assert.equal(await gathering.follow(connection), 'gathering')
    const atOnce = createFollower(0)
    assert.deepEqual([await atOnce.follow(connection), await atOnce.follow(connection)], ['more', 'done'])
    assert.equal(expectStatus(await search('striped'), 200).items.length, 50)
    assert.equal(expectStatus(await search(`w${MANY - 1}`), 200).items.length, 1)
  } finally {
    await connection.close()
  }
})

test('what is committed between the look at the store and the read of its changes is put into the index once', {
  skip: NO_POSTGRES,
}, async () => {
  const url = await databaseOf('commit beside the index')
  const app = await startApp({ DATABASE_URL: url })
  const connection = await connectPostgres({ url, ...SESSION })
  try {
    await connection.exec(`SELECT pg_advisory_lock(${FOLLOWING})`)
    while ((await createFollower(0).follow(connection)) !== 'idle');
    const { token } = await newActor(app.url)
    const publish = async (title: string): Promise<void> => {
      const body = { title, summary: 'An animal', content: 'Small' }
      expectStatus(await call<Entry>(app.url, 'POST', '/api/entries', { token, body }), 201)
    }
    let late = 0
    const interrupted: typeof connection = {
      ...connection,
      async send(queries) {
        // The look is several queries in one, the read of the changes the first that goes by itself.
        if (queries.length === 1 && late++ === 0) await publish('Bettong')
        return connection.send(queries)
      },
    }
    await publish('Quokka')
    const follower = createFollower(0)
    assert.deepEqual([await follower.follow(interrupted), await follower.follow(interrupted)], ['done', 'idle'])
    assert.equal(late, 1)
    const found = await call<{ items: Entry[] }>(app.url, 'GET', '/api/search?q=animal')
    assert.equal(expectStatus(found, 200).items.length, 2)
  } finally {
    await connection.close()
  }
})

test('the index is followed once the schema is there: a step of it may still be to come', {
  skip: NO_POSTGRES,
}, async () => {
  const url = await databaseOf('follow an older schema')
  const app = await startApp({ DATABASE_URL: url })
  const { token } = await newActor(app.url)
  const search = () => call<{ items: Entry[] }>(app.url, 'GET', '/api/search?q=numbat')
  // The index is followed from here on.
  assert.equal(expectStatus(await search(), 200).items.length, 0)
  const connection = await connectPostgres({ url, ...SESSION })
  try {
    await connection.exec('ALTER TABLE search_progress RENAME COLUMN wanted TO unknown')
    const body = { title: 'Numbat', summary: 'An animal', content: 'Banded' }
    expectStatus(await call<Entry>(app.url, 'POST', '/api/entries', { token, body }), 201)
    // Long enough for a few looks.
    await setTimeout(300)
    await connection.exec('ALTER TABLE search_progress RENAME COLUMN unknown TO wanted')
    assert.equal(expectStatus(await search(), 200).items.length, 1)
  } finally {
    await connection.close()
  }
})

test('what a lost server forgot of the index is put there again: a new session knows of no words', {
  skip: NO_POSTGRES,
}, async () => {
  const url = await databaseOf('forget what was indexed')
  const app = await startApp({ DATABASE_URL: url })
  const { token } = await newActor(app.url)
  const body = { title: 'Potoroo', summary: 'An animal', content: 'Nocturnal' }
  expectStatus(await call<Entry>(app.url, 'POST', '/api/entries', { token, body }), 201)
  await app.close()
  const follower = createFollower(0)
  for (let time = 0; time < 2; time++) {
    const connection = await connectPostgres({ url, ...SESSION })
    try {
      // As if commits that nobody waited for had not come to the disk.
      await connection.exec('DELETE FROM search_word; UPDATE search_progress SET version = 0')
      assert.equal(await follower.follow(connection), 'done')
      const found = await connection.send([
        { text: 'SELECT word FROM search_word WHERE word = $1', values: ['potoroo'] },
      ])
      assert.equal(found[0]?.rows.length, 1)
    } finally {
      await connection.close()
    }
  }
})
