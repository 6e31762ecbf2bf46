import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { expectDone } from '../cli/command.ts'
import { commandLine } from '../cli/people/in-process.ts'
import { ERAS, openSession } from '../mcp/session.ts'
import { bodyOf, readGuide } from './llms-guide.ts'

const { inProcess, scratch } = commandLine()
/** A revision that is relied on. */
export type Pin = { slug: string; revisionId: string }
/** The cost of an answer: requests, tool calls or commands; bytes of the answers; and their text. */
export type Cost = { calls: number; bytes: number; text: string }

/** The daily questions, through one interface of the service. */
export type DailyFace = {
  /** Pins revisions, if the interface stores pins. */
  rely?(pins: readonly Pin[]): Promise<void>
  /** Everything about a subject with its reliability, in at most this many tokens. */
  learn(problem: string, tokens: number): Promise<Cost>
  /** The changes of pinned revisions since a sequence. */
  changed(pins: readonly Pin[], since: string): Promise<Cost>
  /** The entries that need a check. */
  check(): Promise<Cost>
  /** Records that revisions are supported. */
  confirm(pins: readonly Pin[]): Promise<Cost>
  close?(): Promise<void>
}

const sum = (costs: readonly Cost[]): Cost => ({
  calls: costs.reduce((all, { calls }) => all + calls, 0),
  bytes: costs.reduce((all, { bytes }) => all + bytes, 0),
  text: costs.map(({ text }) => text).join('\n'),
})
const costOf = (text: string): Cost => ({ calls: 1, bytes: Buffer.byteLength(text), text })

const HELD = { result: 'SUPPORTED', confidence: 0.9, rationale: 'Did as it says: it held.' } as const

/** In parts of at most ten, as one request takes them. */
function parts<T>(all: readonly T[]): T[][] {
  const taken = [...all]
  return Array.from({ length: Math.ceil(all.length / 10) }, () => taken.splice(0, 10))
}

/** Plain HTTP by an agent that knows nothing but /llms.txt; the token is that of an actor it made before. */
export async function openDailyAgent(base: string, token: string): Promise<DailyFace> {
  const guide = readGuide(await (await fetch(`${base}/llms.txt`)).text())
  const ask = async (path: string, body?: unknown): Promise<Cost> => {
    const sent = {
      ...{ method: 'POST', body: JSON.stringify(body) },
      headers: { 'content-type': 'application/json', 'x-actor-token': token },
    }
    const answer = await fetch(`${base}${path}`, body === undefined ? {} : sent)
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`)
    return costOf(text)
  }
  return {
    async learn(problem, tokens) {
      const url = new URL(guide.callTo('find').path, base)
      for (const [name, value] of Object.entries({ q: problem, tokens: String(tokens) })) {
        if (!url.searchParams.has(name)) throw new Error(`${url.pathname} is not said to take ${name}`)
        url.searchParams.set(name, value)
      }
      return ask(`${url.pathname}${url.search}`)
    },
    async changed(pins, since) {
      const call = guide.callTo('check what you rely on')
      return ask(call.path, bodyOf(call, { pins, since }))
    },
    check: async () => ask(guide.callTo('what to check next').path),
    async confirm(pins) {
      const call = guide.callTo('several at once')
      const items = pins.map(({ slug, revisionId }) => ({ entry: slug, revisionId, kind: 'VERIFY', ...HELD }))
      const costs: Cost[] = []
      for (const part of parts(items)) costs.push(await ask(call.path, bodyOf(call, { items: part })))
      return sum(costs)
    },
  }
}

/** The tools at /mcp. */
export async function openDailyTools(base: string, actorToken: string): Promise<DailyFace> {
  const { client, callTool } = await openSession(base, { options: ERAS['2026-07-28'] ?? {} })
  const ask = async (name: string, args: Record<string, unknown>): Promise<Cost> => {
    const { text, isError } = await callTool(name, args)
    if (isError) throw new Error(`${name}: ${text}`)
    return costOf(text)
  }
  const named = (pins: readonly Pin[]) => pins.map(({ slug, revisionId }) => ({ entry: slug, revisionId }))
  return {
    learn: (q, tokens) => ask('find', { q, tokens }),
    changed: (pins, since) => ask('check_pins', { pins: named(pins), since }),
    check: () => ask('work', {}),
    async confirm(pins) {
      const costs: Cost[] = []
      for (const part of parts(named(pins))) {
        costs.push(await ask('verify', { items: part.map(pin => ({ ...pin, ...HELD })), actorToken }))
      }
      return sum(costs)
    },
    close: () => client.close(),
  }
}

/** `palimpsest` in a shell, with a lockfile. */
export async function openDailyShell(base: string): Promise<DailyFace> {
  const folder = mkdtempSync(join(scratch(), 'daily-'))
  const env = { PALIMPSEST_URL: base, XDG_CONFIG_HOME: folder }
  const file = join(folder, 'palimpsest.lock')
  const run = async (args: readonly string[], input = ''): Promise<Cost> => {
    const { stdout } = await inProcess(args, { env, input })
    return costOf(stdout)
  }
  return {
    learn: (problem, tokens) => run(['search', problem, '--tokens', String(tokens)]),
    async rely(pins) {
      expectDone(await inProcess(['lock', '--file', file, ...pins.map(({ slug }) => slug)], { env }))
    },
    changed: () => run(['audit', '--file', file]),
    check: () => run(['work']),
    async confirm(pins) {
      const lines = pins.map(({ slug, revisionId }) => ({ entry: slug, revisionId, kind: 'VERIFY', ...HELD }))
      const input = lines.map(line => JSON.stringify(line)).join('\n')
      return costOf(expectDone(await inProcess(['evidence', '-'], { env, input })))
    },
  }
}
