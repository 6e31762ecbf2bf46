import { lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { type CreateInput, type Entry, isClientError, type Revision, type RevisionInput } from '../../client/index.ts'
import { LIMITS } from '../../contract/limits.ts'
import { TAG_PATTERN } from '../../contract/schema.ts'
import { holdsSecret } from '../../memory/actors/rules.ts'
import { isUuid } from '../../memory/values.ts'
import { errorCode, OperatorError, systemFault } from '../../operator-error.ts'
import { CommandError, EXIT, required } from '../command.ts'
import { readIfExists, utf8Text } from '../read.ts'
import { frontMembers, HEADING, splitFront } from './draft.ts'
import { plural } from './flags.ts'
import { titleKey } from './publish.ts'
import { checkInput, refusalOf, type Session } from './session.ts'

/** The limits of a folder and of one file. */
const FILES_MAX = 10_000
const FILE_BYTES_MAX = 1_000_000
/** Folders of programs, not of notes. */
const LEFT_OUT = /^(?:\..*|node_modules)$/

type Source = { entryId: string; revisionId: string }

/** One text of a file: the whole file, or one of its sections. An exported file names its entry and its revision. */
type Note = {
  place: string
  title: string
  summary: string
  content: string
  tags: string[]
  sources: Source[]
  entry?: string | undefined
  revision?: string | undefined
}

const SECTION = /^##[ \t]+(.+?)[ \t]*#*[ \t]*$/gm

/** Parses a note: the whole text, or one note for each heading of the second level. */
function notesIn(text: string, place: string, bySection: boolean): Note[] {
  const plain = text.replace(/^\ufeff/, '')
  const { front, rest } = splitFront(plain) ?? { front: '', rest: plain }
  const members = new Map(frontMembers(front).map(member => [member.name.toLowerCase(), member]))
  const content = rest.replace(/\n$/, '')
  const one = (name: string): string | undefined => members.get(name)?.value || undefined
  const many = (name: string): string[] => members.get(name)?.list ?? []
  const title = one('title') ?? HEADING.exec(content)?.[1] ?? basename(place).replace(/\.md$/i, '')
  const whole: Note = {
    ...{ place, title, content, entry: one('entry'), revision: one('revision') },
    summary: one('summary') ?? one('description') ?? summaryOf(content, title),
    tags: tagsOf([...many('tags'), ...many('tag')]),
    sources: many('sources').flatMap(source => {
      const [entryId, revisionId] = source.split('@')
      return entryId === undefined || revisionId === undefined ? [] : [{ entryId, revisionId }]
    }),
  }
  return bySection && whole.entry === undefined ? sectionsOf(whole) : [whole]
}

function sectionsOf(note: Note): Note[] {
  const headings = [...note.content.matchAll(SECTION)]
  if (headings.length === 0) return [note]
  const sections = headings.map(({ 0: line, 1: heading = '', index }, place) => {
    const content = note.content.slice(index + line.length, headings[place + 1]?.index).trim()
    const title = `${note.title}: ${heading}`
    return { ...note, title, content, place: `${note.place}#${heading}`, summary: summaryOf(content, title) }
  })
  const before = note.content.slice(0, headings[0]?.index).replace(HEADING, '').trim()
  return before === '' ? sections : [{ ...note, content: before, summary: summaryOf(before, note.title) }, ...sections]
}

/** The first line that is no heading. */
function summaryOf(content: string, title: string): string {
  const lines = content.split('\n').map(line => line.replace(/^[\s>*-]+/, '').trim())
  const first = lines.find(line => line !== '' && !line.startsWith('#')) ?? title
  return first.slice(0, LIMITS.summaryCharacters).toWellFormed().replaceAll('\ufffd', '')
}

/** Tags as the contract has them: a folder of tags becomes words. */
const tagsOf = (tags: readonly string[]): string[] =>
  [
    ...new Set(
      tags.map(tag =>
        tag
          .replace(/^#/, '')
          .replaceAll(/[/_.:]+/g, ' ')
          .trim()
          .slice(0, LIMITS.tagCharacters),
      ),
    ),
  ]
    .filter(tag => new RegExp(TAG_PATTERN, 'u').test(tag))
    .slice(0, LIMITS.tags)

/** The Markdown files of the arguments, in the order of their names. Links are not followed. */
function filesOf(paths: readonly string[]): string[] {
  const found: string[] = []
  const visit = (path: string, isNamed: boolean): void => {
    const status = lstatSync(path)
    if (status.isDirectory()) {
      const names = readdirSync(path).filter(name => !LEFT_OUT.test(name))
      for (const name of names.sort()) visit(join(path, name), false)
    } else if (isNamed || (status.isFile() && /\.md$/i.test(path))) found.push(path)
    if (found.length > FILES_MAX) throw new OperatorError(`There are over ${FILES_MAX} files; name smaller folders.`)
  }
  for (const path of paths) {
    try {
      visit(path, true)
    } catch (error) {
      if (errorCode(error) === undefined) throw error
      throw new OperatorError(`${path} cannot be read (${systemFault(error)}); name a file or a folder of Markdown.`)
    }
  }
  return [...new Set(found)]
}

function textIn(file: string): string {
  if (statSync(file).size > FILE_BYTES_MAX) throw new OperatorError(`it is over ${FILE_BYTES_MAX} bytes`)
  const text = utf8Text(readFileSync(file))
  if (text === undefined) throw new OperatorError('it is not text in UTF-8')
  return text
}

type Result = 'new' | 'changed' | 'same' | 'refused'

/**
 * Imports notes: a note without an entry is published, one with an entry and another text revises it. The entry of a note is the one that
 * its front matter names, otherwise the one with its title. A note that is refused is named, and the others are imported.
 */
export async function importNotes(session: Session): Promise<void> {
  const { invocation, out } = session
  const counts: Record<Result, number> = { new: 0, changed: 0, same: 0, refused: 0 }
  const importer = new Importer(session)
  const report = (result: Result, note: Pick<Note, 'place'>, text: string): void => {
    counts[result] += 1
    out.line(`${result.padEnd(8)} ${note.place}  ${text}`)
  }
  const notes: Note[] = []
  for (const file of filesOf(invocation.args)) {
    try {
      notes.push(...notesIn(textIn(file), file, invocation.switches.has('sections')))
    } catch (error) {
      if (!(error instanceof OperatorError) && errorCode(error) === undefined) throw error
      report('refused', { place: file }, error instanceof OperatorError ? error.message : systemFault(error))
    }
  }
  // A source is imported before the note that names it.
  for (const note of notes.toSorted((one, other) => one.sources.length - other.sources.length)) {
    try {
      report(await importer.take(note), note, note.title)
    } catch (error) {
      if (!isClientError(error) && !(error instanceof OperatorError)) throw error
      if (isClientError(error) && error.status === null) throw error
      report('refused', note, isClientError(error) ? refusalOf(error, '').message : error.message)
    }
  }
  const would = invocation.switches.has('dry-run') ? ' Nothing was written.' : ''
  out.note(`${counts.new} new, ${counts.changed} changed, ${counts.same} the same, ${counts.refused} refused.${would}`)
  if (counts.refused > 0) throw new CommandError(`${plural(counts.refused, 'note')} refused; see above.`, EXIT.failed)
}

class Importer {
  readonly #session: Session
  readonly #titles = new Map<string, string>()
  /** The revisions of this memory, by those that the files name. */
  readonly #imported = new Map<string, Source>()

  constructor(session: Session) {
    this.#session = session
  }

  async take(note: Note): Promise<Result> {
    if (note.content.trim() === '') throw new OperatorError('it is empty')
    if ([note.title, note.summary, note.content].some(holdsSecret))
      throw new OperatorError('it contains an actor token or a private key; remove it')
    const earlier = this.#titles.get(titleKey(note.title))
    if (earlier !== undefined) throw new OperatorError(`it has the title of ${earlier}; give it another one`)
    this.#titles.set(titleKey(note.title), note.place)
    const there = await this.#entryOf(note)
    const isSame = there?.title === note.title && there.content === note.content
    if (there !== undefined && isSame && (note.entry === undefined || there.summary === note.summary)) {
      this.#remember(note, there)
      return 'same'
    }
    const input = this.#inputOf(note)
    const { invocation } = this.#session
    if (there === undefined) checkInput<CreateInput>(invocation, 'CreateInput', input)
    else this.#assertMayRevise(note, there)
    if (invocation.switches.has('dry-run')) return there === undefined ? 'new' : 'changed'
    await this.#session.becomeActor()
    const { client } = this.#session
    const { tags: _, ...text } = input
    const rationale = `Imported from ${basename(note.place)}.`.slice(0, LIMITS.rationaleCharacters)
    const revision = { ...text, changeType: 'CORRECT', rationale } as const
    const written =
      there === undefined
        ? await client.createEntry(input)
        : await client.reviseEntry(
            there.id,
            checkInput<RevisionInput>(invocation, 'RevisionInput', {
              ...revision,
              // A file whose entry has changed since its export is a conflict.
              previousRevisionId:
                there.id === note.entry ? (note.revision ?? there.currentRevisionId) : there.currentRevisionId,
            }),
          )
    this.#remember(note, written)
    return there === undefined ? 'new' : 'changed'
  }

  #inputOf({ title, summary, content, tags, sources }: Note): CreateInput {
    const named = sources.map(source => this.#imported.get(`${source.entryId}@${source.revisionId}`) ?? source)
    return { title, summary, content, ...(tags.length > 0 && { tags }), ...(named.length > 0 && { sources: named }) }
  }

  #remember({ entry, revision }: Note, { id, currentRevisionId }: Entry): void {
    if (entry !== undefined && revision !== undefined)
      this.#imported.set(`${entry}@${revision}`, { entryId: id, revisionId: currentRevisionId })
  }

  async #entryOf({ entry, title, summary }: Note): Promise<Entry | undefined> {
    const { client } = this.#session
    const named = entry === undefined ? undefined : await client.readEntry(entry).catch(unlessMissing)
    if (named !== undefined) return named
    const { items } = await client.listSimilar({ title, summary })
    const alike = items.find(item => titleKey(item.title) === titleKey(title))
    return alike === undefined ? undefined : client.readEntry(alike.slug)
  }

  /** At a service, another author's entry with the same title may have another subject. */
  #assertMayRevise({ entry }: Note, there: Entry): void {
    const { invocation, kept } = this.#session
    if (there.id === entry || invocation.flags['data-dir'] !== undefined) return
    if (there.actor.id !== kept?.actor.id)
      throw new OperatorError(`the entry ${there.slug} of another author has this title; give it another one`)
  }
}

function unlessMissing(error: unknown): undefined {
  if (isClientError(error) && (error.status === 404 || error.status === 410 || error.status === 400)) return undefined
  throw error
}

/** Formats an entry as Markdown with a front matter in YAML, whose texts are JSON. notesIn returns the same texts. */
function formatNote(
  { id, tags, standing }: Entry,
  { id: revision, title, summary, content, sources }: Revision,
): string {
  const lines = [
    `title: ${JSON.stringify(title)}`,
    `summary: ${JSON.stringify(summary)}`,
    ...(tags.length > 0 ? [`tags: ${JSON.stringify(tags)}`] : []),
    `entry: ${id}`,
    `revision: ${revision}`,
    `standing: ${standing.state}`,
    ...(sources.length > 0 ? ['sources:', ...sources.map(one => `  - ${one.entryId}@${one.revisionId}`)] : []),
  ]
  return `---\n${lines.join('\n')}\n---\n\n${content}\n`
}

/** Writes each entry to a file of its own, named by its slug. A file that another program wrote or a person changed is not overwritten. */
export async function exportNotes(session: Session): Promise<void> {
  const { invocation, client, out } = session
  const folder = required(invocation, 'markdown', 'the folder to write')
  const counts = { written: 0, same: 0, kept: 0 }
  mkdirSync(folder, { recursive: true })
  for await (const { id } of client.all.listEntries({ limit: LIMITS.pageMax })) {
    const entry = await client.readEntry(id)
    const text = formatNote(entry, await client.readRevision(id, entry.currentRevisionId))
    const file = join(folder, `${nameOf(entry)}.md`)
    const before = readIfExists(file, 'make it readable for this user')
    if (before === text) counts.same += 1
    else if (before !== undefined && !(await isUnchanged(session, id, before))) {
      counts.kept += 1
      out.note(`${relative('.', file)} has changes that were not imported; it stays. Run "palimpsest import" first.`)
    } else {
      writeFileSync(`${file}.partial`, text)
      renameSync(`${file}.partial`, file)
      counts.written += 1
    }
  }
  out.note(`${counts.written} written, ${counts.same} the same, ${counts.kept} not overwritten.`)
  if (counts.kept > 0) throw new CommandError(`${plural(counts.kept, 'file')} not overwritten.`, EXIT.failed)
}

/** The slug of an entry as the name of a file. Throws OperatorError for one that a service must not have: it could name another folder. */
function nameOf({ id, slug }: Entry): string {
  if (isUuid(id) && /^[a-z0-9-]+$/.test(slug)) return slug
  throw new OperatorError(
    `The service names an entry ${JSON.stringify(slug)}, which is no slug; export from another one.`,
  )
}

/** Whether a file has the texts of the revision that it names. */
async function isUnchanged({ client }: Session, entryId: string, text: string): Promise<boolean> {
  const [note] = notesIn(text, '', false)
  if (note?.entry !== entryId || note.revision === undefined) return false
  const revision = await client.readRevision(entryId, note.revision).catch(unlessMissing)
  return revision?.title === note.title && revision.summary === note.summary && revision.content === note.content
}
