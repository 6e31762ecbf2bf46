import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { COMMANDS } from '../../../src/cli/commands.ts'
import { missing } from '../../support/programs.ts'
import { expectDone } from '../command.ts'
import { commandLine } from './in-process.ts'

const { inProcess, scratch } = commandLine()
const scriptOf = async (shell: string): Promise<string> => expectDone(await inProcess(['completion', shell]))

test('bash completes commands, and the flags of each', { skip: missing('bash') }, async () => {
  const script = await scriptOf('bash')
  const completed = (...words: string[]): string[] => {
    const call = `COMP_WORDS=(palimpsest "$@"); COMP_CWORD=$#; _palimpsest; printf '%s\\n' "\${COMPREPLY[@]}"`
    return execFileSync('bash', ['-c', `${script}\n${call}`, 'bash', ...words], { encoding: 'utf8' })
      .split('\n')
      .filter(one => one !== '')
  }
  const names = [...new Set(COMMANDS.map(({ name }) => name)), 'help'].sort()
  assert.deepEqual(completed('').sort(), names)
  assert.deepEqual(
    completed('re').sort(),
    names.filter(name => name.startsWith('re')),
  )
  assert.deepEqual(completed('help', 'contr'), ['contradict'])
  assert.deepEqual(completed('show', '--ed'), ['--edit'])
  assert.deepEqual(completed('show', 'x'), [])
  assert.deepEqual(completed('verify', '--confi'), ['--confidence'])
  assert.deepEqual(completed('verify', 'slug', '--result', ''), ['SUPPORTED', 'UNSUPPORTED', 'INCONCLUSIVE'])
  assert.deepEqual(completed('verify', 'slug', '--result', '=', 'UN'), ['UNSUPPORTED'])
  assert.deepEqual(completed('search', '--sort', 're'), ['recent', 'relevance'])
  assert.deepEqual(completed('serve', '--log-level', 'war'), ['warn'])
  assert.deepEqual(completed('completion', 'z'), ['zsh'])
  // Left to the shell, which completes files.
  assert.deepEqual(completed('check', '--file', ''), [])
})

for (const [shell, check] of [
  ['bash', ['-n']],
  ['zsh', ['-n']],
  ['fish', ['--no-execute']],
] as const) {
  test(`the script for ${shell} is valid for that shell`, { skip: missing(shell) }, async () => {
    const file = join(scratch(), `palimpsest.${shell}`)
    writeFileSync(file, await scriptOf(shell))
    const { status, stderr } = spawnSync(shell, [...check, file], { encoding: 'utf8' })
    assert.equal(status, 0, stderr)
  })
}

test('the script of every shell has every command and every flag', async () => {
  for (const shell of ['bash', 'zsh', 'fish']) {
    const script = await scriptOf(shell)
    for (const { name, flags } of COMMANDS) {
      assert.match(script, new RegExp(`\\b${name}\\b`), `${shell} ${name}`)
      for (const flag of flags) assert.match(script, new RegExp(`(?:--|-l )${flag.name}\\b`), `${shell} --${flag.name}`)
    }
  }
})
