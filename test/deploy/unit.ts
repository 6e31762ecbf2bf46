import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { spawn } from '../support/children.ts'
import { call, callPatiently, columnOf, expectStatus, newActor, newEntry, revisionOf } from '../support/client.ts'
import { makeDirectory } from '../support/process.ts'

export const ROOT = join(import.meta.dirname, '../..')
const INSTALLED = '/opt/palimpsest'
const SETTINGS_DIR = '/etc/palimpsest'
/** How long a start or an end may take before it is called hung, in milliseconds. */
const PATIENCE = 100_000

/** The reason why the programs of the units cannot run here, or false: they name the Node that the packages bring along. */
export const NO_NODE: string | false = existsSync(join(ROOT, 'node_modules/.bin/node'))
  ? false
  : 'SKIPPED: node_modules has no Node; run npm ci on Linux'

export const readDeployed = (path: string): string => readFileSync(join(ROOT, 'deploy', path), 'utf8')

/** The state, secrets and settings of the machine of a unit. */
export type Machine = { path: string; state(name: string): string; credential(name: string, value: string): void }

/** A machine in a temporary directory, as systemd would lay it out: with DynamicUser, state is reached through a link. */
export function makeMachine(): Machine {
  const { path, remove } = makeDirectory()
  after(remove)
  for (const folder of ['state/private', 'credentials', 'settings']) mkdirSync(join(path, folder), { recursive: true })
  return {
    path,
    state(name) {
      const target = join(path, 'state', name)
      mkdirSync(join(path, 'state/private', name), { mode: 0o700 })
      symlinkSync(join('private', name), target)
      return target
    },
    credential: (name, value) => writeFileSync(join(path, 'credentials', name), `${value}\n`, { mode: 0o400 }),
  }
}

export type UnitRun = { machine: Machine; instance?: string; env?: Record<string, string>; without?: string }
export type Ended = { code: number | null; stdout: string; stderr: string }
export type Running = { url: Promise<string>; stop(): Promise<Ended>; ended: Promise<Ended> }

/**
 * Runs the command line of ExecStart of a unit, with the variables of the unit and `env` only. Specifiers and the directories of an
 * installation become those of `machine`. The flag `without` is omitted. The process is killed with the test file that started it.
 */
export function runUnit(unit: string, { machine, instance = '', env = {}, without }: UnitRun): Running {
  const text = readDeployed(unit)
  const places: Record<string, string> = {
    '%S': join(machine.path, 'state'),
    '%d': join(machine.path, 'credentials'),
    '%i': instance,
    '%%': '%',
    $$: '$',
    [SETTINGS_DIR]: join(machine.path, 'settings'),
    [INSTALLED]: ROOT,
  }
  const placed = (value: string): string =>
    value.replaceAll(/%.|\$\$|\/(?:opt|etc)\/palimpsest/g, found => places[found] ?? found)
  const variables = valuesOf(text, 'Environment').map(line => /^(\w+)=(.*)$/.exec(placed(line))?.slice(1) ?? [])
  const [command = ''] = valuesOf(text, 'ExecStart')
  assert.ok(without === undefined || command.split(' ').includes(without), `${unit} has no ${without}`)
  const words = wordsOf(command).filter(word => word !== without)
  const [program = '', ...args] = words.map(placed)
  const child = spawn(program, args, {
    cwd: '/',
    env: { PATH: '/usr/bin:/bin', ...Object.fromEntries(variables), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: PATIENCE,
    killSignal: 'SIGKILL',
  })
  after(() => child.kill('SIGKILL'))
  const output = { stdout: '', stderr: '' }
  child.stderr.setEncoding('utf8').on('data', chunk => {
    output.stderr += chunk
  })
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', code => resolve({ code, ...output }))
  })
  const url = new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', chunk => {
      output.stdout += chunk
      const found = /ready at (http:\S+)/.exec(output.stdout)?.[1]
      if (found !== undefined) resolve(found)
    })
    ended.then(({ code, stderr }) => reject(new Error(`${unit} ended with ${code}: ${stderr}`)), reject)
  })
  // Not every unit announces an address.
  url.catch(() => {})
  return {
    url,
    ended,
    stop() {
      child.kill('SIGTERM')
      return ended
    },
  }
}

/** The values of a directive, in order. */
export const valuesOf = (unit: string, name: string): string[] =>
  [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) => value)

/** Words as systemd splits them: at spaces outside of single quotes. */
const wordsOf = (command: string): string[] =>
  [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '')

/** How Node, or the sentence about a file of a setting, names what the sandbox refuses. */
const REFUSED = /ERR_ACCESS_DENIED|Access to this API has been restricted|the sandbox of Node hides it/

/** Asserts that a unit does not become ready without one of its flags, whichever it is. */
export async function assertNeeded(
  unit: string,
  flags: readonly string[],
  run: Omit<UnitRun, 'without'>,
): Promise<void> {
  for (const without of flags) {
    const running = runUnit(unit, { ...run, without })
    const outcome = await Promise.race([running.url, running.ended, setTimeout(PATIENCE, 'no end', { ref: false })])
    await running.stop()
    assert.ok(typeof outcome === 'object', `${unit} does without ${without}: ${outcome}`)
    assert.notEqual(outcome.code, 0)
    assert.match(outcome.stderr, REFUSED, without)
  }
}

/** The flags of a unit that grant something. */
export const grantsOf = (unit: string): string[] =>
  (valuesOf(readDeployed(unit), 'ExecStart')[0] ?? '').split(' ').filter(word => word.startsWith('--allow-'))

/** Publishes, revises, searches and moderates through a node. Returns the slug of the remaining entry. */
export async function useService(base: string, adminToken: string): Promise<string> {
  const { token } = await newActor(base)
  const entry = await newEntry(base, token, { title: 'Gyokuro', content: 'A shaded tea.' })
  const path = `/api/entries/${entry.slug}`
  const body = revisionOf(entry, { content: 'Brewed at 55 degrees.' })
  expectStatus(await call(base, 'POST', `${path}/revisions`, { token, body }), 201)
  const found = expectStatus(
    await callPatiently<{ items: { slug: string }[] }>(base, 'GET', '/api/search?q=gyokuro+55'),
    200,
  )
  assert.deepEqual(columnOf(found.items, 'slug'), [entry.slug])
  const page = await call(base, 'GET', `/entries/${entry.slug}`, { headers: { accept: 'text/html' } })
  assert.equal(page.status, 200)
  const withdrawn = await newEntry(base, token)
  const action = { targetType: 'ENTRY', targetId: withdrawn.id, action: 'HIDE', reason: 'A test.' }
  const headers = { authorization: `Bearer ${adminToken}` }
  expectStatus(await call(base, 'POST', '/api/admin/moderate', { headers, body: action }), 200)
  return entry.slug
}
