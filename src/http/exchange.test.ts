import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { test } from 'node:test'
import { Exchange } from './exchange.ts'

function targetOf(url: string): { path: string; search: string } {
  const { path, search } = new Exchange({ url } as IncomingMessage, {} as ServerResponse, () => {})
  return { path, search }
}

test('a target keeps its path and query unchanged', () => {
  assert.deepEqual(targetOf('/api/search?q=a?b&c=/d'), { path: '/api/search', search: 'q=a?b&c=/d' })
  assert.deepEqual(targetOf('/health'), { path: '/health', search: '' })
  assert.deepEqual(targetOf('/a?'), { path: '/a', search: '' })
})

test('an absolute target loses its scheme and host', () => {
  assert.deepEqual(targetOf('http://evil.example:99/api/activity?limit=1'), {
    path: '/api/activity',
    search: 'limit=1',
  })
  assert.deepEqual(targetOf('HTTPS://evil.example/api/admin/snapshot'), { path: '/api/admin/snapshot', search: '' })
  assert.deepEqual(targetOf('/path/http://other/'), { path: '/path/http://other/', search: '' })
})
