import { type ChildProcess, spawn } from 'node:child_process'
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
import { type Half, halves, type Lesson, type Session } from './sessions.ts'

const USAGE = `npm run bench:arrival -- [options]
  --misses     lists the sessions of the open half that did not get their entry, and those that got a wrong one
  --processes N  the number of cold processes whose time is measured (100 by default)
`
const ROOT = join(import.meta.dirname, '../..')
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
  const owner = spawn(process.execPath, [join(ROOT, 'bin/palimpsest.js'), 'mcp', '--data-dir', join(work, 'memory')], {
    stdio: ['pipe', 'ignore', 'inherit'],
  })
  try {
    const memory = await Memory.open(work)
    const both = halves()
    for (const { lessons } of both) for (const lesson of lessons) await memory.publish(lesson)
    const figures: Figures[] = []
    for (const half of both) figures.push(await figuresOf(half, memory))
    process.stdout.write(tableOf(figures))
    const { hook, node } = await memory.coldTimes(both[0] as Half, processes)
    process.stdout.write(
      `\nA process of the hook against a running owner, ${processes} times: ${timesOf(hook)} (bound of p99 ${BOUNDS.p99} ms on a quiet machine); a Node that does nothing: ${timesOf(node)}\n`,
    )
    process.exitCode = figures.some(one => !isWithinBounds(one)) ? 1 : 0
  } finally {
    await ended(owner)
    rmSync(work, { recursive: true, force: true })
  }
}

function timesOf(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number): number => Math.round(sorted[Math.ceil(share * sorted.length) - 1] ?? 0)
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`
}

async function ended(owner: ChildProcess): Promise<void> {
  owner.stdin?.end()
  if (owner.exitCode === null) await once(owner, 'exit')
}

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
    const hook = [join(ROOT, 'bin/palimpsest.js'), ...this.arguments('claude-code')]
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
type Figures = { half: string; outcomes: Outcome[] }

async function figuresOf({ name, lessons, sessions }: Half, memory: Memory): Promise<Figures> {
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
  return { half: name, outcomes }
}

const shareOf = (outcomes: readonly Outcome[], isCounted: (one: Outcome) => boolean): number =>
  outcomes.length === 0 ? 0 : outcomes.filter(isCounted).length / outcomes.length
const percent = (share: number): string => `${(100 * share).toFixed(1)} %`

function rowsOf({ outcomes }: Figures) {
  const of = (kind: Session['kind']): Outcome[] => outcomes.filter(({ session }) => session.kind === kind)
  const [known, foreign, success] = [of('known'), of('foreign'), of('success')]
  const shown = outcomes.filter(one => one.shown !== undefined)
  const tokens = shown.map(one => Buffer.byteLength(one.shown ?? '') / BYTES_PER_TOKEN).sort((a, b) => a - b)
  const repeats = (failures: (one: Outcome) => number): number =>
    known.reduce((sum, one) => sum + failures(one), 0) / known.length
  return {
    arrival: shareOf(known, one => one.isRight),
    precision: shareOf(shown, one => one.isRight),
    wrongAtKnown: shareOf(known, one => one.shown !== undefined && !one.isRight),
    atForeign: shareOf(foreign, one => one.shown !== undefined),
    atSuccess: shareOf(success, one => one.shown !== undefined),
    wrong: shareOf([...foreign, ...success], one => one.shown !== undefined),
    tokens: tokens[tokens.length >> 1] ?? 0,
    tokensMost: tokens.at(-1) ?? 0,
    without: repeats(() => ATTEMPTS - 1),
    withTool: repeats(one => (one.asked ? 1 : ATTEMPTS - 1)),
    withHook: repeats(one => (one.isRight ? 0 : ATTEMPTS - 1)),
    bySource: [...new Set(known.map(({ session }) => session.source))].map(
      source =>
        `${source} ${percent(
          shareOf(
            known.filter(one => one.session.source === source),
            one => one.isRight,
          ),
        )}`,
    ),
  }
}

function isWithinBounds(figures: Figures): boolean {
  const { arrival, wrong, tokensMost } = rowsOf(figures)
  return arrival >= BOUNDS.arrival && wrong <= BOUNDS.wrong && tokensMost <= BOUNDS.tokens
}

function tableOf(figures: readonly Figures[]): string {
  const halvesShown = figures.map(rowsOf)
  const row = (name: string, cell: (of: ReturnType<typeof rowsOf>) => string): string =>
    `| ${[name, ...halvesShown.map(cell)].join(' | ')} |\n`
  return [
    `| | ${figures.map(({ half }) => `${half} half`).join(' | ')} |\n|---|${'---|'.repeat(figures.length)}\n`,
    row(`arrival: the entry with its remedy is shown (bound ${percent(BOUNDS.arrival)})`, of => percent(of.arrival)),
    row('precision: of all that was shown', of => percent(of.precision)),
    row('another entry shown at a known failure', of => percent(of.wrongAtKnown)),
    row('shown at a foreign failure', of => percent(of.atForeign)),
    row('shown at a success', of => percent(of.atSuccess)),
    row(`shown at foreign failures and successes (bound ${percent(BOUNDS.wrong)})`, of => percent(of.wrong)),
    row(
      `tokens, median and most (bound ${BOUNDS.tokens})`,
      of => `${Math.round(of.tokens)}, ${Math.round(of.tokensMost)}`,
    ),
    row('repeated failures per known failure: no memory', of => of.without.toFixed(2)),
    row('the tool only, asked after the second failure', of => of.withTool.toFixed(2)),
    row('the hook', of => of.withHook.toFixed(2)),
    row('arrival by program', of => of.bySource.join(', ')),
  ].join('')
}

if (values.help) process.stdout.write(USAGE)
else await measure(Number(values.processes))
