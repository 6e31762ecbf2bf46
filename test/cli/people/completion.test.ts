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
const NAMES: readonly string[] = [...new Set(COMMANDS.map(({ name }) => name)), 'help'].sort()
const scriptOf = async (shell: string): Promise<string> => expectDone(await inProcess(['completion', shell]))

/** Words before the cursor, and what bash offers for the last of them. */
const COMPLETIONS: readonly (readonly [words: readonly string[], offered: readonly string[]])[] = [
  [[''], NAMES],
  [['re'], NAMES.filter(name => name.startsWith('re'))],
  [['help', 'contr'], ['contradict']],
  [['show', '--ed'], ['--edit']],
  [['show', 'x'], []],
  [['verify', '--confi'], ['--confidence']],
  [
    ['verify', 'slug', '--result', ''],
    ['INCONCLUSIVE', 'SUPPORTED', 'UNSUPPORTED'],
  ],
  [['verify', 'slug', '--result', '=', 'UN'], ['UNSUPPORTED']],
  [
    ['search', '--sort', 're'],
    ['recent', 'relevance'],
  ],
  [['serve', '--log-level', 'war'], ['warn']],
  [['completion', 'z'], ['zsh']],
  // Left to the shell, which completes files.
  [['check', '--file', ''], []],
]

test('bash completes commands, and the flags of each', { skip: missing('bash') }, async () => {
  const quoted = (words: readonly string[]): string => words.map(word => `'${word}'`).join(' ')
  const calls = COMPLETIONS.map(
    ([words]) =>
      `COMP_WORDS=(palimpsest ${quoted(words)}); COMP_CWORD=${words.length}; COMPREPLY=(); _palimpsest; echo "\${COMPREPLY[*]}"`,
  )
  const output = execFileSync('bash', { input: [await scriptOf('bash'), ...calls].join('\n'), encoding: 'utf8' })
  const offered = output.split('\n').map(line =>
    line
      .split(' ')
      .filter(one => one !== '')
      .sort(),
  )
  for (const [index, [words, expected]] of COMPLETIONS.entries())
    assert.deepEqual(offered[index], expected, quoted(words))
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
