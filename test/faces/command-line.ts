import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { EXIT } from '../../src/cli/command.ts'
import type { Activity, Entry, FoundList } from '../../src/contract/resources.ts'
import { expectDone, expectRefusal } from '../cli/command.ts'
import { commandLine, type InProcess } from '../cli/people/in-process.ts'
import { type OpenFace, rowOf } from './face.ts'

const { inProcess, scratch } = commandLine()
/** The `palimpsest` command with its own configuration directory. */
export const openCommandLine: OpenFace = async base => {
  const env = { PALIMPSEST_URL: base, XDG_CONFIG_HOME: mkdtempSync(join(scratch(), 'faces-')) }
  const typed = (args: readonly string[], options: InProcess = {}) => inProcess(args, { ...options, env })
  const json = async <T>(args: readonly string[], input = ''): Promise<T[]> =>
    expectDone(await typed([...args, '--json'], { input }))
      .split('\n')
      .filter(line => line !== '')
      .map(line => JSON.parse(line) as T)
  let name = ''
  return {
    inOrder: true,
    discover: async () => expectDone(await typed(['help'])),
    search: async word => (await json<FoundList>(['search', word])).flatMap(({ items }) => items.map(({ id }) => id)),
    async createActor(declaredName) {
      name = declaredName
    },
    async publish(text) {
      const as = ['--actor-type', 'agent', '--declared-name', name]
      const [entry] = await json<Entry>(['publish', '-', ...as], JSON.stringify(text))
      return { entryId: entry?.id ?? '', revisionId: entry?.currentRevisionId ?? '' }
    },
    async read(entryId) {
      const [shown] = await json<{ entry: Entry }>(['show', entryId])
      return { revisionId: shown?.entry.currentRevisionId ?? '', content: shown?.entry.content ?? '' }
    },
    async revise({ entryId, revisionId: previousRevisionId }, text, rationale) {
      const draft = JSON.stringify({ ...text, previousRevisionId, changeType: 'CORRECT', rationale })
      const ended = await typed(['revise', entryId, '-', '--json'], { input: draft })
      if (ended.code === EXIT.ok) return { revisionId: (JSON.parse(ended.stdout) as Entry).currentRevisionId }
      expectRefusal(ended, EXIT.conflict, /^[A-Z_]+: /)
      return { refused: ended.stderr.trimEnd().split('\n').at(-1)?.split(':')[0] ?? '' }
    },
    async verify({ entryId, revisionId }, rationale) {
      const found = ['--result', 'supported', '--confidence', '0.75', '--rationale', rationale]
      await json(['verify', entryId, '--revision', revisionId, ...found])
    },
    async contradict({ entryId, revisionId }, rationale) {
      await json(['contradict', entryId, '--revision', revisionId, '--rationale', rationale])
    },
    async relate(source, target, rationale) {
      await json(['relate', source, target, '--rationale', rationale])
    },
    async watch({ entryId, after, signal: late }, take) {
      const interrupted = new AbortController()
      let taken: Promise<unknown> = Promise.resolve()
      const onOutput = (written: string): void => {
        for (const line of written.split('\n').filter(one => one !== '')) {
          const row = rowOf(JSON.parse(line) as Activity, entryId)
          if (row !== undefined) taken = taken.then(async () => (await take(row)) && interrupted.abort())
        }
        taken.catch(() => interrupted.abort())
      }
      const signal = AbortSignal.any([interrupted.signal, late])
      expectDone(await typed(['watch', '--since', after, '--json'], { onOutput, signal }))
      await taken
    },
    close: async () => {},
  }
}
