import assert from 'node:assert/strict'
import { PROBLEMS } from '../../src/contract/problems.ts'
import { seededRandom } from '../support/random.ts'
import { chooseCommand, type Random } from './choices.ts'
import type { Command, On, Scene } from './command.ts'
import { createModel, newActor, Refusal } from './model.ts'
import { type Pair, startPair } from './pair.ts'
import { listFeed, listPart, PARTS, readStats } from './read-commands.ts'
import { issue, publish } from './write-commands.ts'

const LENGTH = 15
/** One of this many sequences ends with a comparison of everything. */
const LAST_LOOK_IN = 3
const SECOND = 1_000

/**
 * Runs random sequences of commands on both engines and on the model, one after another in one store, and asserts after each command
 * that all three agree. Returns the numbers of commands and of refused ones. If a command differs, the error lists the commands of its
 * sequence up to it.
 */
export async function runSequences(count: number): Promise<{ commands: number; refused: number }> {
  const random = seededRandom('random sequences')
  const pair = await startPair()
  let [commands, refused] = [0, 0]
  try {
    const play = await createPlay(pair)
    for (let number = 1; number <= count; number++) {
      const scene: Scene = { number, actors: [], entries: [], cursors: new Map() }
      const sent: string[] = []
      const perform = async (command: Command): Promise<number> => {
        sent.push(`${command.method} ${command.path} ${JSON.stringify(command.sending)}`)
        try {
          return await play(command, scene)
        } catch (error) {
          const prefix = `SEED=${random.seed}, sequence ${number}, its commands so far:\n${sent.join('\n')}\n`
          throw new Error(`${prefix}${(error as Error).message}`, { cause: error })
        }
      }
      for (const command of setting(random, scene)) await perform(command())
      for (let n = 0; n < LENGTH; n++) {
        commands += 1
        if ((await perform(chooseCommand(random, scene))) >= 400) refused += 1
      }
      if (random.below(LAST_LOOK_IN) === 0) for (const command of lastLook(random, scene)) await perform(command)
      await pair.tick(SECOND)
    }
  } finally {
    await pair.close()
  }
  return { commands, refused }
}

/** The state before a sequence begins. */
const setting = (random: Random, scene: Scene): (() => Command)[] => {
  // A number alone at the end of a slug could be the end of an id by chance.
  const text = () => ({ title: `First of no${scene.number}`, summary: 'amber', content: `cedar of${scene.number}` })
  return [
    () => issue(scene, 'Fox'),
    () => issue(scene, null),
    () => publish(scene, scene.actors[0], text(), [`Set ${scene.number}`], []),
    () => publish(scene, scene.actors[1], { ...text(), title: `Second of no${scene.number}` }, [], []),
  ].slice(0, 3 + random.below(2))
}

/** The reads that show most of the result of a sequence. */
const lastLook = (random: Random, scene: Scene): Command[] => {
  const entry = random.pick(scene.entries)
  const all = { before: undefined, limit: 50 }
  return [...PARTS.map(part => listPart(undefined, entry, part, all)), readStats(), listFeed(all)]
}

/** Returns the function that performs a command on all three and compares. Before a write that follows reads it also reads the feed. */
async function createPlay(pair: Pair): Promise<(command: Command, scene: Scene) => Promise<number>> {
  const model = createModel()
  const anonymous = newActor('', '', null)
  model.actors.push(anonymous)
  const on = (): On => ({ model, anonymous, at: pair.now() })
  const compare = async (command: Command): Promise<{ status: number; body: Record<string, unknown> }> => {
    const { method, path, sending } = command
    const { status, body } = await pair.ask(method, path, sending)
    const made = status < 400 ? command.view(body) : (body.error as { code: string }).code
    assert.deepEqual(
      [status, made],
      expected(command, on(), body),
      'the engines (actual) differ from the model (expected)',
    )
    return { status, body }
  }
  // Who reads without a token is an actor too, and known from the feed only.
  await pair.ask('GET', '/api/search')
  const feed = await pair.ask('GET', '/api/activity')
  anonymous.id = (feed.body.items as { actorId: string }[])[0]?.actorId ?? ''
  model.read(anonymous, pair.now())

  return async (command, scene) => {
    // A read of the feed stores the observations, so that their rows precede those of the write.
    if (command.method === 'POST' && pair.observed()) await compare(listFeed({ before: undefined, limit: 5 }))
    const { status, body } = await compare(command)
    const [, entry, part] = /^\/api\/(?:entries\/([^/?]+)\/)?(\w+)/.exec(command.path) ?? []
    if (typeof body.nextCursor === 'string') scene.cursors.set(entry ? `${entry}/${part}` : 'feed', body.nextCursor)
    return status
  }
}

/** The outcome of a command by the rules: its status, and its answer or the code of its problem. */
function expected(command: Command, on: On, body: Record<string, unknown>): [number, unknown] {
  try {
    const expected = command.apply(on, body)
    const made = command.method === 'POST' && !command.path.startsWith('/api/admin/')
    return [made ? 201 : 200, expected]
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return [PROBLEMS[error.code].status, error.code]
  }
}
