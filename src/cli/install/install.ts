import {
  accessSync,
  constants,
  existsSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { structuredPatch } from 'diff'
import { parseServiceUrl } from '../../client/request.ts'
import { errorCode, OperatorError, systemFault } from '../../operator-error.ts'
import { makeDirectories, OWNER_ONLY_FILE } from '../../sync-path.ts'
import { EXIT, type Invocation, required, UsageError } from '../command.ts'
import { configDirectory } from '../people/credentials.ts'
import { oneOf, plural } from '../people/flags.ts'
import { Output, visible } from '../people/output.ts'
import { askOnTerminal } from '../people/publish.ts'
import { parsedJson } from '../read.ts'
import { added, isObject, type JsonEdit, removed, valueAt } from './json-edit.ts'
import { type FilePlan, isOurHook, type Memory, placesOf, TARGETS, type Target } from './targets.ts'

/** The text of a file; undefined if there is none. */
type Text = string | undefined
/** `base` is the text without what this command wrote. */
type FileChange = { path: string; base: Text; before: Text; after: Text }
/** What the last install of a target wrote, by file: the text before it, and after it. */
type Installed = Record<string, { before: string | null; after: string }>

/** Adds the memory to a host, or removes it: shows the difference, asks, and writes. */
export async function installMemory(invocation: Invocation): Promise<number> {
  const { env, switches, flags } = invocation
  const out = new Output(invocation)
  const name = required(invocation, 'target', 'the host')
  const names = TARGETS.map(one => one.name)
  const target = TARGETS[names.indexOf(oneOf('--target', name, names))] as Target
  const places = placesOf(env)
  const plans = target.files(memoryOf(invocation, places.home), places)
  const recordFile = recordFileOf(env, target)
  const installed = readInstalled(recordFile)
  const isRemoval = switches.has('remove')
  const notes: string[] = []
  const shared = isRemoval ? pathsOfOthers(env, target) : new Set<string>()
  for (const { path } of plans) if (shared.has(path)) notes.push(`${path} stays, because another host reads it.`)
  const planned = plans
    .filter(({ path }) => !shared.has(path))
    .map(plan => changeOf(plan, installed[plan.path], isRemoval, notes))
  const changes = planned.filter(({ before, after }) => before !== after)
  for (const change of changes) out.whole(visible(differenceOf(change)))
  for (const note of notes) out.line(note)
  if (changes.length === 0) out.line(`Nothing to ${isRemoval ? 'remove from' : 'change for'} ${target.name}.`)
  if (changes.length === 0 || switches.has('dry-run')) {
    await out.taken()
    return EXIT.ok
  }
  for (const { path } of changes) assertWritable(path)
  const question = `${isRemoval ? 'Remove this from' : 'Write this for'} ${target.name}? [y/N] `
  const isAgreed = switches.has('yes') || (await askOnTerminal(invocation, question))
  if (isAgreed === undefined)
    throw new UsageError('Nothing was written: add --yes, or run this on a terminal to confirm.')
  if (!isAgreed) return EXIT.failed
  const record = isRemoval ? {} : recordOf(planned, installed)
  write(recordFile, isRemoval ? undefined : `${JSON.stringify(record)}\n`)
  for (const { path, after } of changes) write(path, after)
  const done = isRemoval ? 'Removed from' : 'Written for'
  out.line(`${done} ${target.name}: ${plural(changes.length, 'file')}. Start a new session of the host.`)
  if (!isRemoval && flags.url === undefined) out.line(`The memory is in ${privateDirectory(invocation, places.home)}.`)
  await out.taken()
  return EXIT.ok
}

/** The launcher of this package, as the host will start it. */
const LAUNCHER = resolve(import.meta.dirname, '../../../bin/palimpsest.js')

const privateDirectory = ({ flags }: Invocation, home: string): string =>
  resolve(flags['data-dir'] ?? join(home, '.palimpsest'))

function memoryOf(invocation: Invocation, home: string): Memory {
  const { flags, switches } = invocation
  const program = [process.execPath, LAUNCHER]
  if (flags.url === undefined)
    return { program, flags: ['--data-dir', privateDirectory(invocation, home)], endpoint: undefined }
  if (switches.has('private') || flags['data-dir'] !== undefined)
    throw new UsageError('--url excludes --private and --data-dir: name a service, or a private memory.')
  const url = parseServiceUrl(flags.url)
  if (url === undefined) throw new UsageError('--url must be the http or https address of a service.')
  return { program, flags: ['--url', url], endpoint: `${url}/mcp` }
}

function readInstalled(file: string): Installed {
  const text = textOf(file)
  const installed = text === undefined ? {} : parsedJson(text)
  if (isObject(installed)) return installed as Installed
  throw new OperatorError(`${file} is damaged; remove it, and what "palimpsest install" wrote by hand.`)
}

const recordFileOf = (env: NodeJS.ProcessEnv, { name }: Target): string =>
  join(configDirectory(env), 'install', `${name}.json`)

/** The files that other targets wrote, or need as they are. */
const pathsOfOthers = (env: NodeJS.ProcessEnv, target: Target): Set<string> =>
  new Set(
    TARGETS.filter(other => other !== target).flatMap(other => Object.keys(readInstalled(recordFileOf(env, other)))),
  )

/** Also records a file that was there as this command would write it, because another target wrote it. */
function recordOf(planned: readonly FileChange[], installed: Installed): Installed {
  const written = planned.flatMap(({ path, base, after }) =>
    after === undefined || after === base ? [] : [[path, { before: base ?? null, after }] as const],
  )
  return { ...installed, ...Object.fromEntries(written) }
}

function textOf(path: string): Text {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return undefined
    throw new OperatorError(`${path} cannot be read (${systemFault(error)}); nothing was changed.`)
  }
}

function changeOf(
  plan: FilePlan,
  earlier: Installed[string] | undefined,
  isRemoval: boolean,
  notes: string[],
): FileChange {
  const { path } = plan
  const before = textOf(path)
  const base =
    before !== undefined && before === earlier?.after
      ? (earlier.before ?? undefined)
      : strippedOf(plan, before, earlier)
  if (plan.kind === 'whole' && base !== undefined) {
    notes.push(`${path} was written or changed by others, and stays as it is.`)
    return { path, base, before, after: before }
  }
  return { path, base, before, after: isRemoval ? base : withPlan(plan, base) }
}

const MARK = '# Written by "palimpsest install".'

/** A text without what this command has written into it. */
function strippedOf(plan: FilePlan, text: Text, earlier: Installed[string] | undefined): Text {
  if (text === undefined) return undefined
  if (plan.kind === 'whole') return text === plan.text ? undefined : text
  if (plan.kind === 'toml') return withoutTable(plan, text, earlier)
  const root = jsonOf(plan, text)
  const original = earlier?.before == null ? undefined : parsedJson(earlier.before)
  // Without a record nothing says that this command made a container.
  const keeps = (path: readonly string[]): boolean => earlier === undefined || valueAt(original, path) !== undefined
  return plan.edits.reduce((rest, edit) => {
    const isOurs = edit.isItem || isOurMember(edit, valueAt(root, edit.path), earlier)
    return edit.isShared || !isOurs ? rest : removed(rest, edit, isOurHook, keeps)
  }, text)
}

/** A host that writes its file moves and drops comments: the table itself is removed, with its own tables, and the mark wherever it is. */
function withoutTable(
  { table }: FilePlan & { kind: 'toml' },
  text: string,
  earlier: Installed[string] | undefined,
): string {
  if (earlier === undefined && !text.includes(MARK) && !text.includes(LAUNCHER)) return text
  const header = String.raw`^\[${table.replaceAll('.', String.raw`\.`)}(?:\.[^\]\n]*)?\].*\n?`
  return text
    .replaceAll(new RegExp(`${header}(?:(?![ \\t]*[[#])(?:.+\\n?|\\n))*`, 'gm'), '')
    .replaceAll(new RegExp(`^${MARK}\\n?`, 'gm'), '')
}

/** Whether a member was written by this command: the record has it, or it starts this program. */
function isOurMember({ path, value }: JsonEdit, found: unknown, earlier: Installed[string] | undefined): boolean {
  if (found === undefined) return false
  const written = earlier === undefined ? undefined : valueAt(parsedJson(earlier.after), path)
  return (
    isDeepStrictEqual(found, value) || isDeepStrictEqual(found, written) || JSON.stringify(found).includes(LAUNCHER)
  )
}

function withPlan(plan: FilePlan, base: Text): Text {
  if (plan.kind === 'whole') return plan.text
  if (plan.kind === 'toml') return withBlock(plan, base ?? '')
  const text = base === undefined || base.trim() === '' ? '{}\n' : base
  const root = jsonOf(plan, text)
  return plan.edits.reduce((written, edit) => {
    const found = valueAt(root, edit.path)
    if (edit.isShared && found !== undefined) return written
    assertFree(plan.path, root, edit)
    return added(written, edit)
  }, text)
}

function jsonOf({ path, ...plan }: FilePlan & { kind: 'json' }, text: string): unknown {
  const root = text.trim() === '' ? {} : parsedJson(text)
  if (isObject(root)) return root
  const members = plan.edits.map(
    edit => `${edit.path.join('.')}${edit.isItem ? '[]' : ''} = ${JSON.stringify(edit.value)}`,
  )
  throw new OperatorError(
    `${path} is not a JSON object without comments; nothing was changed. Correct it, or add by hand: ${members.join('; ')}`,
  )
}

/** Throws if the place of an edit is taken by something that others wrote. */
function assertFree(file: string, root: unknown, { path, isItem }: JsonEdit): void {
  for (let length = 1; length <= path.length; length += 1) {
    const part = path.slice(0, length)
    const found = valueAt(root, part)
    const isLast = length === path.length
    const fits = isLast
      ? isItem
        ? found === undefined || Array.isArray(found)
        : found === undefined
      : found === undefined || isObject(found)
    if (!fits)
      throw new OperatorError(
        `${file} has "${part.join('.')}" already; nothing was changed. Rename or remove that member, and run this again.`,
      )
  }
}

function withBlock({ path, table, block }: FilePlan & { kind: 'toml' }, text: string): string {
  const [parent = ''] = table.split('.')
  if (text.includes(`[${table}]`) || new RegExp(`^\\s*${parent}\\s*=`, 'm').test(text)) {
    throw new OperatorError(
      `${path} has ${table} already; nothing was changed. Rename or remove it, and run this again.`,
    )
  }
  const start = text === '' || text.endsWith('\n') ? text : `${text}\n`
  return `${start}${MARK}\n[${table}]\n${block}\n`
}

function differenceOf({ path, before, after }: FileChange): string {
  const patch = structuredPatch('', '', before ?? '', after ?? '', '', '', { context: 1 })
  const lines = patch.hunks.flatMap(hunk => hunk.lines)
  const state = after === undefined ? ' (deleted)' : before === undefined ? ' (new)' : ''
  return `${path}${state}\n${lines.map(line => `  ${line}`).join('\n')}\n`
}

/** Throws if the file or, where it is missing, its nearest folder cannot be written. */
function assertWritable(path: string): void {
  let place = path
  while (!existsSync(place) && dirname(place) !== place) place = dirname(place)
  if (place !== path && !statSync(place).isDirectory()) {
    throw new OperatorError(`${path} cannot be written, because ${place} is a file; nothing was changed.`)
  }
  try {
    accessSync(place, constants.W_OK)
    if (place === path) accessSync(dirname(realpathSync(path)), constants.W_OK)
  } catch (error) {
    throw new OperatorError(`${path} cannot be written (${systemFault(error)}); nothing was changed.`)
  }
}

/** Replaces a file completely, with its mode, also if it is a link; or deletes it, and its folder if that is its own and empty. */
function write(path: string, text: Text): void {
  try {
    if (text === undefined) {
      rmSync(path, { force: true })
      if (basename(dirname(path)) === 'palimpsest') rmdirSync(dirname(path))
      return
    }
    makeDirectories(dirname(path))
    const file = existsSync(path) ? realpathSync(path) : path
    const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? OWNER_ONLY_FILE
    const partial = `${file}.palimpsest-new`
    writeFileSync(partial, text, { mode })
    renameSync(partial, file)
  } catch (error) {
    if (text === undefined && errorCode(error) === 'ENOTEMPTY') return
    throw new OperatorError(`${path} cannot be written (${systemFault(error)}); run this again when the cause is gone.`)
  }
}
