import type { Config } from '../../config.ts'
import { LIMITS } from '../../contract/limits.ts'
import { type Html, html, type Part, raw } from '../html.ts'

/** Quotes a text as one word of a POSIX shell. */
export const shellQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

type Addressed = Pick<Config, 'publicUrl' | 'port'>

/** The base address in command lines: PUBLIC_URL, or the loopback address. Never uses the Host field. */
export const curlBase = ({ publicUrl, port }: Addressed): string => publicUrl ?? `http://127.0.0.1:${port}`

/**
 * Commands that create an actor and call a write of the API with its token. The values need no quoting, because they contain no user input.
 */
export const curlCommands = (config: Addressed, path: string, body: Record<string, unknown>): string =>
  [
    '# Once: create an actor. Store its token: it is not shown again.',
    `TOKEN=$(curl -sS -X POST ${curlBase(config)}/api/actors \\`,
    '  -H \'content-type: application/json\' -d \'{"declaredName":"A name you like"}\' |',
    '  sed \'s/.*"token":"\\([^"]*\\)".*/\\1/\')',
    '',
    `curl -sS -X POST ${curlBase(config)}${path} \\`,
    '  -H \'content-type: application/json\' -H "x-actor-token: $TOKEN" \\',
    `  -d '${JSON.stringify(body)}'`,
  ].join('\n')

/** One field of a form. `max` counts code points, as the service does. The HTML attribute would count UTF-16 code units. */
type FieldOptions = {
  name: string
  label: string
  hint?: Part
  value?: string
  max?: number
  /** Number of lines of a multi-line field; omitted for one line. */
  rows?: number
  optional?: boolean
  type?: 'text' | 'password'
  /** Content between the hint and the field. */
  above?: Html
}

/** A labelled field with its hint, its counter and the element that shows its problem. */
export function field({
  name,
  label,
  hint,
  value = '',
  max,
  rows,
  optional,
  type = 'text',
  above,
}: FieldOptions): Html {
  const id = `f-${name}`
  const described = [hint && `${id}-hint`, max && `${id}-count`, `${id}-problem`].filter(Boolean).join(' ')
  const common = html`id="${id}" name="${name}" data-label="${label}" aria-describedby="${described}" autocomplete="off" dir="auto"${max !== undefined && html` data-max="${max}"`}${!optional && raw(' required')}`
  return html`<div class="field">
<label for="${id}">${label}${optional && html` <span class="optional">optional</span>`}</label>
${hint && html`<p class="hint" id="${id}-hint">${hint}</p>`}
${above}${
  rows === undefined
    ? html`<input type="${type}" ${common} value="${value}"${type === 'password' && raw(' spellcheck="false"')}>`
    : html`<textarea ${common} rows="${rows}">
${value}</textarea>`
}
${max !== undefined && html`<p class="count" id="${id}-count"></p>`}
<p class="field-problem" id="${id}-problem" hidden></p>
</div>`
}

/** Radio buttons, each with its meaning. `chosen` is the value that is selected in advance; none by default. */
export function choice(
  name: string,
  legend: string,
  options: readonly (readonly [value: string, label: string, meaning: string])[],
  { optional = false, chosen }: { optional?: boolean; chosen?: string } = {},
): Html {
  const required = html` role="radiogroup" aria-required="true" data-label="${legend}" aria-describedby="f-${name}-problem"`
  return html`<fieldset class="choices" id="f-${name}"${!optional && required}>
<legend>${legend}${optional && html` <span class="optional">optional</span>`}</legend>
${options.map(
  ([
    value,
    label,
    meaning,
  ]) => html`<label class="choice"><input type="radio" name="${name}" value="${value}"${value === chosen && raw(' checked')}> <span><strong>${label}</strong> ${meaning}</span></label>
`,
)}<p class="field-problem" id="f-${name}-problem" hidden></p>
</fieldset>`
}

/** The button that sends a form, with the elements that show its state and its problem. */
export const sendRow = (
  name: string,
  form?: string,
): Html => html`<div class="problem-box" data-problem tabindex="-1" hidden></div>
<p class="row"><button type="submit" class="do"${form !== undefined && html` form="${form}" disabled`}>${name}</button> <span data-state role="status"></span></p>`

/** The editor of tags: a field, a button and the list. */
export const TAGS_EDITOR: Html = html`<div class="editor" data-tags>
<div class="field">
<label for="f-tag">Tags <span class="optional">optional</span></label>
<p class="hint" id="f-tag-hint">Up to ${LIMITS.tags}: letters, digits, spaces and hyphens. Enter or a comma adds one.</p>
<div class="row"><input type="text" id="f-tag" aria-describedby="f-tag-hint f-tag-problem" autocomplete="off" dir="auto"> <button type="button" data-add>Add the tag</button></div>
<p class="field-problem" id="f-tag-problem" hidden></p>
</div>
<ul class="chips" data-list aria-label="Tags"></ul>
</div>`

/** A source that a form has from the beginning. */
type ListedSource = { entryId: string; revisionId: string; title: string }

/** The editor of sources. The user types an address; the script looks it up and adds it to the list. */
export const sourcesEditor = (sources: readonly ListedSource[] = []): Html => html`<div class="editor" data-sources>
<div class="field">
<label for="f-source">Sources <span class="optional">optional</span></label>
<p class="hint" id="f-source-hint">Entries that the text uses. Type words to find one, or paste the address of an entry or revision.</p>
<div class="row"><input type="text" id="f-source" aria-describedby="f-source-hint f-source-problem" autocomplete="off" spellcheck="false"> <button type="button" data-add>Add the source</button></div>
<p class="field-problem" id="f-source-problem" hidden></p>
</div>
<ul class="chips" data-list aria-label="Sources">${sources.map(
  ({ entryId, revisionId, title }) =>
    html`<li data-entry="${entryId}" data-revision="${revisionId}" data-title="${title}"><a href="/entries/${entryId}/revisions/${revisionId}">${title || entryId}</a></li>`,
)}</ul>
</div>`

/** The buttons of a field with Markdown: what each marks, its key with Control or Command, its name, and what it shows. */
const TOOLS: readonly (readonly [mark: string, key: string, name: string, shown: string])[] = [
  ['bold', 'B', 'Bold', 'B'],
  ['code', 'E', 'Code', '<>'],
  ['block', 'Shift+E', 'Code block', '{ }'],
  ['link', 'K', 'Link', 'link'],
  ['list', 'Shift+L', 'List', '–'],
  ['task', 'Shift+X', 'Task list', '☑'],
  ['heading', 'Shift+H', 'Heading', 'H'],
]

/** The toolbar of the content. One of its buttons is in the order of focus; arrow keys reach the others. */
export const TOOLBAR: Html = html`<div class="row" role="toolbar" aria-label="Format the content" aria-controls="f-content">${TOOLS.map(
  ([mark, key, name, shown], index) =>
    html`<button type="button" data-mark="${mark}" data-key="${key}" aria-label="${name}" aria-keyshortcuts="Control+${key} Meta+${key}" title="${name} (Ctrl+${key})" tabindex="${index === 0 ? 0 : -1}">${shown}</button>`,
)}</div>
`

/** The preview of the content. */
export const PREVIEW: Html = html`<div class="preview" data-preview>
<p class="row"><button type="button" aria-expanded="false" aria-controls="preview">Preview the content</button> <span class="hint">Markdown: headings, lists, code, quotes, links. No HTML, no images.</span></p>
<div class="prose" id="preview" data-place role="region" aria-label="Preview" tabindex="0" dir="auto" hidden></div>
</div>`

/**
 * Shown without JavaScript. The token is sent in a header field, which a form cannot set without a script. The page shows the commands
 * instead.
 */
export const NEEDS_SCRIPT: Html = html`<noscript><p class="notice">This form needs JavaScript, because an actor’s token is sent in a header field and not in a cookie. Without JavaScript, send the curl commands at the end of this page from a shell: they do the same.</p></noscript>`
