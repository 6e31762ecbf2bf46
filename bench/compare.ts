import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { findWords } from './corpus.ts'
import { Loader } from './load/loader.ts'
import type { Loaded, Operation } from './load/order.ts'
import type { Options } from './options.ts'
import { CORES, cpuSeconds, memoryOf, signalTree } from './processes.ts'
import type { Results, Round, TargetResult } from './results.ts'
import type { Place, Running, Target } from './target.ts'

const MEGABYTE = 1e6
/** Seconds for which an operation runs before it is measured, so that memory of a suspended target is paged in and new code is compiled. */
const WARM = 3
/** Maximum number of connections during the warm-up, because a slow target takes its time for each connection. */
const WARMING = 8
/** The numbers of the entries of each round are distinct, and above those of the filled store. */
const FRESH_STEP = 10_000_000

/** `run` distinguishes the rounds of one run from those that `--resume` adds later. */
type Started = { target: Target; running: Running; result: TargetResult; run: string }

/** The files of a target, its number of entries, and an empty directory for this run. */
export async function placeOf(options: Options, name: string, entries = options.entries): Promise<Place> {
  const place = {
    work: options.work,
    scratch: join(options.work, 'scratch', `${name}-${entries}`),
    entries,
    words: options.operations.some(operation => 'SM'.includes(operation)) ? (await findWords()).middling : [],
    say: (text: string) => options.say(`${name}: ${text}`),
  }
  rmSync(place.scratch, { recursive: true, force: true })
  mkdirSync(place.scratch, { recursive: true })
  return place
}

/** Measures the operations of all targets in alternating rounds. Calls `save` after each step. Skips results of an earlier run. */
export async function compare(targets: Target[], options: Options, results: Results, save: () => void): Promise<void> {
  const left = targets.filter(target => isLeft(target, options, results))
  const started: Started[] = []
  const run = new Date().toISOString()
  const loader = new Loader(CORES.load)
  try {
    for (const target of left) {
      const one = await startOne(target, options, results)
      if (one !== undefined) started.push({ ...one, run })
      save()
    }
    for (let round = 0; started.length > 0 && round < options.rounds; round++) {
      for (const operation of options.operations) {
        for (const one of started) {
          if (!one.target.operations.includes(operation) || measured(one.result, operation) > round) continue
          await oneRound(loader, one, operation, round, options, results)
          save()
        }
      }
    }
  } finally {
    loader.close()
    for (const { running } of started) {
      for (const pid of running.pids) signalTree(pid, 'SIGCONT')
      await running.stop()
    }
    rmSync(join(options.work, 'scratch'), { recursive: true, force: true })
    save()
  }
}

const measured = (result: TargetResult | undefined, operation: Operation): number =>
  result?.rounds[operation]?.length ?? 0

const isLeft = (target: Target, options: Options, results: Results): boolean =>
  options.operations.some(
    operation =>
      target.operations.includes(operation) && measured(results.targets[target.name], operation) < options.rounds,
  )

async function startOne(target: Target, options: Options, results: Results): Promise<Omit<Started, 'run'> | undefined> {
  try {
    const place = await placeOf(options, target.name, Math.min(options.entries, target.most))
    const running = await target.start(place)
    const result = results.targets[target.name] ?? { about: running.about, entries: place.entries, rounds: {} }
    if (running.bytes !== undefined) result.bytesPerEntry = Math.round(running.bytes / place.entries)
    results.targets[target.name] = result
    delete results.skipped[target.name]
    note(running, result)
    pause(running)
    return { target, running, result }
  } catch (error) {
    options.say(`${target.name} IS SKIPPED: ${reasonOf(error)}`)
    results.skipped[target.name] = reasonOf(error)
    return undefined
  }
}

/** Why something was not measured, on one line. */
export const reasonOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n').slice(0, 3).join(' ').slice(0, 300)

const pause = ({ pids, pausable }: Running): void => {
  for (const pid of pausable === false ? [] : pids) signalTree(pid, 'SIGSTOP')
}

function note({ pids }: Running, result: TargetResult): void {
  if (pids.length === 0) return
  const end = pids.reduce((sum, pid) => sum + memoryOf(pid), 0) / MEGABYTE
  result.memory = { most: Math.max(result.memory?.most ?? 0, end), end }
}

/** Warms up and measures one operation, while all other targets are suspended. */
async function oneRound(
  loader: Loader,
  { target, running, result, run }: Started,
  operation: Operation,
  round: number,
  options: Options,
  results: Results,
): Promise<void> {
  for (const pid of running.pids) signalTree(pid, 'SIGCONT')
  try {
    const from = FRESH_STEP * (1 + round * options.operations.length + options.operations.indexOf(operation))
    const load = (seconds: number, offset: number, connections: number): Promise<Loaded> => {
      if (running.measure !== undefined) return running.measure(operation, seconds)
      if (running.situation === undefined) throw new Error('There is nothing to load.')
      const { situation } = running
      // Several nodes get as many clients per node as a single service.
      const all = connections * situation.urls.length
      return loader.run({ situation, operation, connections: all, seconds, from: from + offset })
    }
    if (running.measure === undefined)
      await load(Math.min(WARM, options.seconds), FRESH_STEP / 2, Math.min(WARMING, options.connections))
    const cpu = (): number => running.pids.reduce((sum, pid) => sum + cpuSeconds(pid), 0)
    const [before, began] = [cpu(), performance.now()]
    const loaded = await load(options.seconds, 0, options.connections)
    const seconds = (performance.now() - began) / 1_000
    await running.settle?.()
    const server = (cpu() - before) / seconds
    const figures: Round = { run, round, ...rounded(loaded), server: Number(server.toFixed(2)) }
    result.rounds[operation] = [...(result.rounds[operation] ?? []), figures]
    delete results.skipped[`${target.name} ${operation}`]
    note(running, result)
    options.say(
      `round ${round + 1} ${operation} ${target.name}: ${figures.perSecond}/s, p50 ${figures.p50} ms, p99 ${figures.p99} ms, ${perCore(figures)}`,
    )
  } catch (error) {
    options.say(`${target.name} FAILED at ${operation}: ${reasonOf(error)}`)
    results.skipped[`${target.name} ${operation}`] = reasonOf(error)
  } finally {
    pause(running)
  }
}

/** The rate per second of processor time, on which other programs on the machine have little effect. */
const perCore = ({ perSecond, server }: Round): string =>
  server === 0 ? 'in process' : `${Math.round(perSecond / server)} per second of processor time`

const rounded = ({ perSecond, p50, p99, busy }: Loaded): Omit<Round, 'run' | 'round' | 'server'> => ({
  perSecond: Number(perSecond.toPrecision(4)),
  p50: Number(p50.toFixed(3)),
  p99: Number(p99.toFixed(3)),
  load: Number(busy.toFixed(2)),
})
