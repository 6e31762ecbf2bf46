import { once } from 'node:events'
import { hasWordnet, synsets, WORDNET } from './wordnet.ts'

/** Writes WordNet as lines for `palimpsest load`: all entries first, then their relations. */
const directory = process.argv[2] ?? WORDNET
if (!hasWordnet(directory)) {
  process.stderr.write(
    `There is no WordNet in ${directory}; install Debian's wordnet-base or name the directory with data.noun.\n`,
  )
  process.exit(1)
}

const write = async (line: object): Promise<void> => {
  if (!process.stdout.write(`${JSON.stringify(line)}\n`)) await once(process.stdout, 'drain')
}

let entries = 0
let relations = 0
for await (const { id, title, summary, content, tags } of synsets(directory)) {
  await write({ type: 'entry', id, title, summary, content, tags })
  entries++
}
for await (const { id, pointers } of synsets(directory)) {
  for (const { target, rationale } of pointers) {
    relations++
    await write({
      type: 'relation',
      id: `${id}-${relations}`,
      sourceEntryId: id,
      targetEntryId: target,
      relationType: 'CONNECT',
      rationale,
    })
  }
}
process.stderr.write(`${entries} entries, ${relations} relations\n`)
