import assert from 'node:assert/strict'
import { join } from 'node:path'
import { spawn } from '../support/children.ts'

export { makeDirectory as temporaryDirectory } from '../support/process.ts'

export const LAUNCHER = join(import.meta.dirname, '../../bin/palimpsest.js')
/** Makes a new Node call itself an old one. */
export const AS_OLD = [
  '--import',
  'data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"20.20.2"}})',
]
/** How long a command may take before it is called hung, in milliseconds. */
const PATIENCE = 100_000

export type Ended = { code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string }
export type RunOptions = {
  env?: Record<string, string>
  /** The text for its standard input, which is then closed. */
  input?: string
  /** The Node that runs it, and with which flags. */
  node?: readonly string[]
  launcher?: string
  cwd?: string
}

/** Runs the command line as a user would, without the settings of this process. */
export function palimpsest(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  const { env = {}, input = '', node = [process.execPath], launcher = LAUNCHER, cwd } = options
  const [program = process.execPath, ...flags] = node
  const child = spawn(program, [...flags, launcher, ...args], {
    env: { PATH: process.env.PATH, ...env },
    timeout: PATIENCE,
    killSignal: 'SIGKILL',
    ...(cwd === undefined ? {} : { cwd }),
  })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', chunk => {
    stdout += chunk
  })
  child.stderr.setEncoding('utf8').on('data', chunk => {
    stderr += chunk
  })
  // A command that refuses early does not read its input.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }))
  })
}

/** Asserts that a command succeeded, and returns its output. */
export function expectDone(ended: Ended): string {
  assert.equal(ended.code, 0, `${ended.signal ?? ''} ${ended.stderr}${ended.stdout}`)
  return ended.stdout
}

/** Asserts that a command refused in one sentence: the last line of standard error, without a stack. */
export function expectRefusal(ended: Ended, code: number, sentence: RegExp): void {
  assert.equal(ended.code, code, `${ended.signal ?? ''} ${ended.stderr}${ended.stdout}`)
  assert.doesNotMatch(ended.stderr, /^\s+at /m)
  const last = ended.stderr.trimEnd().split('\n').at(-1) ?? ''
  assert.match(last, sentence)
}

/** Records as lines, as an import reads them. */
export const linesOf = (records: readonly object[]): string => records.map(one => `${JSON.stringify(one)}\n`).join('')

/** A small story in lines: two entries, one of them revised twice and cited, evidence of both kinds, a relation. */
export const STORY = [
  { type: 'actor', id: 'ann', actorType: 'AGENT', declaredName: 'Ann', declaredModel: 'm-1' },
  {
    type: 'entry',
    id: 'fox',
    revisionId: 'fox1',
    actorId: 'ann',
    title: 'Foxes',
    summary: 'Of foxes',
    content: 'Red.',
    tags: ['Fur'],
  },
  {
    type: 'entry',
    id: 'owl',
    title: 'Owls',
    summary: 'Of owls',
    content: 'Äugig.',
    sources: [{ entryId: 'fox', revisionId: 'fox1' }],
  },
  {
    type: 'revision',
    id: 'fox2',
    entryId: 'fox',
    actorId: 'ann',
    previousRevisionId: 'fox1',
    title: 'Foxes',
    summary: 'Of foxes',
    content: 'Red and quick.',
    changeType: 'EXPAND',
    rationale: 'Quick too',
  },
  {
    type: 'revision',
    id: 'fox3',
    entryId: 'fox',
    previousRevisionId: 'fox2',
    title: 'Foxes, all',
    summary: 'Of all foxes',
    content: 'Some are white.',
    changeType: 'CORRECT',
    rationale: 'Not all are red',
  },
  {
    type: 'verification',
    entryId: 'fox',
    revisionId: 'fox2',
    actorId: 'ann',
    result: 'SUPPORTED',
    confidence: 0.5,
    rationale: 'Seen',
  },
  { type: 'contradiction', entryId: 'fox', revisionId: 'fox1', rationale: 'White ones', sourceEntryId: 'owl' },
  { type: 'relation', sourceEntryId: 'owl', targetEntryId: 'fox', relationType: 'REUSES', rationale: 'Both hunt' },
] as const
