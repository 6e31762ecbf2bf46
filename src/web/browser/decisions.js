import { call, countCharacters, fieldOf, refusalMessage, sendBy, textIn } from './api.js'
import { button, exactOf, make, need, show, words } from './dom.js'
import { keptActor, onActor } from './site.js'

/** The page of acts of moderation on the texts of this browser's actor, and of the outcome of a report. */

/** @typedef {import('../../contract/resources.ts').ActOfModeration} Act */
/** @typedef {import('../../contract/resources.ts').Decision} Decision */

const acts = need(document, '[data-acts]', HTMLElement)
/** What the page says without an actor: it is there before the script, so that nothing moves. */
const none = [...acts.childNodes]
const appealing = need(document, 'form[data-appeal]', HTMLFormElement)
const asking = need(document, 'form[data-outcome]', HTMLFormElement)
const outcome = need(document, '[data-read]', HTMLElement)
countCharacters(appealing)

/** @param {Act} act @param {...(Node | string)} more */
const actView = ({ action, ground, targetType, targetId, reason, createdAt, undoneAt }, ...more) =>
  make(
    'li',
    {},
    make('strong', {}, action),
    ` ${targetType} ${targetId} · ${ground} · ${exactOf(createdAt)}`,
    undoneAt === null ? '' : `, undone ${exactOf(undoneAt)}`,
    make('p', { dir: 'auto' }, words(reason)),
    ...more,
  )

/** @param {Decision} decision */
function decisionView(decision) {
  const { id, appealable, appeal } = decision
  if (appealable)
    return actView(
      decision,
      button('Appeal', () => begin(id)),
    )
  if (appeal === null) return actView(decision)
  const answer = appeal.outcome === null ? [] : [make('p', { dir: 'auto' }, words(appeal.outcome.reason))]
  return actView(
    decision,
    make('p', {}, `Your appeal: ${appeal.outcome?.result ?? 'open'}`),
    make('p', { dir: 'auto' }, words(appeal.rationale)),
    ...answer,
  )
}

/** @param {string} id */
function begin(id) {
  fieldOf(appealing, 'decision').value = id
  show(appealing, true)
  fieldOf(appealing, 'rationale').focus()
}

async function load() {
  const token = keptActor()?.token
  show(appealing, false)
  if (token === undefined) return acts.replaceChildren(...none)
  /** @type {import('./api.js').Answer<{ items: Decision[] }>} */
  const answer = await call('GET', '/api/me/decisions?limit=50', { token })
  if (!answer.ok) return acts.replaceChildren(...refusalMessage(answer))
  const { items } = answer.body
  acts.replaceChildren(
    items.length === 0
      ? make('p', { class: 'notice' }, 'There is no act on your texts.')
      : make('ul', {}, ...items.map(decisionView)),
  )
}

sendBy(appealing, {
  send: () =>
    call('POST', '/api/appeals', {
      token: keptActor()?.token,
      body: { decision: textIn(appealing, 'decision'), rationale: textIn(appealing, 'rationale').trim() },
    }),
  done: () => {
    appealing.reset()
    load()
  },
})

sendBy(asking, {
  send: () =>
    call('POST', `/api/reports/${encodeURIComponent(textIn(asking, 'report').trim())}`, {
      body: { secret: textIn(asking, 'secret').trim() },
    }),
  done: (/** @type {import('../../contract/resources.ts').ReportOutcome} */ { resolution, resolvedAt, decisions }) => {
    const state = resolvedAt === null ? 'The report is open.' : `Closed ${exactOf(resolvedAt)}: ${resolution}.`
    outcome.replaceChildren(make('p', {}, state), make('ul', {}, ...decisions.map(act => actView(act))))
    outcome.focus()
  },
})

onActor(load)
load()
