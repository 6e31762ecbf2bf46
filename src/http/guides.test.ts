import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '../config.ts'
import { createGuides } from './documents.ts'

const DAY = 86_400_000

test('a guide is made once per process, security.txt once a day', () => {
  const guides = createGuides(readConfig({ SECURITY_CONTACT: 'mailto:security@example.org' }))
  for (const [path, guide] of Object.entries(guides)) {
    assert.equal(guide(0), guide(DAY - 1), path)
    assert.equal(guide(0) === guide(DAY), path !== '/.well-known/security.txt', path)
  }
  assert.equal(createGuides(readConfig({}))['/.well-known/security.txt']?.(0), undefined)
})
