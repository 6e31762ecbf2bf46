import { countOf } from './admin-act.js'
import { undoableIds } from './admin-many.js'
import { table } from './admin-table.js'
import { button, exactOf, make, words } from './dom.js'

/** @typedef {import('../../contract/resources.ts').Flags} Flags */
/** @typedef {import('../../contract/vocabulary.ts').TargetType} TargetType */
/** @typedef {import('../../contract/vocabulary.ts').Resolution} Resolution */
/** A target of moderation, with the open appeal that the act answers. @typedef {{ type: TargetType, id: string, name: string, appeal?: string }} Target */
/** A record of an entry whose text is loaded. @typedef {{ entryId: string, targetType: import('../../contract/vocabulary.ts').ReportTarget, targetId: string }} RecordName */
/**
 * Callbacks of a view: act on a target or on several, undo results, open an entry, close a report, or load the text of a record.
 * @typedef {{ act: (target: Target) => void, actAll: (targets: Target[]) => void, undo: (results: import('../../contract/resources.ts').ModerationResult[]) => void, open: (entryId: string) => void, close: (reportId: string, resolution: Resolution) => void, textOf: (record: RecordName) => Promise<Node[]> }} Asks
 */
/**
 * The shown members of the snapshot.
 * @typedef {{
 *   entries: { id: string, slug: string, title: string, status: string, updatedAt: string, moderation: Flags, originId: string | null, actor: { id: string, declared: { name: string | null } } }[],
 *   actors: { id: string, actorType: string, declared: { name: string | null }, observed: { lastSeenAt: string }, anonymous: boolean, observations: number, moderation: Flags, originId: string | null }[],
 *   activity: { id: string, action: string, timestamp: string, actorId: string, actorName: string | null, entryId: string | null, revisionId: string | null, metadata: { verificationId?: string, contradictionId?: string, relationId?: string }, originId: string | null }[],
 *   audit: import('../../contract/resources.ts').ModerationResult[],
 *   blockedOrigins: { originId: string, day: string, moderation: Flags, alive: boolean }[],
 *   reports: import('../../contract/resources.ts').AdminReport[],
 *   truncated: Record<string, number>,
 * }} Snapshot
 */

/** A time as its age, and exactly, in UTC. @param {string} iso */
export const timeOf = iso =>
  make(
    'time',
    { datetime: iso, title: iso },
    relativeTime(iso),
    make('br'),
    make('span', { class: 'small' }, exactOf(iso)),
  )

/**
 * A status and the set flags as badges. A flag that the status implies is omitted.
 * @param {Flags} flags
 * @param {string} status
 */
export function badgesOf(flags, status = '') {
  const said = status === 'LOCKED' ? 'blocked' : status.toLowerCase()
  const set = Object.entries(flags).flatMap(([name, on]) => (on && name !== said ? [name.toUpperCase()] : []))
  const shown = status === '' ? set : [status, ...set]
  return shown.flatMap(name => [make('span', { class: `badge ${name.toLowerCase()}` }, name), ' '])
}

/** The last 8 characters of an id; its title has the whole id. @param {string} id */
const short = id => make('code', { title: id }, id.slice(-8))

/** @param {Asks} asks @param {string | null} originId */
export const originButton = ({ act }, originId) =>
  originId === null
    ? make('span', { class: 'none' }, 'none stored')
    : button(`Origin ${originId.slice(0, 8)} …`, () => act({ type: 'ORIGIN', id: originId, name: originId }))

/** @param {Asks} asks @param {string} id @param {string | null} name */
export const actorButton = ({ act }, id, name) => {
  const pressed = button('', () => act({ type: 'ACTOR', id, name: name ?? 'an unnamed actor' }))
  pressed.append('Actor ', words(name, 'unnamed'), ' …')
  return make('span', {}, pressed, ' ', short(id))
}

/** @param {Asks} asks @param {string} id @param {string} title */
const entryButtons = ({ act, open }, id, title) => [
  button('Evidence', () => open(id), { 'aria-label': `Evidence of ${title}` }),
  ' ',
  button('Act …', () => act({ type: 'ENTRY', id, name: title }), { 'aria-label': `Act on ${title}` }),
]

/** @param {string | null} id @param {string} title @returns {Target | undefined} */
const entryTarget = (id, title) => (id === null ? undefined : { type: 'ENTRY', id, name: title })

/** @typedef {(snapshot: Snapshot, asks: Asks) => HTMLElement} View */

/** @type {View} */
const queue = (snapshot, asks) => {
  const titles = new Map(snapshot.entries.map(({ id, title }) => [id, title]))
  const rows = snapshot.activity.filter(({ action }) => action !== 'READ' && action !== 'SEARCH')
  return table(
    'Recent writes',
    ['When', 'Action', 'Entry', 'Actor', 'Origin'],
    rows,
    row => [
      timeOf(row.timestamp),
      make('span', { class: 'action' }, row.action),
      row.entryId === null
        ? make('span', { class: 'none' }, 'none')
        : [
            words(titles.get(row.entryId), 'an older entry'),
            ' ',
            ...entryButtons(asks, row.entryId, titles.get(row.entryId) ?? row.entryId),
            textOfWrite(asks, row, row.entryId),
          ],
      actorButton(asks, row.actorId, row.actorName),
      originButton(asks, row.originId),
    ],
    {
      targetOf: ({ entryId }) => entryTarget(entryId, titles.get(entryId ?? '') ?? 'an older entry'),
      act: asks.actAll,
    },
  )
}

/** The text of a record, loaded when it is opened. @param {Asks} asks @param {string} name @param {RecordName} record */
function textToOpen({ textOf }, name, record) {
  const place = make('div', { role: 'status' })
  const shown = make('details', {}, make('summary', {}, name), place)
  shown.addEventListener('toggle', async () => {
    if (shown.open) place.replaceChildren(...(await textOf(record)))
  })
  return shown
}

/** The text that a write added to an entry. @param {Asks} asks @param {Snapshot['activity'][number]} row @param {string} entryId */
function textOfWrite(asks, { revisionId, metadata }, entryId) {
  const judged = metadata.verificationId ?? metadata.contradictionId ?? metadata.relationId
  const targetId = judged ?? revisionId ?? entryId
  return textToOpen(asks, 'Text', { entryId, targetType: judged === undefined ? 'REVISION' : 'EVIDENCE', targetId })
}

/** @type {View} */
const reports = (snapshot, asks) =>
  table(
    'Open reports, newest first',
    ['When', 'Reason', 'About', 'From', 'Close'],
    snapshot.reports,
    row => [
      timeOf(row.createdAt),
      [make('span', { class: 'action' }, row.reason), ' ', words(row.details, 'without details')],
      [
        row.targetType === 'ENTRY'
          ? ''
          : make('span', {}, `${row.targetType.toLowerCase()} `, short(row.targetId), ' of '),
        words(row.title),
        ' ',
        make('span', { class: `badge ${row.status.toLowerCase()}` }, row.status),
        ' ',
        ...entryButtons(asks, row.entryId, row.title),
        textToOpen(asks, 'Reported text', row),
      ],
      originButton(asks, row.originId),
      [
        button('Acted', () => asks.close(row.id, 'ACTED'), { 'aria-label': `Close as acted on: ${row.title}` }),
        ' ',
        button('Dismiss', () => asks.close(row.id, 'DISMISSED'), { 'aria-label': `Dismiss: ${row.title}` }),
      ],
    ],
    { targetOf: ({ entryId, title }) => entryTarget(entryId, title), act: asks.actAll },
  )

/** @type {View} */
const entries = (snapshot, asks) =>
  table(
    'Recently changed entries',
    ['Entry', 'Status', 'Changed', 'Creator', 'Origin', 'Do'],
    snapshot.entries,
    row => [
      words(row.title),
      badgesOf(row.moderation, row.status),
      timeOf(row.updatedAt),
      actorButton(asks, row.actor.id, row.actor.declared.name),
      originButton(asks, row.originId),
      entryButtons(asks, row.id, row.title),
    ],
    { targetOf: ({ id, title }) => entryTarget(id, title), act: asks.actAll },
  )

/** @type {View} */
const actors = (snapshot, asks) =>
  table(
    'Recently seen actors',
    ['Actor', 'Kind', 'Observations', 'Last seen', 'Origin'],
    snapshot.actors,
    row => [
      [actorButton(asks, row.id, row.declared.name), ' ', ...badgesOf(row.moderation)],
      row.anonymous ? 'anonymous reader' : row.actorType,
      String(row.observations),
      timeOf(row.observed.lastSeenAt),
      originButton(asks, row.originId),
    ],
    {
      targetOf: ({ id, declared }) => ({ type: 'ACTOR', id, name: declared.name ?? 'an unnamed actor' }),
      act: asks.actAll,
    },
  )

/** @type {View} */
const origins = (snapshot, asks) =>
  table('Origins that may not write', ['Origin', 'Day', 'Fingerprint'], snapshot.blockedOrigins, row => [
    [originButton(asks, row.originId), ' ', ...badgesOf(row.moderation)],
    row.day,
    row.alive ? 'alive' : 'expired; the block applies to its network',
  ])

/** @type {View} */
const audit = (snapshot, asks) => {
  const undoable = undoableIds(snapshot.audit)
  return table(
    'All moderation actions, newest first',
    ['When', 'Action', 'Target', 'Reason', 'Effect'],
    snapshot.audit,
    row => [
      timeOf(row.createdAt),
      make('span', { class: 'action' }, row.action),
      [`${row.targetType} `, make('code', {}, row.targetId)],
      words(row.reason),
      row.changed
        ? `changed; ${countOf('ENTRY', row.affected.entries)}, ${countOf('ACTOR', row.affected.actors)}`
        : 'no change',
    ],
    {
      // Only the newest change of a target can be undone.
      targetOf: ({ id, targetType, action, targetId }) =>
        undoable.has(id) ? { type: targetType, id, name: `${action} ${targetId}` } : undefined,
      act: chosen => {
        const ids = new Set(chosen.map(({ id }) => id))
        asks.undo(snapshot.audit.filter(({ id }) => ids.has(id)))
      },
      name: 'Undo the selected',
    },
  )
}

/**
 * The open appeals, each with its act. An act on the same target answers an appeal: one that undoes grants it, the same again rejects it.
 * @param {import('../../contract/resources.ts').AppealedDecision[]} appeals @param {Asks} asks
 */
export const appealsView = (appeals, asks) =>
  table('Open appeals, newest first', ['When', 'Act', 'Reason', 'Appeal', 'By', 'Answer'], appeals, row => [
    timeOf(row.appeal?.createdAt ?? row.createdAt),
    [make('span', { class: 'action' }, row.action), ` ${row.targetType} `, make('code', {}, row.targetId)],
    [`${row.ground}: `, words(row.reason)],
    words(row.appeal?.rationale),
    actorButton(asks, row.actorId, null),
    button('Answer', () =>
      asks.act({
        type: row.targetType,
        id: row.targetId,
        name: row.targetId,
        ...(row.appeal && { appeal: row.appeal.id }),
      }),
    ),
  ])

/** The views of the snapshot, by name, each with its list, whose truncation it reports. @type {[string, keyof Snapshot, View][]} */
export const VIEWS = [
  ['Queue', 'activity', queue],
  ['Reports', 'reports', reports],
  ['Entries', 'entries', entries],
  ['Actors', 'actors', actors],
  ['Blocked origins', 'blockedOrigins', origins],
  ['Audit', 'audit', audit],
]

/** Units of a relative time, the largest first, each in seconds. */
const UNITS = /** @type {const} */ ([
  ['year', 31_556_952],
  ['month', 2_629_746],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
])
const format = new Intl.RelativeTimeFormat('en-GB')

/**
 * A time as its age, such as "5 minutes ago".
 * @param {string} iso
 */
function relativeTime(iso) {
  const seconds = (Date.now() - Date.parse(iso)) / 1_000
  const [unit, size] = UNITS.find(([, least]) => seconds >= least) ?? []
  return unit === undefined ? 'just now' : format.format(-Math.floor(seconds / size), unit)
}
