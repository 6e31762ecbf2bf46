import { LIMITS } from '../../contract/limits.ts'
import type { Entry, Revision } from '../../contract/resources.ts'
import { type Piece, Texts } from '../../memory/evidence/pieces-rules.ts'
import { sentencesOf } from '../entry/cite.ts'
import { type Html, html, seen, words } from '../html.ts'
import type { Page, PageRequest } from '../page.ts'
import { moment } from '../parts/components.ts'
import { writingPage } from './actor.ts'
import { choice, curlCommands, field } from './form.ts'
import { acceptance, namedObjection, objectionNotice } from './objection.ts'

/** The entry, and the revision to judge: the one that the query names, or the latest. */
async function judged({ params, query, read }: PageRequest): Promise<{ entry: Entry; revision: Revision }> {
  const entry = await read<Entry>('readEntry')
  const named = typeof query.revision === 'string' ? query.revision : entry.currentRevisionId
  return { entry, revision: await read<Revision>('readRevision', { ...params, revisionId: named }) }
}

const subject = (entry: Entry, revision: Revision, at: number): Html => html`<div class="subject">
<p>You judge <a href="/entries/${entry.slug}/revisions/${revision.id}">this exact revision</a> of ${words(revision.title)}, written ${moment(revision.createdAt, at)}${revision.id === entry.currentRevisionId ? ', the latest one.' : '.'}</p>
${revision.id !== entry.currentRevisionId && html`<p class="notice">It is not the latest. <a href="?">Judge the latest one instead</a>.</p>`}
</div>`

const rationale = (label: string, hint: string, value = ''): Html =>
  field({ name: 'rationale', label, hint, max: LIMITS.rationaleCharacters, rows: 5, value })

/** The signs of Markdown and blank space, which marked words of a page do not have. */
const UNSHOWN = /\]\([^)]*\)|[\s*_`~#>|[\]()!\\-]+/g
const plainOf = (text: string): string => text.normalize('NFC').replace(UNSHOWN, '')

/** The part of a text that marked words are of: the words themselves, or else the sentence that shows them. */
function quoteOf(revision: Revision, marked: string): string {
  const cut = new Texts().cut(revision)
  if (marked === '' || cut.claimOf(marked).length > 0) return marked
  const plain = plainOf(marked)
  const isShown = ({ text }: Piece): boolean => plainOf(text).includes(plain)
  const isPart = ({ text }: Piece): boolean => text.length > 2 && plain.includes(plainOf(text))
  const pieces = cut.piecesAt()
  const piece = plain === '' ? undefined : (pieces.find(isShown) ?? pieces.find(isPart) ?? likest(pieces, marked))
  return piece === undefined ? marked : startOf(piece.text.trim())
}

const wordsIn = (text: string): Set<string> => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu))

/** The piece that replaced a quoted one: the one with the most words in common, if these are at least half of the words of both. */
function likest(pieces: readonly Piece[], quote: string): Piece | undefined {
  const sought = wordsIn(quote)
  const [likest] = pieces
    .map(piece => {
      const words = wordsIn(piece.text)
      const common = [...words].filter(word => sought.has(word)).length
      return { piece, share: common / Math.max(words.size, sought.size, 1) }
    })
    .filter(({ share }) => share >= 0.5)
    .sort((a, b) => b.share - a.share)
  return likest?.piece
}

/** The beginning of a text that is short enough for a quote. */
const startOf = (text: string): string => [...text].slice(0, LIMITS.quoteCharacters).join('')

/** The judged text, each sentence as a link that fills in the quote: also for readers without a script or a mouse. */
function sentences({ slug }: Entry, revision: Revision): Html {
  const rows = sentencesOf(revision, text => {
    const query = new URLSearchParams({ revision: revision.id, quote: startOf(text) })
    return `/entries/${slug}/contradict?${query}`
  })
  return html`<details class="subject judged" open><summary>The text. Choose a sentence that did not hold</summary><ul class="plain" tabindex="0" aria-label="The sentences of the text">${rows}</ul></details>`
}

/** What a form has from the beginning. */
type Assumed = { result: string; quote: string; reason: string | undefined }

/** The form of a judgement. A text that did not hold is contradicted; any other result is a verification with a confidence. */
const judgement = (entry: Entry, revision: Revision, { result, quote, reason = '' }: Assumed): Html =>
  html`<form class="needs-script" id="writing" data-write="judge" data-slug="${entry.slug}" novalidate aria-label="The result">
<fieldset class="bare" disabled>
<input type="hidden" name="revisionId" value="${revision.id}">
${choice('result', 'Did it hold?', RESULTS, { chosen: result })}
<div class="wrong">${field({ name: 'quote', label: 'Which sentence?', hint: 'The wrong words, exactly as in the text. Empty: the whole text.', max: LIMITS.quoteCharacters, rows: 2, value: quote, optional: true })}</div>
${rationale('What did you see?', 'Your test, its conditions and its outcome, so that others can repeat it.', reason)}
<div class="wrong">${field({ name: 'support', label: 'An entry that supports you', hint: 'If there is one: type words to find it, or paste its address.', optional: true })}</div>
<div class="sure">${choice('confidence', 'How sure are you?', SURE)}</div>
</fieldset>
</form>`

/** The answers of a reader, each with the result that it records. */
export const RESULTS = [
  ['SUPPORTED', 'It held', 'You used it, and it was right.'],
  ['UNSUPPORTED', 'It did not', 'It was wrong, or nothing supports it.'],
  ['INCONCLUSIVE', 'Could not tell', 'You tried it and cannot decide.'],
] as const

/** The confidence of a verification in words. */
const SURE = [
  ['0.25', 'A guess', ''],
  ['0.75', 'Fairly sure', ''],
  ['1', 'Certain', ''],
] as const

/** The page of a judgement. `assumed` is the result that is chosen in advance; empty for none. */
const judgePage = (name: 'verify' | 'contradict', assumed: string): Page => ({
  path: `/entries/{slug}/${name}`,
  writes: true,
  as: 'readEntry',
  ownQuery: ['revision', 'quote', 'result', 'objection'],
  async render(request) {
    const { entry, revision } = await judged(request)
    const objection = await namedObjection(request, entry)
    const isAccepted = objection !== undefined && assumed === ''
    const { quote: marked = objection?.quote ?? '', result = isAccepted ? 'SUPPORTED' : assumed } = request.query
    const reason = isAccepted ? acceptance(objection) : undefined
    const quote = quoteOf(revision, startOf(String(marked).toWellFormed().trim()))
    const path = `/api/entries/${entry.slug}/${name}`
    const about = { revisionId: revision.id, rationale: 'What you saw' }
    return {
      title: `Judge ${seen(entry.title)}`,
      scripts: ['judge.js'],
      unlisted: true,
      body: writingPage({
        heading: html`Did it hold? ${words(entry.title)}`,
        lead: html`Record what you saw when you used this text. It is your own claim, under your actor, about one exact revision. If you can fix the text, <a href="/entries/${entry.slug}/revise">revise it</a> instead.`,
        before: html`${subject(entry, revision, request.reads.at)}${objectionNotice(entry, objection)}${sentences(entry, revision)}`,
        form: judgement(entry, revision, { result: String(result), quote, reason }),
        send: 'Record the result',
        curl:
          name === 'verify'
            ? curlCommands(request.config, path, { ...about, result: 'SUPPORTED', confidence: 0.75 })
            : curlCommands(request.config, '/api/evidence', {
                items: [{ entry: entry.slug, kind: 'CONTRADICT', ...(quote === '' ? {} : { quote }), ...about }],
              }),
      }),
    }
  },
})

export const VERIFY = judgePage('verify', '')
export const CONTRADICT = judgePage('contradict', 'UNSUPPORTED')

export const RELATE: Page = {
  path: '/entries/{slug}/relate',
  writes: true,
  as: 'readEntry',
  async render({ config, read }) {
    const entry = await read<Entry>('readEntry')
    return {
      title: `Relate ${seen(entry.title)}`,
      scripts: ['relate.js'],
      unlisted: true,
      body: writingPage({
        heading: html`Relate ${words(entry.title)}`,
        lead: 'Relate this entry to another one. The relation starts at this entry and ends at the other.',
        form: html`<form class="needs-script" id="writing" data-write="relate" data-slug="${entry.slug}" data-entry="${entry.id}" novalidate aria-label="The relation">
<fieldset class="bare" disabled>
${choice('relationType', 'This entry …', [
  ['CONNECT', 'is connected', 'with the other: they belong together.'],
  ['REUSES', 'reuses', 'the other: it uses it.'],
  ['SYNTHESIZES', 'synthesizes', 'the other: it combines it with others.'],
  ['CONTRADICTS', 'contradicts', 'the other: both cannot be right.'],
])}
${field({ name: 'target', label: 'The other entry', hint: 'Type words to find it, or paste its address.' })}
${rationale('Why?', 'The reason for the relation.')}
</fieldset>
</form>`,
        send: 'Record the relation',
        curl: curlCommands(config, '/api/relations', {
          sourceEntryId: entry.id,
          targetEntryId: 'id of the other entry',
          relationType: 'CONNECT',
          rationale: 'The reason for the relation',
        }),
      }),
    }
  },
}
