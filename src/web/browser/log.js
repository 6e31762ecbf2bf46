import { fromUtf8, sameBytes, toBase64 } from '../../tlog/verify/bytes.js'
import { commitmentOf, formatEntry, parseBundle, SALT_BYTES } from '../../tlog/verify/entry.js'
import { parseCheckpoint, parseNote } from '../../tlog/verify/note.js'
import { parseVerifierKey, verifySignatures } from '../../tlog/verify/signature.js'
import { TILE_WIDTH, tilePath, tileWidth } from '../../tlog/verify/tile.js'
import { hashLeaf, hashNode, inclusionSiblings, parseProof } from '../../tlog/verify/tree.js'
import { everyCharacter, exactOf, make, makeSvg, need, show } from './dom.js'

/** @typedef {import('../../tlog/verify/bytes.js').Bytes} Bytes */
/** @typedef {import('../../tlog/verify/tree.js').Proof} Proof */

const main = need(document, 'main', HTMLElement)
const form = need(main, '[data-prove]', HTMLFormElement)
const steps = need(main, '[data-steps]', HTMLOListElement)
const outcome = need(main, '[data-outcome]', HTMLElement)
const details = need(main, '[data-details]', HTMLDetailsElement)
const tree = need(main, '[data-tree]', SVGElement)

const DOT = 'm-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0'
const TRIANGLE = 'm0-5l5 9h-10z'

/** @param {string} d */
const drawn = d => makeSvg('path', { d })

/**
 * Draws the path of a record from the root down, with the part of the tree beside each node.
 * @param {import('../../tlog/verify/tree.js').Sibling[]} siblings from the leaf upwards
 * @returns {SVGElement[]} the path from the leaf upwards: each node with the line to its parent, and the root
 */
function drawPath(siblings) {
  const room = 140 / siblings.length
  const [across, down] = [Math.min(40, room), Math.min(45, room)]
  let [x, y] = [160, 15]
  const root = drawn(`M160 15${DOT}`)
  const rows = siblings.toReversed().map(({ side, start, end }) => {
    const from = `M${x} ${y}L`
    const step = side === 'left' ? across : -across
    y += down
    const beside = drawn(`${from}${x - step} ${y}${end - start === 1 ? DOT : TRIANGLE}`)
    x += step
    return [beside, drawn(`${from}${x} ${y}${DOT}`)]
  })
  tree.replaceChildren(root, ...rows.flat())
  return [root, ...rows.map(([, path]) => /** @type {SVGElement} */ (path))].reverse()
}

/** @param {SVGElement | undefined} node */
const light = node => node?.classList.add('lit')

/** @param {string} path @returns {Promise<Response>} */
async function get(path) {
  const answer = await fetch(path, { credentials: 'omit' })
  if (answer.ok) return answer
  const { error } = await answer.json().catch(() => ({}))
  throw new Error(`${path} returned ${answer.status} ${error?.code ?? ''}`)
}

/** @param {string} name @param {string} value */
const row = (name, value) =>
  make('div', {}, make('dt', {}, name), make('dd', {}, make('span', { class: 'hash' }, ...everyCharacter(value))))

/** Shows one step: the hashed data, and the hash. @param {string} what @param {Node[]} shown @param {Bytes} [hash] */
function step(what, shown, hash) {
  const result = hash === undefined ? [] : [make('p', {}, '= ', make('code', { class: 'hash' }, toBase64(hash)))]
  steps.append(make('li', {}, make('p', {}, what), ...shown, ...result))
}

/** @param {string} text */
const quoted = text => make('pre', { tabindex: 0 }, make('code', {}, ...everyCharacter(text)))
/** @param {Bytes} hash */
const code = hash => make('p', {}, make('code', { class: 'hash' }, toBase64(hash)))

/** The log entry of the record: made from its statement, or read from the log if the statement is withdrawn. @param {Proof} proof @param {number} size */
async function entryOf({ extra, index }, size) {
  if (extra === undefined) {
    const bundle = Math.floor(index / TILE_WIDTH)
    const width = tileWidth(0, bundle, size)
    const file = await get(`/log/${tilePath({ level: 'entries', index: bundle, width })}`)
    step('The statement of this record is not public. The log has its entry:', [])
    return /** @type {Bytes} */ (parseBundle(new Uint8Array(await file.arrayBuffer()), width)[index % TILE_WIDTH])
  }
  const [salt, bytes] = [extra.subarray(0, SALT_BYTES), extra.subarray(SALT_BYTES)]
  const statement = fromUtf8(bytes)
  const commitment = await commitmentOf(salt, bytes)
  step(`SHA-256 of the salt ${toBase64(salt)} and the statement of the record`, [quoted(statement)], commitment)
  return formatEntry({ record: index + 1, kind: String(JSON.parse(statement).kind), commitment })
}

/** @param {string} record @returns {Promise<string>} the result as a sentence */
async function recompute(record) {
  const proof = parseProof(await (await get(`/api/log/records/${record}/proof`)).text())
  const note = parseNote(proof.checkpoint)
  const { size, root } = parseCheckpoint(note.text)
  const entry = await entryOf(proof, size)
  let hash = await hashLeaf(entry)
  step('SHA-256 of the byte 0 and the entry in the log', [quoted(fromUtf8(entry))], hash)
  const siblings = inclusionSiblings(proof.index, size)
  const path = drawPath(siblings)
  tree.setAttribute('aria-label', `The path of record ${record} to the root of ${size} records`)
  if (siblings.length !== proof.hashes.length || String(proof.index + 1) !== record)
    throw new Error('The proof belongs to another record or tree.')
  for (const [at, { side, start, end }] of siblings.entries()) {
    const other = /** @type {Bytes} */ (proof.hashes[at])
    hash = side === 'left' ? await hashNode(other, hash) : await hashNode(hash, other)
    const part = end - start === 1 ? `record ${end}` : `records ${start + 1} to ${end}`
    step(`SHA-256 of the byte 1 and both hashes: on the ${side} the one of ${part}`, [code(other)], hash)
    light(path[at])
  }
  const same = sameBytes(hash, root)
  if (same) light(path.at(-1))
  step(`The root of all ${size} records in the checkpoint is ${same ? 'the same' : 'DIFFERENT'}.`, [code(root)])
  const keys = await Promise.all((await (await get('/log/keys')).text()).trim().split('\n').map(parseVerifierKey))
  const { good, bad, unchecked } = await verifySignatures(note, keys)
  const names = good.map(
    ({ key, time }) => `${key.name} (${key.id}${time === undefined ? '' : `, ${exactOf(time * 1000)}`})`,
  )
  step('The checkpoint is signed by', [make('ul', {}, ...names.map(name => make('li', {}, ...everyCharacter(name))))])
  if (unchecked.length > 0) step(`This browser cannot check ${unchecked.length} other signatures.`, [])
  if (!same || bad.length > 0 || good.length === 0) return `Record ${record} is NOT proved.`
  return `Record ${record} is in the public log, under the signed root of ${size} ${size === 1 ? 'record' : 'records'}.`
}

form.addEventListener('submit', async event => {
  event.preventDefault()
  const record = String(new FormData(form).get('record') ?? '')
  steps.replaceChildren()
  outcome.replaceChildren()
  show(details, true)
  const result = await recompute(record).catch(error => `Record ${record} is not proved: ${error.message}`)
  outcome.replaceChildren(make('p', { class: 'notice' }, ...everyCharacter(result)))
})

/** Shows the newest checkpoint. */
async function showCheckpoint() {
  const note = parseNote(await (await get('/log/checkpoint')).text())
  const { origin, size, root } = parseCheckpoint(note.text)
  const names = [...new Set(note.signatures.map(({ name }) => name))].join(', ')
  const list = need(main, '[data-checkpoint]', HTMLElement)
  list.replaceChildren(
    row('Log', origin),
    row('Records', String(size)),
    row('Root', toBase64(root)),
    row('Signed by', names),
  )
}

showCheckpoint().catch(() => {})
const asked = new URLSearchParams(location.search).get('record')
if (asked !== null && /^[1-9]\d{0,15}$/.test(asked)) {
  need(form, '[name="record"]', HTMLInputElement).value = asked
  form.requestSubmit()
}
