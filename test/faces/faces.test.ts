import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../support/app.ts'
import { databaseOf, NO_POSTGRES } from '../support/engine.ts'
import { startRotation } from '../support/rotation.ts'
import { takePartThroughAll } from './every-face.ts'

test('every interface works with a service on the embedded store', async t => {
  await using app = await startApp({}, { engine: 'embedded' })
  await takePartThroughAll(t, app.url)
})

test('every interface works with three nodes on PostgreSQL, each request at another node', {
  skip: NO_POSTGRES,
}, async t => {
  const DATABASE_URL = await databaseOf('faces')
  const nodes = await Promise.all([1, 2, 3].map(() => startApp({ DATABASE_URL })))
  const rotation = await startRotation(nodes.map(({ url }) => url))
  t.after(() => rotation.close())
  for (const node of nodes) t.after(() => node.close())
  await takePartThroughAll(t, rotation.url)
  for (const [index, handed] of rotation.handed.entries()) assert.ok(handed > 50, `node ${index}: ${handed}`)
})
