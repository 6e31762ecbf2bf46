import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shareApp } from '../support/app.ts'
import { callPatiently } from '../support/client.ts'

const app = shareApp()

test('find answers in the type that the Accept field weighs highest', async () => {
  for (const [accept, type] of [
    ['text/markdown', 'text/markdown'],
    ['text/markdown;q=0.1, application/json', 'application/json'],
    ['application/json;q=0.5, text/markdown', 'text/markdown'],
    ['text/markdown, */*;q=0.1', 'text/markdown'],
    ['*/*', 'application/json'],
    ['text/markdown;q=0', 'application/json'],
    ['image/png', 'application/json'],
  ] as const) {
    const answer = await callPatiently(app.url, 'GET', '/api/find?q=tea', { headers: { accept } })
    assert.equal(answer.headers.get('content-type')?.split(';')[0], type, accept)
  }
})
