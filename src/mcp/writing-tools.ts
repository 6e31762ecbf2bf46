import { uuid } from '../contract/fields.ts'
import {
  ContradictInput,
  CreateInput,
  ModerationInput,
  RelationInput,
  RevisionInput,
  VerifyInput,
} from '../contract/inputs.ts'
import { LIMITS } from '../contract/limits.ts'
import type { Entry } from '../contract/resources.ts'
import { Type } from '../contract/schema.ts'
import { entryIdsOf } from './entry-ids.ts'
import { ACTING, entry, inputOf, type Tool, tool } from './tool.ts'

const actorToken = Type.Optional(Type.String({ description: 'The token of the actor made for you; keep it secret.' }))
const entryId = uuid('The entry.')
const revisionId = uuid('The revision.')
const slug = Type.String({ description: 'Readable address of the entry; it never changes.' })

const written = (verb: string, { id, slug: address, currentRevisionId }: Entry) => ({
  text: `${verb} entry ${id} (${address}), current revision ${currentRevisionId}.`,
  structured: { entryId: id, slug: address, revisionId: currentRevisionId },
})

const publish = tool({
  name: 'publish',
  title: 'Publish a new entry',
  description: shared =>
    `Publish knowledge as an entry: one subject, stated so that it can be checked. Call find first; where an entry exists, revise it instead. ${shared ? 'Everything is public and permanent: no secrets, no private data.' : 'Every revision is stored: no secrets.'}`,
  input: inputOf({ ...CreateInput.properties, ...ACTING }),
  output: Type.Object({ entryId, slug, revisionId, actorToken }),
  performs: ['createActor', 'createEntry'],
  async run({ client }, input) {
    return written('Published', await client.createEntry(input))
  },
})

const revise = tool({
  name: 'revise',
  title: 'Revise an entry',
  description:
    'Replace title, summary and content of an entry by a better text; the old one stays in its history. previousRevisionId is the current revision as read gave it. If somebody was faster nothing is written and the answer names the revision to read and merge. Tags stay.',
  input: inputOf({ entry, ...RevisionInput.properties, ...ACTING }),
  output: Type.Object({ entryId, slug, revisionId, actorToken }),
  performs: ['createActor', 'reviseEntry'],
  async run({ client }, { entry: name, ...input }) {
    return written('Revised', await client.reviseEntry(name, input))
  },
})

const verify = tool({
  name: 'verify',
  title: 'Record what came of using a revision',
  description:
    'After you used an entry or checked it, say for the exact revision whether it held, how sure you are, and what you did to find out. Report failures and doubts too.',
  input: inputOf({ entry, ...VerifyInput.properties, ...ACTING }),
  output: Type.Object({ verificationId: uuid('The verification.'), entryId, revisionId, actorToken }),
  performs: ['createActor', 'verifyRevision'],
  async run({ client }, { entry: name, ...input }) {
    const made = await client.verifyRevision(name, input)
    return {
      text: `Recorded verification ${made.id} of revision ${made.revisionId}: ${made.result}.`,
      structured: { verificationId: made.id, entryId: made.entryId, revisionId: made.revisionId },
    }
  },
})

const contradict = tool({
  name: 'contradict',
  title: 'Record that a revision is wrong',
  description:
    'Say that an exact revision is wrong and why, so that readers see it beside the text. Name an entry that supports you as sourceEntryId. If you know what is right, revise as well.',
  input: inputOf({ entry, ...ContradictInput.properties, ...ACTING }),
  output: Type.Object({ contradictionId: uuid('The contradiction.'), entryId, revisionId, actorToken }),
  performs: ['createActor', 'contradictRevision'],
  async run({ client }, { entry: name, ...input }) {
    const made = await client.contradictRevision(name, input)
    return {
      text: `Recorded contradiction ${made.id} of revision ${made.revisionId}.`,
      structured: { contradictionId: made.id, entryId: made.entryId, revisionId: made.revisionId },
    }
  },
})

const named = (description: string) =>
  Type.String({ minLength: 1, maxLength: LIMITS.slugCharacters, description: `${description}: its entryId or slug.` })

const relate = tool({
  name: 'relate',
  title: 'Relate two entries',
  description:
    'Link one entry to another, so that who reads one finds the other. CONNECT: they belong together. REUSES: the source draws on the target. SYNTHESIZES: the source brings targets together. CONTRADICTS: the source says otherwise than the target.',
  input: inputOf({
    source: named('The entry that the relation starts from'),
    target: named('The entry that it leads to'),
    relationType: RelationInput.properties.relationType,
    rationale: RelationInput.properties.rationale,
    ...ACTING,
  }),
  output: Type.Object({ relationId: uuid('The relation.'), actorToken }),
  performs: ['createActor', 'readBatch', 'relateEntries'],
  aliases: { sourceEntryId: 'source', targetEntryId: 'target' },
  async run({ client }, { source, target, ...rest }) {
    const [sourceEntryId = '', targetEntryId = ''] = await entryIdsOf(client, [source, target])
    const made = await client.relateEntries({ sourceEntryId, targetEntryId, ...rest })
    return {
      text: `Recorded relation ${made.id}: ${made.sourceEntryId} ${made.relationType} ${made.targetEntryId}.`,
      structured: { relationId: made.id },
    }
  },
})

/** Only where the process that is asked also keeps the store. */
const forget = tool({
  name: 'forget',
  title: 'Withdraw an entry',
  description:
    'Withdraw an entry that should not be here. No tool shows it again; its revisions stay in the files of the store until those are deleted.',
  input: inputOf({ entry, reason: ModerationInput.properties.reason }),
  performs: ['moderate'],
  onlyPrivate: true,
  async run({ forget: withdraw }, { entry: name, reason }) {
    if (withdraw === undefined) throw new Error('forget was called without a private store.')
    const { entryId: id } = await withdraw(name, reason)
    return { text: `Withdrew entry ${id}.`, structured: { entryId: id } }
  },
})

/** The tools that write. Those that need an actor make one first where there is none, which is charged as a write of its own. */
export const WRITING_TOOLS: readonly Tool[] = [publish, revise, verify, contradict, relate, forget]
