import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Release, releaseNotes } from '../scripts/check-release.ts'

const read = (path: string): string => readFileSync(join(import.meta.dirname, '..', path), 'utf8')
const RELEASE: Release = {
  packageJson: '{"version":"0.2.0"}',
  serverJson: '{"version":"0.2.0"}',
  changelog: '# Changelog\n\n## 0.2.0, 2026-12-01\n\n- New.\n\n## 0.1.0, 2026-11-01\n\n- Old.\n',
}

test('the notes of a release are its section of the changelog', () => {
  assert.equal(releaseNotes('v0.2.0', RELEASE), '- New.')
})

test('a release is refused with a sentence if its versions differ or its section has no date', () => {
  const refused = (tag: string, change: Partial<Release>, sentence: RegExp) =>
    assert.throws(() => releaseNotes(tag, { ...RELEASE, ...change }), sentence)
  refused('v0.3.0', {}, /^Error: The tag is v0\.3\.0, but package\.json has version 0\.2\.0\.$/)
  refused('v0.2.0', { serverJson: '{"version":"0.1.0"}' }, /^Error: server\.json has version 0\.1\.0, not 0\.2\.0\.$/)
  refused('v0.2.0', { changelog: '# Changelog\n' }, /^Error: CHANGELOG\.md has no section "## 0\.2\.0, <date>"\.$/)
  refused('v0.2.0', { changelog: '## 0.2.0, unreleased\n' }, /^Error: The section .+ has no date\.$/)
})

test('a check without a tag accepts a section that is not released', () => {
  assert.equal(releaseNotes(undefined, { ...RELEASE, changelog: '## 0.2.0, unreleased\n\n- New.\n' }), '- New.')
})

test('the versions of the package, of the description for MCP registries and of the changelog agree', () => {
  const release = {
    packageJson: read('package.json'),
    serverJson: read('server.json'),
    changelog: read('CHANGELOG.md'),
  }
  assert.match(releaseNotes(undefined, release), /^[A-Z#-]/)
})

test('each command of the workflows exists', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
  for (const workflow of ['ci', 'release']) {
    for (const [, name = ''] of read(`.github/workflows/${workflow}.yml`).matchAll(/npm run ([a-z:]+)/g))
      assert.ok(name in scripts, name)
  }
})
