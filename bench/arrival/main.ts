import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { runIn } from '../../src/cli/run.ts'
import type { FoundList } from '../../src/client/index.ts'
import { createClient } from '../../src/client/index.ts'
import { connectLocally, LOCAL_URL, LocalTransport, socketPath } from '../../src/local-socket.ts'
import { quantile } from '../numbers.ts'
import { type Half, halves, type Lesson, type Session } from './sessions.ts'

const USAGE = `npm run bench:arrival -- [options]
  --misses     lists the sessions of the open half that did not get their entry, and those that got a wrong one
  --processes N  the number of cold processes whose time is measured (100 by default)
`
const ROOT = join(import.meta.dirname, '../..')
const PROGRAM = join(ROOT, 'bin/palimpsest.js')
/** The bounds of the answer to a failed command. The last one holds on a machine that does nothing else. */
const BOUNDS = { arrival: 0.94, wrong: 0.02, tokens: 400, p99: 150 }
/** A scripted agent runs a command so many times before it gives up. */
const ATTEMPTS = 4
const BYTES_PER_TOKEN = 4

const { values } = parseArgs({
  options: { misses: { type: 'boolean' }, processes: { type: 'string', default: '100' }, help: { type: 'boolean' } },
})

async function measure(processes: number): Promise<void> {
  const work = mkdtempSync(join(tmpdir(), 'palimpsest-arrival-'))
  const owner = spawn(process.execPath, [PROGRAM, 'mcp', '--data-dir', join(work, 'memory')], {
    stdio: ['pipe', 'ignore', 'inherit'],
  })
  try {
    const memory = await Memory.open(work)
    const both = halves()
    for (const { lessons } of both) for (const lesson of lessons) await memory.publish(lesson)
    const figures = new Map<string, Figures>()
    for (const half of both) figures.set(half.name, figuresOf(await outcomesOf(half, memory)))
    process.stdout.write(tableOf(figures))
    const { hook, node } = await memory.coldTimes(both[0] as Half, processes)
    process.stdout.write(
      `\nA process of the hook against a running owner, ${processes} times: ${timesOf(hook)} (bound of p99 ${BOUNDS.p99} ms on a quiet machine); a Node that does nothing: ${timesOf(node)}\n`,
    )
    process.exitCode = [...figures.values()].every(isWithinBounds) ? 0 : 1
  } finally {
    owner.stdin.end()
    if (owner.exitCode === null) await once(owner, 'exit')
    rmSync(work, { recursive: true, force: true })
  }
}

const timesOf = (times: readonly number[]): string =>
  `p50 ${Math.round(quantile(times, 0.5) ?? 0)} ms, p99 ${Math.round(quantile(times, 0.99) ?? 0)} ms`

type Sample = { host: string; moment: string; payload: object }
const SAMPLES = (JSON.parse(readFileSync(join(ROOT, 'test/cli/hook-samples.json'), 'utf8')) as Sample[]).filter(
  // Only an output in the right place can show an entry.
  ({ payload }) => JSON.stringify(payload).includes('@OUTPUT@'),
)

/** A private memory with the entries of earlier sessions, and the hook of all hosts. */
class Memory {
  readonly #work: string
  readonly #client
  readonly slugs = new Map<Lesson, string>()

  constructor(work: string, token: string | undefined) {
    this.#work = work
    const { fetch } = new LocalTransport(socketPath(this.directory))
    this.#client = createClient({ baseUrl: LOCAL_URL, fetch, token })
  }

  get directory(): string {
    return join(this.#work, 'memory')
  }

  /** Waits until the owner has opened the directory. */
  static async open(work: string): Promise<Memory> {
    for (;;) {
      const socket = await connectLocally(socketPath(join(work, 'memory')))
      socket?.destroy()
      if (socket !== undefined) break
      await setTimeout(50)
    }
    const { token } = await new Memory(work, undefined).#client.createActor({})
    return new Memory(work, token)
  }

  async publish(lesson: Lesson): Promise<void> {
    const { title, summary, content, tags } = lesson
    const { slug } = await this.#client.createEntry({ title, summary, content, tags })
    this.slugs.set(lesson, slug)
  }

  find(q: string): Promise<FoundList> {
    return this.#client.findEntries({ q, tokens: BOUNDS.tokens })
  }

  /** What the hook says to the model; undefined if it is silent. Runs in this process, which started long ago. */
  async hook(input: string, host: string): Promise<string | undefined> {
    const chunks: string[] = []
    const sink = new Writable({
      write(chunk, _, done) {
        chunks.push(String(chunk))
        done()
      },
    })
    const surroundings = { env: this.env, stdin: Readable.from([Buffer.from(input)]), stdout: sink, stderr: sink }
    await runIn(surroundings, [...this.arguments(host), '--wait', '1000000000'])
    const answers = chunks.join('').trimEnd().split('\n')
    return answers[0] === '' ? undefined : contextIn(answers.map(answer => JSON.parse(answer)))
  }

  readonly arguments = (host: string): string[] => ['hook', '--host', host, '--data-dir', this.directory]

  get env(): NodeJS.ProcessEnv {
    return { PATH: process.env.PATH, HOME: join('/', 'home', 'ann'), XDG_CONFIG_HOME: join(this.#work, 'config') }
  }

  /** The times in milliseconds of a process of the hook, and of a Node that does nothing, in turn. */
  async coldTimes({ sessions }: Half, count: number): Promise<{ hook: number[]; node: number[] }> {
    const times = { hook: [] as number[], node: [] as number[] }
    const hook = [PROGRAM, ...this.arguments('claude-code')]
    for (let at = 0; at < count; at += 1) {
      const { input } = payloadOf(sessions[at % sessions.length] as Session, `cold ${at}`, 0)
      times.hook.push(await timeOf(hook, this.env, input))
      times.node.push(await timeOf(['--eval', '0'], this.env, ''))
    }
    return times
  }
}

/** The time from the start of a process to its end, in milliseconds. */
async function timeOf(args: string[], env: NodeJS.ProcessEnv, input: string): Promise<number> {
  const began = performance.now()
  const child = spawn(process.execPath, args, { env, stdio: ['pipe', 'ignore', 'inherit'] })
  // A process may end before it has read its input.
  child.stdin.on('error', () => {}).end(input)
  await once(child, 'close')
  return performance.now() - began
}

/** The text for the model in an answer of the hook, whatever the form of the host. */
function contextIn(answer: unknown): string | undefined {
  if (typeof answer !== 'object' || answer === null) return undefined
  for (const [name, value] of Object.entries(answer)) {
    if (/context$/i.test(name) && typeof value === 'string') return value
    const within = contextIn(value)
    if (within !== undefined) return within
  }
  return undefined
}

/** The event of a session as one of the hosts reports it. */
function payloadOf({ kind, output }: Session, session: string, turn: number): { input: string; host: string } {
  const samples = SAMPLES.filter(({ moment }) => moment === (kind === 'success' ? 'succeeded' : 'failed'))
  const { host, payload } = samples[turn % samples.length] as Sample
  const named = { ...payload, session_id: session, sessionID: session, conversation_id: session }
  // Some hosts put JSON into a text, where the output is escaped twice.
  const nested = /\\"@OUTPUT@\\"/.test(JSON.stringify(named))
  const once = JSON.stringify(output).slice(1, -1)
  const shown = nested ? JSON.stringify(once).slice(1, -1) : once
  return { host, input: JSON.stringify(named).replaceAll('@OUTPUT@', () => shown) }
}

type Outcome = { session: Session; shown: string | undefined; isRight: boolean; asked: boolean }

async function outcomesOf({ name, lessons, sessions }: Half, memory: Memory): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const [at, session] of sessions.entries()) {
    const { input, host } = payloadOf(session, `${name} ${at}`, at)
    const lesson = lessons[session.lesson ?? -1]
    const shown = await memory.hook(input, host)
    // The agent runs the command that the shown text names. It repairs only what it belongs to.
    const isRight = shown !== undefined && lesson !== undefined && shown.includes(lesson.fix)
    // With the tool only, the agent asks after the second failure, with the line of the message.
    const answer = session.kind === 'known' ? await memory.find(session.line) : undefined
    const asked = answer?.answerable === true && answer.items[0]?.slug === memory.slugs.get(lesson as Lesson)
    outcomes.push({ session, shown, isRight, asked })
    if (values.misses && name === 'open' && (shown === undefined ? session.kind === 'known' : !isRight)) {
      process.stdout.write(
        `${session.kind} ${at} ${host}: ${session.line}\n  ${shown?.split('\n').slice(3, 5).join('\n  ') ?? 'silent'}\n`,
      )
    }
  }
  return outcomes
}

type Figures = ReturnType<typeof figuresOf>

function figuresOf(outcomes: readonly Outcome[]) {
  const of = (...kinds: Session['kind'][]): Outcome[] => outcomes.filter(({ session }) => kinds.includes(session.kind))
  const mean = (some: readonly Outcome[], value: (one: Outcome) => number | boolean): number =>
    some.reduce((sum, one) => sum + Number(value(one)), 0) / some.length
  const isShown = (one: Outcome): boolean => one.shown !== undefined
  const shown = outcomes.filter(isShown)
  const tokens = shown.map(one => Buffer.byteLength(one.shown ?? '') / BYTES_PER_TOKEN)
  return {
    arrival: mean(of('known'), one => one.isRight),
    precision: mean(shown, one => one.isRight),
    atForeign: mean(of('foreign'), isShown),
    atSuccess: mean(of('success'), isShown),
    wrong: mean(of('foreign', 'success'), isShown),
    tokens: quantile(tokens, 0.5) ?? 0,
    tokensMost: Math.max(0, ...tokens),
    withTool: mean(of('known'), one => (one.asked ? 1 : ATTEMPTS - 1)),
    withHook: mean(of('known'), one => (one.isRight ? 0 : ATTEMPTS - 1)),
  }
}

const isWithinBounds = ({ arrival, wrong, tokensMost }: Figures): boolean =>
  arrival >= BOUNDS.arrival && wrong <= BOUNDS.wrong && tokensMost <= BOUNDS.tokens

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`

/** The rows of the table: what is counted, and the text of its figure. */
const ROWS: readonly (readonly [name: string, text: (of: Figures) => string])[] = [
  [`arrival: the entry with its remedy is shown (bound ${percent(BOUNDS.arrival)})`, of => percent(of.arrival)],
  ['precision: of all that was shown', of => percent(of.precision)],
  ['shown at a foreign failure', of => percent(of.atForeign)],
  ['shown at a success', of => percent(of.atSuccess)],
  [`shown at foreign failures and successes (bound ${percent(BOUNDS.wrong)})`, of => percent(of.wrong)],
  [`tokens, median and most (bound ${BOUNDS.tokens})`, of => [of.tokens, of.tokensMost].map(Math.round).join(', ')],
  ['repeated failures per known failure: no memory', () => (ATTEMPTS - 1).toFixed(2)],
  ['the tool only, asked after the second failure', of => of.withTool.toFixed(2)],
  ['the hook', of => of.withHook.toFixed(2)],
]

function tableOf(figures: Map<string, Figures>): string {
  const halfNames = [...figures.keys()].map(name => `${name} half`)
  const rows = ROWS.map(([name, text]) => [name, ...[...figures.values()].map(text)])
  return [['', ...halfNames], ['-', '-', '-'], ...rows].map(row => `| ${row.join(' | ')} |\n`).join('')
}

if (values.help) process.stdout.write(USAGE)
else await measure(Number(values.processes))
