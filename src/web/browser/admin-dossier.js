import { table } from './admin-table.js'
import { actorButton, badgesOf, originButton, timeOf } from './admin-views.js'
import { button, everyCharacter, make, words } from './dom.js'

/** @typedef {import('./admin-views.js').Asks} Asks */
/** @typedef {import('../../contract/resources.ts').Revision & { record: string, originId: string | null }} Revision */
/**
 * @typedef {{
 *   kind: string, id: string, record?: string, actorId: string, actorName?: string | null, createdAt?: string, timestamp?: string, rationale?: string,
 *   result?: string, confidence?: number, relationType?: string, action?: string, revisionId?: string | null, withdrawn?: boolean, originId: string | null,
 * }} Interaction
 */
/**
 * @typedef {{ entry: import('./admin-views.js').Snapshot['entries'][number] & { summary: string, content: string, tags: string[] }, revisions: Revision[], interactions: Interaction[] }} Dossier
 */

/**
 * The button that acts on one record; none for a row without a number.
 * @param {Asks} asks @param {string | undefined} record
 */
const recordButton = ({ act }, record) =>
  record === undefined
    ? ''
    : button(`Record ${record} …`, () => act({ type: 'RECORD', id: record, name: `number ${record}` }))

/** The reason of a record, or that its text was erased. @param {string | undefined} text */
const reasonOf = text => (text === '' ? make('span', { class: 'none' }, 'erased') : words(text))

/**
 * Everything about one entry: its text, all revisions, and all evidence and relations, withdrawn ones included.
 * @param {Dossier} dossier
 * @param {Asks} asks
 * @returns {Node[]}
 */
export function dossierView({ entry, revisions, interactions }, asks) {
  /** The declared names of the actors in this dossier. @type {Map<string, string | null>} */
  const names = new Map([[entry.actor.id, entry.actor.declared.name]])
  for (const { actorId, actorName } of interactions) if (actorName) names.set(actorId, actorName)
  const heading = make('h2', { tabindex: -1 }, words(entry.title))
  const act = button('Act on this entry …', () => asks.act({ type: 'ENTRY', id: entry.id, name: entry.title }), {
    class: 'do',
  })
  const evidence = interactions.filter(({ kind }) => kind !== 'activity')
  const observed = interactions.filter(({ kind }) => kind === 'activity')
  return [
    heading,
    make('p', {}, ...badgesOf(entry.moderation, entry.status), make('code', {}, entry.slug)),
    make(
      'p',
      { class: 'row' },
      act,
      ' ',
      actorButton(asks, entry.actor.id, entry.actor.declared.name),
      ' ',
      originButton(asks, entry.originId),
    ),
    make('p', {}, words(entry.summary)),
    make(
      'details',
      {},
      make('summary', {}, 'Content, unchanged'),
      make('pre', { tabindex: 0, dir: 'auto' }, ...everyCharacter(entry.content)),
    ),
    table(
      'Evidence and relations, withdrawn ones included',
      ['When', 'What', 'Says', 'Record', 'Actor', 'Origin'],
      evidence,
      row => [
        timeOf(row.createdAt ?? ''),
        [
          make('span', { class: 'action' }, whatOf(row)),
          row.withdrawn === true ? make('span', { class: 'badge quarantined' }, 'withdrawn') : '',
        ],
        reasonOf(row.rationale),
        recordButton(asks, row.record),
        actorButton(asks, row.actorId, names.get(row.actorId) ?? null),
        originButton(asks, row.originId),
      ],
    ),
    table('Revisions', ['When', 'Change', 'Why', 'Record', 'Actor', 'Origin'], revisions, row => [
      timeOf(row.createdAt),
      make('span', { class: 'action' }, row.changeType),
      reasonOf(row.rationale),
      recordButton(asks, row.record),
      actorButton(asks, row.actorId, names.get(row.actorId) ?? null),
      originButton(asks, row.originId),
    ]),
    table('Observed', ['When', 'Action', 'Actor', 'Origin'], observed, row => [
      timeOf(row.timestamp ?? ''),
      make('span', { class: 'action' }, row.action ?? ''),
      actorButton(asks, row.actorId, row.actorName ?? null),
      originButton(asks, row.originId),
    ]),
  ]
}

/** @param {Interaction} row */
function whatOf({ kind, result, confidence, relationType }) {
  if (kind === 'verification') return `${result} ${Math.round((confidence ?? 0) * 100)} %`
  return kind === 'relation' ? (relationType ?? '') : 'CONTRADICT'
}

/**
 * The text of an entry, a revision or a piece of evidence, with every character named.
 * @param {Dossier} dossier
 * @param {import('../../contract/vocabulary.ts').ReportTarget} type
 * @param {string} id
 */
export function reportedOf({ entry, revisions, interactions }, type, id) {
  const revision = type === 'ENTRY' ? entry : revisions.find(one => one.id === id)
  const text =
    revision === undefined
      ? interactions.find(one => one.id === id)?.rationale
      : [revision.title, revision.summary, revision.content].join('\n\n')
  return text === undefined
    ? [make('p', { class: 'none' }, 'It is older than the rows that the console loads.')]
    : [make('pre', { tabindex: 0, dir: 'auto', 'aria-label': 'Text of the record' }, ...everyCharacter(text))]
}
