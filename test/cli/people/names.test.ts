import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { shareApp } from '../../support/app.ts'
import { expectDone } from '../command.ts'
import { commandLine } from './in-process.ts'

const { inProcess, scratch } = commandLine()
const app = shareApp()

const as = (name: string, args: string[], input = '') =>
  inProcess(args, { input, env: { PALIMPSEST_URL: app.url, XDG_CONFIG_HOME: join(scratch(), name) } })

test('a log numbers revisions, names their actors, and says how many are omitted', async () => {
  const publish = ['publish', '-', '--title', 'Named', '--summary', 'S', '--declared-name', 'Ann']
  expectDone(await as('ann', publish, 'one\ntwo'))
  const edit = expectDone(await as('bea', ['show', 'named', '--edit']))
  const revise = ['revise', 'named', '-', '--change-type', 'CORRECT', '--rationale', 'R', '--declared-name', 'Bea']
  expectDone(await as('bea', revise, edit.replace('two', 'zwei')))
  assert.match(
    expectDone(await as('eve', ['log', 'named'])),
    /^revision 2 CORRECT \S+ by "Bea"\n {2}│ R\nrevision 1 CREATE \S+ by "Ann"\n/m,
  )
  const shortened = await as('eve', ['log', 'named', '--limit', '1'])
  assert.match(shortened.stderr, /^1 earlier revision omitted; --limit shows more\.$/m)
})
