import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { type Release, releaseNotes } from '../scripts/check-release.ts'
import { makeDirectory } from './support/process.ts'

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
    for (const [, name = ''] of read(`.github/workflows/${workflow}.yml`).matchAll(/npm run (?:-s )?([a-z:]+)/g))
      assert.ok(name in scripts, name)
  }
})

test('each action of the workflows is pinned by its commit', () => {
  for (const workflow of ['ci', 'release']) {
    const uses = [...read(`.github/workflows/${workflow}.yml`).matchAll(/uses: (.*)/g)].map(([, action = '']) => action)
    assert.ok(uses.length > 0)
    for (const action of uses) assert.match(action, /^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
  }
})

/** Runs a script of .ci with a program in the place of gh or npm: a line of bash. */
function runWith(t: TestContext, [script, ...args]: [string, ...string[]], program: string, line: string) {
  const directory = makeDirectory()
  t.after(directory.remove)
  for (const name of ['palimpsest-memory-0.2.0.tgz', 'palimpsest-client-0.2.0.tgz', 'palimpsest-0.2.0.mcpb'])
    writeFileSync(join(directory.path, name), '')
  writeFileSync(join(directory.path, program), `#!/usr/bin/env bash\n${line}\n`)
  chmodSync(join(directory.path, program), 0o755)
  const variables = { GITHUB_REPOSITORY: 'palimpsest/palimpsest', GITHUB_REF: 'refs/tags/v0.2.0', ATTEMPTS: '1' }
  const env = { ...process.env, ...variables, PATH: `${directory.path}${delimiter}${process.env.PATH}` }
  const path = join(import.meta.dirname, '..', '.ci', script)
  return spawnSync(path, args, { cwd: directory.path, env, encoding: 'utf8' })
}

const IMAGE = 'oci://ghcr.io/palimpsest/palimpsest@sha256:00'
const PROVENANCE = 'https://slsa.dev/provenance/v1'
const BILL = 'https://cyclonedx.org/bom'

test('a release fails if an attestation of an archive, the bundle or the image is missing', t => {
  const verify = (line: string) => runWith(t, ['verify-attestations', '.', IMAGE], 'gh', line)
  const subjects = ['palimpsest-memory-0.2.0.tgz', 'palimpsest-0.2.0.mcpb', IMAGE]
  const expected = [
    ...[...subjects, 'palimpsest-client-0.2.0.tgz'].map(subject => `${subject} ${PROVENANCE}`),
    ...subjects.map(subject => `${subject} ${BILL}`),
  ]
  const whole = verify('shift 2; echo "$1 $9"')
  assert.equal(whole.status, 0, whole.stderr)
  assert.deepEqual(whole.stdout.trim().split('\n').sort(), expected.sort())
  for (const missing of expected) assert.notEqual(verify(`shift 2; [ "$1 $9" != '${missing}' ]`).status, 0, missing)
})

test('a release fails if npm has no provenance of a package, or finds a signature that is not valid', t => {
  const verify = (line: string) => runWith(t, ['verify-npm', '0.2.0'], 'npm', line)
  const answer = `[ "$1" != view ] || echo ${PROVENANCE}`
  assert.equal(verify(answer).status, 0)
  const without = verify(`case "$*" in *memory*) ;; *) ${answer} ;; esac`)
  assert.deepEqual([without.status, without.stdout], [1, ''])
  assert.equal(without.stderr, 'npm has no provenance of @palimpsest/memory 0.2.0 after 1 attempts: "".\n')
  assert.notEqual(verify(`[ "$1" != audit ] || exit 1; ${answer}`).status, 0)
})
