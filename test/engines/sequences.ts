import assert from 'node:assert/strict'
import { PROBLEMS } from '../../src/contract/problems.ts'
import { seededRandom } from '../support/random.ts'
import { chooseCommand, type Random } from './choices.ts'
import type { Command, On, Scene } from './command.ts'
import { createModel, newActor, Refusal } from './model.ts'
import { type Pair, startPair } from './pair.ts'
import { listFeed } from './read-commands.ts'
import { issue, publish } from './write-commands.ts'

const LENGTH = 15
const SECOND = 1_000

/**
 * Runs random sequences of commands on both engines and on the model, one after another in one store, and asserts after each command
 * that all three say the same. Where they do not, the error tells the commands of the sequence up to the one that differs.
 */
export async function runSequences(count: number): Promise<{ commands: number; refused: number }> {
  const random = seededRandom('random sequences')
  const pair = await startPair()
  let [commands, refused] = [0, 0]
  try {
    const play = await createPlay(pair)
    for (let number = 1; number <= count; number++) {
      const scene: Scene = { number, actors: [], entries: [], cursors: new Map() }
      const told: string[] = []
      const perform = async (command: Command): Promise<void> => {
        told.push(`${command.method} ${command.path} ${JSON.stringify(command.sending)}`)
        try {
          const status = await play(command, scene)
          commands += 1
          if (status >= 400) refused += 1
        } catch (error) {
          const prefix = `SEED=${random.seed}, sequence ${number}, its commands so far:\n${told.join('\n')}\n`
          throw new Error(`${prefix}${(error as Error).message}`, { cause: error })
        }
      }
      for (const command of setting(random, scene)) await perform(command())
      for (let n = 0; n < LENGTH; n++) await perform(chooseCommand(random, scene))
      await perform(listFeed({ before: undefined, limit: 20 }))
      await pair.tick(SECOND)
    }
  } finally {
    await pair.close()
  }
  return { commands, refused }
}

/** What there is before a sequence begins. */
const setting = (random: Random, scene: Scene): (() => Command)[] => {
  const text = () => ({ title: `First of ${scene.number}`, summary: 'amber', content: `cedar of${scene.number}` })
  return [
    () => issue(scene, 'Fox'),
    () => issue(scene, null),
    () => publish(scene, scene.actors[0], text(), [`Set ${scene.number}`], []),
    () => publish(scene, scene.actors[1], { ...text(), title: `Second of ${scene.number}` }, [], []),
  ].slice(0, 3 + random.below(2))
}

/** Gives the function that performs a command on all three and compares; before a write that follows reads the feed, too. */
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
    // Looking at the feed keeps what was observed, so that its rows stand before those of the write.
    if (command.method === 'POST' && pair.observed()) await compare(listFeed({ before: undefined, limit: 5 }))
    const { status, body } = await compare(command)
    const [, entry, part] = /^\/api\/(?:entries\/([^/?]+)\/)?(\w+)/.exec(command.path) ?? []
    if (typeof body.nextCursor === 'string') scene.cursors.set(entry ? `${entry}/${part}` : 'feed', body.nextCursor)
    return status
  }
}

/** What the rules say to a command: its status, and its answer or the code of its problem. */
function expected(command: Command, on: On, body: Record<string, unknown>): [number, unknown] {
  try {
    const told = command.apply(on, body)
    const made = command.method === 'POST' && !command.path.startsWith('/api/admin/')
    return [made ? 201 : 200, told]
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return [PROBLEMS[error.code].status, error.code]
  }
}
