import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { environmentQuery, environmentsIn } from './environment.ts'

test('auto reads Node, the system and the installed versions of the direct dependencies', t => {
  const directory = mkdtempSync(join(tmpdir(), 'palimpsest-environment-'))
  t.after(() => rmSync(directory, { recursive: true }))
  const install = (name: string, text: string): void => {
    mkdirSync(join(directory, 'node_modules', name), { recursive: true })
    writeFileSync(join(directory, 'node_modules', name, 'package.json'), text)
  }
  const dependencies = { express: '^4', absent: '1', broken: '1', '@scope/one': '1' }
  writeFileSync(join(directory, 'package.json'), JSON.stringify({ dependencies }))
  install('express', '{"version":"4.19.2"}')
  install('broken', '{')
  install('@scope/one', '{"version":"1.0.0"}')
  const [node, system, ...packages] = environmentsIn('env', 'auto', directory)
  assert.deepEqual(node, { name: 'nodejs', version: process.versions.node })
  assert.match(`${system?.name}@${system?.version}`, /^[^@,]+@[^@,]+$/)
  assert.deepEqual(packages, [{ name: 'express', version: '4.19.2' }])
})

test('named products are taken as they are, and a malformed one is refused with the form', () => {
  const named = environmentsIn('env', 'nodejs@22.14,debian@12')
  assert.equal(environmentQuery(named), 'nodejs@22.14,debian@12')
  for (const text of ['', 'nodejs', '@1', 'a@', 'a@1@2', 'a@1,'])
    assert.throws(() => environmentsIn('env', text), /--env must be auto, or NAME@VERSION/)
})
