import { call, readEntry, readRevision } from './api.js'
import { difference } from './difference.js'
import { button, everyCharacter, make, words } from './dom.js'
import { merge, mergedText, wholeLines } from './three-way.js'

/** @typedef {import('./api.js').Revision} Revision */
/** @typedef {import('./three-way.js').Part} Part */
/** @typedef {import('./three-way.js').Choice} Choice */
/** The texts of a revision. @typedef {{ title: string, summary: string, content: string }} Texts */

const TEXTS = /** @type {const} */ (['title', 'summary', 'content'])
const NAMES = { title: 'Title', summary: 'Summary', content: 'Content' }
/** @type {[Choice, string][]} */
const CHOICES = [
  ['mine', 'Keep mine'],
  ['theirs', 'Take theirs'],
  ['both', 'Keep both, theirs first'],
]

/** @typedef {import('./write-form.js').Source} Source */
/**
 * `sources` are those of `theirs`, with their titles; `by` is the name that its author declared.
 * @typedef {{ base: Revision, theirs: Revision, sources: Source[], by: string | null }} Conflict
 */

/**
 * Reads the data of a conflict: the base revision, the latest revision with the titles of its sources, and the declared name of its author.
 * @param {string} slug
 * @param {string} baseId
 * @returns {Promise<Conflict | import('./api.js').Refused>}
 */
export async function readConflict(slug, baseId) {
  const [entry, base] = await Promise.all([readEntry(slug), readRevision(slug, baseId)])
  if (!entry.ok) return entry
  if (!base.ok) return base
  const theirs = await readRevision(slug, entry.body.currentRevisionId)
  if (!theirs.ok) return theirs
  /** @type {import('./api.js').Answer<import('../../contract/resources.ts').ActorProfile>} */
  const author = await call('GET', `/api/actors/${theirs.body.actorId}?limit=1`)
  const sources = await Promise.all(theirs.body.sources.map(titled))
  return { base: base.body, theirs: theirs.body, sources, by: author.ok ? author.body.declared.name : null }
}

/** A source with its title, which is empty if it cannot be read. @param {Omit<Source, 'title'>} source @returns {Promise<Source>} */
async function titled({ entryId, revisionId }) {
  const read = await readRevision(entryId, revisionId)
  return { entryId, revisionId, title: read.ok ? read.body.title : '' }
}

/**
 * Shows both versions and their differences, and offers a merge. The merge contains each change that only one side made. If both
 * sides changed the same words, the person chooses.
 * @param {{ base: Texts, theirs: Texts, rationale: string, by: string | null, mine: Texts }} versions
 * @param {(merged: Texts, send: boolean) => void} take
 * @returns {Node[]}
 */
export function conflictView({ base, theirs, rationale, by, mine }, take) {
  const parts = {
    title: wholeLines(merge(base.title, theirs.title, mine.title)),
    summary: wholeLines(merge(base.summary, theirs.summary, mine.summary)),
    content: wholeLines(merge(base.content, theirs.content, mine.content)),
  }
  /** @type {Record<keyof Texts, (Choice | undefined)[]>} */
  const choices = { title: [], summary: [], content: [] }
  const shown = TEXTS.filter(name => new Set([base[name], theirs[name], mine[name]]).size > 1)
  const open = shown.flatMap(name => questions(name, parts[name], choices[name]))
  const problem = make('p', { class: 'merge-problem', role: 'alert' })
  const decide = (/** @type {boolean} */ send) => {
    const [title, summary, content] = TEXTS.map(name => mergedText(parts[name], choices[name]))
    if (title !== undefined && summary !== undefined && content !== undefined)
      return take({ title, summary, content }, send)
    const left = open.filter(question => question.querySelector(':checked') === null)
    problem.textContent =
      left.length === 1
        ? '1 place has two versions. Choose one.'
        : `${left.length} places have two versions. Choose one for each.`
    left[0]?.querySelector('input')?.focus()
  }
  return [
    make('h2', {}, 'Another revision was committed first'),
    make(
      'p',
      {},
      words(by, 'An unnamed actor'),
      ' committed a revision before yours. Your text is not lost. The rationale of the other revision: “',
      words(rationale),
      '”',
    ),
    ...shown.map(name => versionsOf(name, base[name], theirs[name], mine[name])),
    make('h3', {}, 'The merge'),
    make(
      'p',
      {},
      open.length === 0 ? NOTHING_OPEN : 'The merge has each change that only one of you made. Decide the rest:',
    ),
    ...open,
    problem,
    make(
      'p',
      { class: 'row' },
      button('Commit the merge', () => decide(true), { class: 'do' }),
      button('Put the merge into the form', () => decide(false)),
    ),
  ]
}

const NOTHING_OPEN = 'You changed different places. The merge has both changes.'

/**
 * @param {keyof Texts} name
 * @param {string} base
 * @param {string} theirs
 * @param {string} mine
 */
function versionsOf(name, base, theirs, mine) {
  const side = (/** @type {string} */ whose, /** @type {string} */ text) =>
    make('div', {}, make('h4', {}, whose), differenceView(base, text, `${NAMES[name]}: ${whose}`))
  return make(
    'section',
    { class: 'versions' },
    make('h3', {}, NAMES[name]),
    make('div', { class: 'sides' }, side('Their changes', theirs), side('Your changes', mine)),
    make(
      'details',
      {},
      make('summary', {}, `${NAMES[name]}: from theirs to yours`),
      differenceView(theirs, mine, `${NAMES[name]}: from theirs to yours`),
    ),
  )
}

/**
 * One question for each part that both sides changed.
 * @param {keyof Texts} name
 * @param {readonly Part[]} parts
 * @param {(Choice | undefined)[]} choices receives the choices
 */
function questions(name, parts, choices) {
  return parts
    .flatMap(part => (part.kind === 'open' ? [part] : []))
    .map((part, index) => {
      choices[index] = undefined
      const offered = name === 'content' ? CHOICES : CHOICES.slice(0, 2)
      const radios = offered.map(([choice, label]) => {
        const radio = make('input', { type: 'radio', name: `merge-${name}-${index}` })
        radio.addEventListener('change', () => {
          choices[index] = choice
        })
        return make('label', { class: 'choice' }, radio, label)
      })
      const view = differenceView(part.theirs, part.mine, `${NAMES[name]}, place ${index + 1}: from theirs to yours`)
      return make(
        'fieldset',
        { class: 'question' },
        make('legend', {}, `${NAMES[name]}, place ${index + 1}: theirs struck through, yours underlined`),
        view,
        make('div', { class: 'row' }, ...radios),
      )
    })
}

/** Longer unchanged parts are folded to this many characters on each side. */
const LONGEST = 400
const KEPT = 120

/**
 * The difference of two texts as elements: deletions and insertions.
 * @param {string} before
 * @param {string} after
 * @param {string} name the name of the compared text, for screen readers
 */
function differenceView(before, after, name) {
  const pieces = difference(before, after)
  const parts = pieces.flatMap(({ kind, text }, index) => {
    if (kind === 'gone') return [make('del', {}, ...everyCharacter(text))]
    if (kind === 'new') return [make('ins', {}, ...everyCharacter(text))]
    return folded(text, index === 0, index === pieces.length - 1)
  })
  return make('div', { class: 'difference', role: 'region', tabindex: 0, 'aria-label': name, dir: 'auto' }, ...parts)
}

/**
 * @param {string} text
 * @param {boolean} first
 * @param {boolean} last
 * @returns {(Node | string)[]}
 */
function folded(text, first, last) {
  if (text.length <= LONGEST) return everyCharacter(text)
  const head = first ? '' : (/^[\s\S]*\s/.exec(text.slice(0, KEPT))?.[0] ?? '')
  const tail = last ? '' : (/\s[\s\S]*$/.exec(text.slice(-KEPT))?.[0] ?? '')
  const left = text.slice(head.length, text.length - tail.length)
  const name = make('summary', { dir: 'ltr' }, `${left.length} unchanged characters`)
  const fold = make('details', { class: 'folded' }, name, ...everyCharacter(left))
  return [...everyCharacter(head), fold, ...everyCharacter(tail)]
}
