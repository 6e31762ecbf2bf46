import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { test } from 'node:test'
import { isOurHook, placesOf, TARGETS } from '../../src/cli/install/targets.ts'
import { SKILL } from '../../src/cli/install/texts.ts'
import { spawn } from '../support/children.ts'
import { expectRefusal, LAUNCHER } from './command.ts'
import { commandLine } from './people/in-process.ts'

const { inProcess, scratch } = commandLine()
const MEMORY = { program: ['node', 'x'], flags: ['--data-dir', '/m'], endpoint: undefined }

/** Files of a host as others wrote them, in unusual forms. */
const OTHERS: Record<string, string> = {
  '.claude.json':
    '{"numStartups": 12,\n   "mcpServers": {"github": {"type":"http","url":"https://api.example/mcp"}}, "big": 1e3}\n',
  'settings.json':
    '{\n\t"model": "x",\n\t"hooks": {\n\t\t"PostToolUse": [ {"matcher": "Edit", "hooks": [{"type":"command","command":"fmt"}]} ],\n\t\t"Stop": []\n\t}\n}',
  'config.toml': 'model = "o"\n\n[mcp_servers.other]\ncommand = "x" # [not a table]',
  'hooks.json': '{ "version": 1, "hooks": {} }',
  'mcp.json': '{}',
  'opencode.json': '{\n  "$schema": "https://opencode.ai/config.json"\n}\n',
  'openclaw.json': '',
}

/** A home with the files of a target. Returns the way to run the command there, and the paths. */
function homeOf(name: string, others = OTHERS) {
  const home = mkdtempSync(join(scratch(), 'home-'))
  const env = { HOME: home, XDG_CONFIG_HOME: join(home, '.config') }
  const target = TARGETS.find(one => one.name === name) ?? assert.fail(name)
  const paths = target.files(MEMORY, placesOf(env)).map(({ path }) => path)
  for (const path of paths) {
    const text = others[path.split('/').at(-1) ?? '']
    if (text === undefined) continue
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  const texts = () => paths.map(path => (existsSync(path) ? readFileSync(path, 'utf8') : undefined))
  const run = (...args: string[]) => inProcess(['install', '--target', name, ...args], { env })
  return { home, env, paths, texts, run }
}

async function done(running: ReturnType<ReturnType<typeof homeOf>['run']>): Promise<string> {
  const { code, stdout, stderr } = await running
  assert.equal(code, 0, stderr + stdout)
  return stdout
}

for (const { name } of TARGETS) {
  test(`${name}: install keeps what others wrote, does nothing twice, and --remove restores every byte`, async () => {
    const { texts, run, paths } = homeOf(name)
    const before = texts()
    assert.match(await done(run('--dry-run')), /^ {2}\+/m)
    assert.deepEqual(texts(), before)
    expectRefusal(await run(), 2, /--yes/)
    assert.deepEqual(texts(), before)
    await done(run('--yes'))
    for (const [place, text] of texts().entries()) {
      const path = paths[place] ?? ''
      assert.ok(text !== undefined && text !== before[place], path)
      for (const piece of (before[place] ?? '').split(/[{}[\],\n]+/))
        assert.ok(text.includes(piece.trim()), `${path}: ${piece}`)
      if (path.endsWith('.json')) JSON.parse(text)
      assert.match(text, /palimpsest/)
    }
    assert.match(await done(run('--yes')), /^Nothing to change/)
    await done(run('--remove', '--yes'))
    assert.deepEqual(texts(), before)
    assert.match(await done(run('--remove', '--yes')), /^Nothing to remove/)
    await done(run('--yes', '--url', 'https://memory.example/'))
    assert.match(texts().join(''), /https:\/\/memory\.example\/mcp/)
    await done(run('--remove', '--yes'))
    assert.deepEqual(texts(), before)
  })

  test(`${name}: --remove keeps what others wrote after the install`, async () => {
    const { texts, run, paths } = homeOf(name)
    await done(run('--yes'))
    for (const path of paths.filter(one => one.endsWith('.json'))) {
      const changed = { ...(JSON.parse(readFileSync(path, 'utf8')) as object), later: [1] }
      writeFileSync(path, JSON.stringify(changed))
    }
    await done(run('--remove', '--yes'))
    for (const [place, text] of texts().entries()) {
      const path = paths[place] ?? ''
      if (!path.endsWith('.json')) continue
      const original = OTHERS[path.split('/').at(-1) ?? '']
      const parsed = original === undefined || original === '' ? {} : (JSON.parse(original) as object)
      const isVersioned = path.includes('hooks') && (name === 'cursor' || name === 'copilot')
      const shared = isVersioned ? { version: 1 } : {}
      assert.deepEqual(JSON.parse(text ?? ''), { ...parsed, ...shared, later: [1] }, path)
    }
  })
}

test('the files are in the folders that the environment names to the host', () => {
  const env = { HOME: '/h', CLAUDE_CONFIG_DIR: '/c', CODEX_HOME: '/x', XDG_CONFIG_HOME: '/g', OPENCLAW_STATE_DIR: '/o' }
  const pathsOf = (name: string, more = {}) =>
    TARGETS.find(one => one.name === name)
      ?.files(MEMORY, placesOf({ ...env, ...more }, 'linux'))
      .map(({ path }) => path)
  const skill = '/h/.agents/skills/palimpsest/SKILL.md'
  assert.deepEqual(pathsOf('claude-code'), ['/c/.claude.json', '/c/settings.json', '/c/skills/palimpsest/SKILL.md'])
  assert.deepEqual(pathsOf('codex'), ['/x/config.toml', '/x/hooks.json', skill])
  assert.deepEqual(pathsOf('opencode'), ['/g/opencode/opencode.json', '/g/opencode/plugins/palimpsest.js', skill])
  assert.deepEqual(pathsOf('vscode'), ['/g/Code/User/mcp.json', skill])
  assert.deepEqual(pathsOf('copilot', { COPILOT_HOME: '/l' }), [
    '/l/mcp-config.json',
    '/l/hooks/palimpsest.json',
    skill,
  ])
  assert.deepEqual(pathsOf('openclaw'), ['/o/openclaw.json', skill])
  assert.deepEqual(pathsOf('openclaw', { OPENCLAW_CONFIG_PATH: '/p/a.json' }), ['/p/a.json', skill])
})

test('hosts that read one folder of skills share a file there, which goes with the last of them', async () => {
  const { run, env, home } = homeOf('gemini', {})
  const other = (...args: string[]) => inProcess(['install', '--target', 'codex', '--yes', ...args], { env })
  const skill = join(home, '.agents/skills/palimpsest/SKILL.md')
  await done(run('--yes'))
  await done(other())
  const skills = readdirSync(home, { recursive: true, encoding: 'utf8' }).filter(path => path.endsWith('SKILL.md'))
  assert.deepEqual(skills, [relative(home, skill)])
  assert.equal(readFileSync(skill, 'utf8'), SKILL)
  assert.match(await done(run('--remove', '--yes')), /SKILL\.md stays, because another host reads it/)
  assert.equal(readFileSync(skill, 'utf8'), SKILL)
  await done(other('--remove'))
  assert.equal(existsSync(skill), false)
})

test('a file that is no JSON object, has comments, or has the name already is not changed, and nothing else is', async () => {
  const bad: [string, RegExp][] = [
    ['no json', /is not a JSON object without comments; .*add by hand: mcpServers\.palimpsest = /],
    ['{\n  // mine\n  "a": 1\n}', /is not a JSON object without comments/],
    ['[]', /is not a JSON object/],
    ['{"mcpServers":[]}', /has "mcpServers" already/],
    ['{"mcpServers":{"palimpsest":{"command":"mine"}}}', /has "mcpServers\.palimpsest" already/],
  ]
  for (const [text, sentence] of bad) {
    const { texts, run } = homeOf('claude-code', { ...OTHERS, '.claude.json': text })
    const before = texts()
    expectRefusal(await run('--yes'), 1, sentence)
    assert.deepEqual(texts(), before)
  }
  for (const text of ['[mcp_servers.palimpsest]\ncommand = "mine"\n', 'mcp_servers = { a = { command = "x" } }\n']) {
    const { texts, run } = homeOf('codex', { ...OTHERS, 'config.toml': text })
    const before = texts()
    expectRefusal(await run('--yes'), 1, /has mcp_servers\.palimpsest already/)
    assert.deepEqual(texts(), before)
  }
})

test('--remove takes only its own table from a file that Codex wrote anew, with or without the mark', async () => {
  const others =
    '[mcp_servers.other]\ncommand = "echo"\n\n# mine\n[mcp_servers.third]\ncommand = "echo"\nargs = ["hi"]\n'
  for (const mark of ['', '# Written by "palimpsest install".\n']) {
    const { texts, run, paths } = homeOf('codex', {})
    await done(run('--yes'))
    const [path = '', [written = '']] = [paths[0], texts()]
    const table = written.replace(/^#.*\n/, mark)
    const approved = '\n[mcp_servers.palimpsest.tools.find]\napproval_mode = "approve"\n'
    writeFileSync(
      path,
      others.replace('# mine', () => `${table}${approved}\n# mine`),
    )
    const rewritten = readFileSync(path, 'utf8')
    await done(run('--remove', '--yes'))
    assert.equal(texts()[0], others)
    writeFileSync(path, rewritten)
    await done(run('--yes'))
    await done(run('--yes', '--url', 'https://memory.example'))
    await done(run('--remove', '--yes'))
    assert.equal(texts()[0], others)
  }
})

test('a host file of another version keeps its version and its members', async () => {
  const text = '{ "version": 2, "hooks": { "postToolUse": [{ "command": "mine", "loop_limit": null }] } }'
  const { texts, run, paths } = homeOf('cursor', { 'hooks.json': text })
  await done(run('--yes'))
  const written = JSON.parse(texts()[paths.findIndex(path => path.endsWith('hooks.json'))] ?? '')
  assert.equal(written.version, 2)
  assert.deepEqual(written.hooks.postToolUse.at(-1), { command: 'mine', loop_limit: null })
  await done(run('--remove', '--yes'))
  assert.equal(texts()[paths.findIndex(path => path.endsWith('hooks.json'))], text)
})

test('an install whose reader has ended writes all files, and reports no fault', async () => {
  const { env, texts } = homeOf('openclaw')
  const child = spawn(process.execPath, [LAUNCHER, 'install', '--target', 'openclaw', '--yes'], {
    env: { PATH: process.env.PATH, ...env },
  })
  child.stdout.destroy()
  const errors: string[] = []
  child.stderr.on('data', chunk => errors.push(String(chunk)))
  const [code] = await once(child, 'close')
  assert.deepEqual([code, errors], [0, []])
  assert.ok(texts().every(text => text?.includes('palimpsest')))
})

test('a read-only home gets one sentence', { skip: !existsSync('/proc') && 'needs /proc' }, async () => {
  // Not even root can write there.
  const env = { HOME: '/proc/none', XDG_CONFIG_HOME: join(scratch(), 'read-only') }
  const ended = await inProcess(['install', '--target', 'gemini', '--yes'], { env })
  expectRefusal(ended, 1, /^\/proc\/none.* cannot be written \(/)
})

test('a home that cannot be written gets one sentence, and no file is written', async () => {
  const { home, texts, run } = homeOf('claude-code', { '.claude.json': '{}' })
  writeFileSync(join(home, '.claude'), 'a file')
  const before = texts()
  expectRefusal(await run('--yes'), 1, /cannot be written, because .*\.claude is a file; nothing was changed/)
  assert.deepEqual(texts(), before)
  if (process.getuid?.() === 0) return
  const readOnly = homeOf('gemini', {})
  chmodSync(readOnly.home, 0o500)
  expectRefusal(await readOnly.run('--yes'), 1, /cannot be written .*; nothing was changed/)
})

test('a file that is a link stays a link, and keeps its mode', async () => {
  const { home, run } = homeOf('claude-code', {})
  const [dotfile, link] = [join(home, 'dotfile'), join(home, '.claude.json')]
  writeFileSync(dotfile, '{}', { mode: 0o640 })
  symlinkSync(dotfile, link)
  await done(run('--yes'))
  assert.match(readFileSync(dotfile, 'utf8'), /palimpsest/)
  assert.equal(statSync(dotfile).mode & 0o777, 0o640)
  await done(run('--remove', '--yes'))
  assert.equal(readFileSync(link, 'utf8'), '{}')
})

test('the installed commands work as the host runs them', async () => {
  const { home, env, run } = homeOf('claude-code', {})
  await done(run('--yes', '--data-dir', join(home, 'my memory')))
  const { hooks } = JSON.parse(readFileSync(join(home, '.claude', 'settings.json'), 'utf8'))
  const { command } = hooks.PostToolUseFailure[0].hooks[0]
  const event = { hook_event_name: 'PostToolUseFailure', session_id: 's', tool_name: 'Bash', error: 'Exit code 1\nno' }
  const hook = spawnSync(command, {
    shell: true,
    input: JSON.stringify(event),
    env: { PATH: process.env.PATH, ...env },
  })
  assert.deepEqual([hook.status, String(hook.stdout), String(hook.stderr)], [0, '', ''])
  const { mcpServers } = JSON.parse(readFileSync(join(home, '.claude.json'), 'utf8'))
  const { command: program, args } = mcpServers.palimpsest
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'host', version: '1' } }
  const input = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`
  const mcp = spawnSync(program, args, { input, env: { PATH: process.env.PATH, ...env } })
  assert.match(String(mcp.stdout), /"serverInfo"/)
  assert.ok(existsSync(join(home, 'my memory', 'palimpsest.db')))
})

test('the hook of Copilot has a command for bash, and one for PowerShell with quoted words', () => {
  const memory = { program: ["C:\\Ann's\\node.exe", 'palimpsest.js'], flags: ['--data-dir', 'm'], endpoint: undefined }
  const plans = TARGETS.find(({ name }) => name === 'copilot')?.files(memory, placesOf({ HOME: '/h' })) ?? []
  const values = plans.flatMap(plan => (plan.kind === 'json' ? plan.edits.map(({ value }) => value) : []))
  const hooks = values.filter(value => isOurHook(value))
  assert.equal(hooks.length, 3)
  const { bash, powershell } = hooks[0] as Record<string, string>
  assert.equal(bash, `"C:\\\\Ann's\\\\node.exe" palimpsest.js hook --host copilot --data-dir m`)
  assert.equal(powershell, `& 'C:\\Ann''s\\node.exe' 'palimpsest.js' 'hook' '--host' 'copilot' '--data-dir' 'm'`)
})

test('the plugin of OpenCode adds the answer of the hook to the output of a command', async () => {
  const { home, run } = homeOf('opencode', {})
  await done(run('--yes'))
  const file = join(home, '.config', 'opencode', 'plugins', 'palimpsest.js')
  // In the place of the hook: a program that answers with what it was sent.
  const echo = `process.stdin.on('data', d => process.stdout.write(JSON.stringify({ context: 'for ' + JSON.parse(d).args.command })))`
  const text = readFileSync(file, 'utf8').replace(
    /= \[".*\]\n/,
    () => `= ${JSON.stringify([process.execPath, '-e', echo])}\n`,
  )
  const module = join(home, 'plugin.mjs')
  writeFileSync(module, text)
  const { Palimpsest } = await import(module)
  const plugin = await Palimpsest({ directory: home })
  const result = { output: 'no', metadata: { exit: 1 } }
  await plugin['tool.execute.after']({ tool: 'bash', sessionID: 's', args: { command: 'npm test' } }, result)
  assert.equal(result.output, 'no\n\nfor npm test')
})

test('the skill is short', () => assert.ok(SKILL.split('\n').length <= 60))

const ROOT = join(import.meta.dirname, '../..')
// biome-ignore lint/suspicious/noTemplateCurlyInString: the host and the shell replace it.
const PRIVATE = '${HOME}/.palimpsest'

for (const [host, home, marketplace] of [
  ['claude-code', PRIVATE, '.claude-plugin/marketplace.json'],
  ['codex', '$HOME/.palimpsest', '.agents/plugins/marketplace.json'],
] as const) {
  test(`the plugin of ${host} has the same tools, hooks and skill as an install`, () => {
    const folder = join(ROOT, 'plugins', host)
    const textOf = (path: string): string => readFileSync(join(folder, path), 'utf8')
    const memory = { program: ['palimpsest'], flags: ['--data-dir', home], endpoint: undefined }
    const places = { home: '/', config: '/', env: {}, platform: 'linux' } as const
    const plans = TARGETS.find(({ name }) => name === host)?.files(memory, places) ?? []
    const edits = plans.flatMap(plan => (plan.kind === 'json' ? plan.edits : []))
    const plugin = { ...JSON.parse(textOf('.mcp.json')), ...JSON.parse(textOf('hooks/hooks.json')) }
    const hooks = edits.filter(({ path: [section] }) => section === 'hooks')
    assert.deepEqual(
      hooks.map(({ path: [, name = ''] }) => plugin.hooks[name]),
      hooks.map(({ value }) => [value]),
    )
    assert.equal(Object.keys(plugin.hooks).length, hooks.length)
    // A host that replaces no variable starts the tools with a shell.
    const { command, args } = plugin.mcpServers.palimpsest
    const words =
      command === 'sh'
        ? args[1]
            .replace(/^exec /, '')
            .replaceAll('"', '')
            .split(' ')
        : [command, ...args]
    assert.deepEqual(words, ['palimpsest', 'mcp', '--data-dir', home])
    assert.ok(plans.some(plan => plan.kind === 'whole' && plan.text === textOf('skills/palimpsest/SKILL.md')))
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
    const named = JSON.parse(textOf(host === 'codex' ? '.codex-plugin/plugin.json' : '.claude-plugin/plugin.json'))
    assert.equal(named.version, version)
    const parts = [named.skills, named.hooks, named.mcpServers].filter(path => path !== undefined)
    for (const path of parts) assert.ok(existsSync(join(folder, path)), path)
    const [{ source }] = JSON.parse(readFileSync(join(ROOT, marketplace), 'utf8')).plugins
    assert.equal(join(ROOT, source.path ?? source), folder)
  })
}
