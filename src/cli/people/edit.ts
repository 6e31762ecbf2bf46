import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Revision } from '../../client/index.ts'
import { CHANGE_TYPES } from '../../contract/vocabulary.ts'
import { argument, type Invocation, mistake } from '../command.ts'
import { formatDraft, parseDraft } from './draft.ts'
import { commitDraft } from './revise.ts'
import type { Session } from './session.ts'
import { entryName } from './values.ts'

/** Opens the latest revision of an entry in the person's editor, and commits the saved text. */
export async function edit(session: Session): Promise<void> {
  const { invocation, client, out } = session
  // The slug becomes part of a file name and of a command line. It is the typed one, never one from the service.
  const slug = entryName(argument(invocation, 0))
  const editor = editorOf(invocation)
  const entry = await client.readEntry(slug)
  const revision = await client.readRevision(entry.id, entry.currentRevisionId)
  const directory = mkdtempSync(join(tmpdir(), 'palimpsest-'))
  const file = join(directory, `${slug}.md`)
  const begun = toEdit(revision, invocation)
  writeFileSync(file, begun)
  let worthKeeping = false
  try {
    await runEditor(invocation, editor, file)
    const saved = readFileSync(file, 'utf8')
    if (saved === begun) throw mistake('The text is unchanged. Nothing was committed.')
    worthKeeping = true
    await commitDraft(session, entry, parseDraft(saved, file), {
      name: file,
      merge: true,
      unmerged(both) {
        writeFileSync(file, formatDraft(both))
        return `both versions are in ${file}, between markers; resolve the conflict there, and run "palimpsest revise ${slug} ${file}"`
      },
    })
    worthKeeping = false
  } catch (error) {
    if (worthKeeping) out.note(`Your text is in ${file}; "palimpsest revise ${slug} ${file} --merge" commits it.`)
    throw error
  } finally {
    if (!worthKeeping) rmSync(directory, { recursive: true, force: true })
  }
}

/** The draft, with empty lines for the change type and the rationale if no flag sets them. */
function toEdit({ id, title, summary, content, sources }: Revision, { flags }: Invocation): string {
  const reasons = [
    ...(flags['change-type'] === undefined ? [`# The kind of change: ${CHANGE_TYPES.join(', ')}.`, 'changeType:'] : []),
    ...(flags.rationale === undefined
      ? ['# Your change and its reason, in at most 1000 characters.', 'rationale:']
      : []),
  ]
  const draft = formatDraft({ previousRevisionId: id, title, summary, content, sources })
  return reasons.length === 0 ? draft : draft.replace('---\n', `---\n${reasons.join('\n')}\n`)
}

/** VISUAL, then EDITOR, then vi if there is a terminal. The variables can contain arguments, for example "code --wait". */
function editorOf({ env, stdin }: Invocation): string {
  const named = env.VISUAL || env.EDITOR
  if (named) return named
  if (stdin.isTTY !== true) {
    throw mistake(
      'There is no terminal for an editor; set EDITOR, or use "palimpsest show SLUG --edit" and "palimpsest revise".',
    )
  }
  return process.platform === 'win32' ? 'notepad' : 'vi'
}

/** Runs an editor in the terminal of this process. */
async function runEditor({ env }: Invocation, editor: string, file: string): Promise<void> {
  const settings = { env: { ...process.env, ...env }, stdio: 'inherit' } as const
  const child =
    process.platform === 'win32'
      ? spawn(`${editor} "${file}"`, { ...settings, shell: true })
      : spawn('sh', ['-c', `${editor} "$@"`, editor, file], settings)
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  if (code === 0) return
  const why = code === 127 ? 'was not found' : `ended with exit code ${code}`
  throw mistake(`The editor ${editor} ${why}; nothing was committed. Set VISUAL or EDITOR to another editor.`)
}
