import { MODERATION_ACTIONS, RELATION_TYPES } from '../../src/contract/vocabulary.ts'
import type { seededRandom } from '../support/random.ts'
import type { Command, Scene } from './command.ts'
import { latestOf, type ModelActor, type ModelEntry, type ModelRevision, type Text } from './model.ts'
import { listFeed, listPart, malformed, PARTS, readEntry, readRevision, readStats, search } from './read-commands.ts'
import { issue, judge, moderate, publish, relate, revise } from './write-commands.ts'

export type Random = ReturnType<typeof seededRandom>

const WORDS = ['amber', 'basalt', 'cedar', 'delta', 'ember', 'fjord', 'granite', 'harbour', 'amberly', 'deltas']
const CHANGES = ['EXPAND', 'CORRECT', 'SYNTHESIZE']

/** Chooses the next command of a sequence. About a third must fail, because of their names or because of earlier commands. */
export function chooseCommand(random: Random, scene: Scene): Command {
  const sometimes = (oneIn: number): boolean => random.below(oneIn) === 0
  const actor = (): ModelActor | undefined => (sometimes(25) ? undefined : random.pick(scene.actors))
  const reader = (): ModelActor | undefined => (sometimes(2) ? undefined : random.pick(scene.actors))
  const entry = (): ModelEntry | undefined => (sometimes(10) ? undefined : random.pick(scene.entries))
  const revision = (of: ModelEntry | undefined): ModelRevision | undefined => {
    if (sometimes(14)) return undefined
    const holder = of === undefined || sometimes(10) ? random.pick(scene.entries) : of
    return holder && (sometimes(3) ? random.pick(holder.revisions) : latestOf(holder))
  }
  const words = (): string => Array.from({ length: 3 }, () => random.pick(WORDS)).join(' ')
  const text = (): Text => ({
    title: `${words()} ${scene.number} ${random.below(1e9)}`,
    summary: words(),
    content: `${words()} of${scene.number}`,
  })
  const tag = (): string => random.pick([`Set ${scene.number}`, `set ${scene.number}`, `other-${scene.number}`])
  const sources = (): (ModelRevision | undefined)[] => (sometimes(3) ? [revision(entry())] : [])
  const page = (path: string) => ({
    limit: random.pick([1, 2, 3, 10]),
    before: sometimes(2)
      ? (scene.cursors.get(path) ?? random.pick([undefined, '1', '2', '1000000001', 'x']))
      : undefined,
  })
  const kinds: [weight: number, make: () => Command][] = [
    [1, () => issue(scene, sometimes(2) ? null : random.pick(WORDS))],
    [3, () => publish(scene, actor(), text(), sometimes(3) ? [] : [tag()], sources())],
    [
      6,
      () => {
        const one = entry()
        return revise(
          actor(),
          one,
          sometimes(4) ? revision(one) : one && latestOf(one),
          random.pick(CHANGES),
          text(),
          sources(),
        )
      },
    ],
    [
      4,
      () => {
        const one = entry()
        return judge(actor(), one, revision(one))
      },
    ],
    [
      4,
      () => {
        const one = entry()
        return judge(actor(), one, revision(one), random.pick([null, entry() ?? null, 'unknown']))
      },
    ],
    [4, () => relate(actor(), entry(), entry(), random.pick(RELATION_TYPES))],
    [
      4,
      () => {
        const target = sometimes(3) ? random.pick(scene.actors) : entry()
        return moderate(
          target,
          random.pick([...MODERATION_ACTIONS.filter(one => one !== 'ERASE'), 'RESTORE', 'UNBLOCK']),
        )
      },
    ],
    [3, () => readEntry(reader(), entry(), sometimes(2))],
    [
      2,
      () => {
        const one = entry()
        return readRevision(reader(), one, revision(one))
      },
    ],
    [
      5,
      () => {
        const one = entry()
        const part = random.pick(PARTS)
        return listPart(reader(), one, part, page(`${one?.id}/${part}`))
      },
    ],
    [2, () => listFeed({ ...page('feed'), before: scene.cursors.get('feed') })],
    [2, () => readStats()],
    [
      3,
      () =>
        search(reader(), {
          words: random.pick([
            [],
            [`of${scene.number}`],
            [random.pick(WORDS), `OF${scene.number}`],
            [`of${scene.number}`, 'amb'],
          ]),
          tag: sometimes(2) ? tag() : '',
          sort: random.pick(['recent', 'evolution']),
          limit: random.pick([1, 3, 20]),
          offset: random.below(3),
        }),
    ],
    [3, () => fault(random, scene)],
  ]
  const weighted = kinds.flatMap(([weight, make]) => Array.from({ length: weight }, () => make))
  return random.pick(weighted)()
}

/** A request that no state of the store makes right. */
function fault(random: Random, { actors: [first], entries: [entry] }: Scene): Command {
  const token = first?.token ?? ''
  return random.pick([
    malformed('POST', '/api/entries', { token, body: { title: 'No content' } }, 'MISSING_MEMBER'),
    malformed('POST', '/api/entries', { token, raw: '{' }, 'MALFORMED_JSON'),
    malformed('POST', '/api/relations', { token, body: {}, type: 'text/plain' }, 'UNSUPPORTED_MEDIA_TYPE'),
    malformed('POST', '/api/entries', { token: 'plm_typo', body: {} }, 'ACTOR_TOKEN_INVALID'),
    malformed('GET', `/api/entries/${entry?.id}/revisions/1`, {}, 'INVALID_REVISION_ID'),
    malformed('GET', '/api/search?sort=oldest', {}, 'INVALID_SORT'),
    malformed('GET', '/api/admin/snapshot', { bearer: 'guess' }, 'ADMIN_TOKEN_INVALID'),
    malformed('DELETE', `/api/entries/${entry?.id}`, { token }, 'ROUTE_NOT_FOUND'),
  ])
}
