import { CHANGE_TYPES, RELATION_TYPES, RESULTS } from '../../contract/vocabulary.ts'
import type { Command, Flag } from '../command.ts'
import { ANYWAY, ENTRY_EXITS, RATIONALE, REVISE_EXITS, REVISION, SERVICE_EXITS, SLUG, WRITE_FLAGS } from './flags.ts'
import { withSession } from './with-session.ts'

const DRAFT =
  'FILE is Markdown, with lines like "title: …" and "summary: …" between two lines of --- at its top, or a JSON object; - is standard input.'

const CHANGE_TYPE: Flag = {
  name: 'change-type',
  value: 'TYPE',
  values: CHANGE_TYPES,
  description: 'The kind of change; by default that of the file.',
}
const CHANGE_RATIONALE: Flag = {
  ...RATIONALE,
  description: 'The reason, in at most 1000 characters; by default that of the file.',
}

/** The commands that write. */
const OBSERVED_ON: Flag = {
  name: 'observed-on',
  value: 'NAME@VERSION',
  description: 'Where the judgement was made; several separated by commas.',
}

export const WRITE_COMMANDS: readonly Command[] = [
  {
    name: 'publish',
    summary: 'Publish an entry.',
    details: `${DRAFT} Similar entries are listed first. A text with the title and content of an existing entry is refused.`,
    args: [{ name: 'FILE', description: 'The file to publish, or - for standard input.' }],
    flags: [
      { name: 'title', value: 'TEXT', description: 'Replaces the title of the file or its first heading.' },
      { name: 'summary', value: 'TEXT', description: 'Replaces the summary of the file.' },
      { name: 'tags', value: 'TAGS', description: 'Replaces the tags of the file; separated by commas.' },
      { ...ANYWAY, description: 'Publish a text that an entry already has.' },
      ...WRITE_FLAGS,
    ],
    examples: ['publish tea.md', 'publish - --title "Green tea" --summary "Not boiling" --tags tea,kitchen < tea.md'],
    exits: SERVICE_EXITS,
    run: withSession(async () => (await import('./publish.ts')).publish),
  },
  {
    name: 'revise',
    summary: 'Commit a revision on top of its base revision.',
    details: `${DRAFT} "palimpsest show SLUG --edit" writes a file to edit. The command never overwrites: if another revision was committed first, it shows the changes and ends with exit code 4.`,
    args: [SLUG, { name: 'FILE', description: 'The file with the new text, or - for standard input.' }],
    flags: [
      CHANGE_TYPE,
      CHANGE_RATIONALE,
      {
        name: 'previous',
        value: 'REVISION',
        description: 'The base revision; by default that of the file. latest accepts any.',
      },
      {
        name: 'merge',
        description:
          'If another revision was committed first, merge by line and word and commit; if both changed the same words, write both to standard output.',
      },
      { ...ANYWAY, description: 'Commit an unchanged text.' },
      ...WRITE_FLAGS,
    ],
    examples: [
      'revise green-tea edit.md --change-type EXPAND --rationale "Gives a range."',
      'revise green-tea edit.md --merge',
    ],
    exits: REVISE_EXITS,
    run: withSession(async () => (await import('./revise.ts')).revise),
  },
  {
    name: 'edit',
    summary: 'Open the latest revision in an editor, and commit the saved text.',
    details:
      'The editor is VISUAL, then EDITOR, then vi. If another revision was committed first, both changes are merged. A text that could not be committed stays in its file.',
    args: [SLUG],
    flags: [
      { ...CHANGE_TYPE, description: 'The kind of change; by default the file has a line for it.' },
      {
        ...CHANGE_RATIONALE,
        description: 'The reason, in at most 1000 characters; by default the file has a line for it.',
      },
      ...WRITE_FLAGS,
    ],
    examples: ['edit green-tea', 'edit green-tea --change-type CORRECT --rationale "Fixes the temperature."'],
    exits: REVISE_EXITS,
    run: withSession(async () => (await import('./edit.ts')).edit),
  },
  {
    name: 'verify',
    summary: 'Record the result of using an exact revision.',
    args: [SLUG],
    flags: [
      REVISION,
      { name: 'result', value: 'RESULT', values: RESULTS, description: 'The result.' },
      { name: 'confidence', value: 'NUMBER', description: 'Your confidence, from 0 to 1.' },
      RATIONALE,
      OBSERVED_ON,
      ...WRITE_FLAGS,
    ],
    examples: ['verify green-tea --revision 2 --result SUPPORTED --confidence 0.9 --rationale "Brewed it."'],
    exits: ENTRY_EXITS,
    run: withSession(async () => (await import('./evidence.ts')).verify),
  },
  {
    name: 'contradict',
    summary: 'Record that an exact revision is wrong, with the reason.',
    args: [SLUG],
    flags: [
      REVISION,
      RATIONALE,
      { name: 'quote', value: 'TEXT', description: 'The wrong sentence, exactly as in the revision.' },
      { name: 'source', value: 'SLUG', description: 'An entry that supports the contradiction.' },
      OBSERVED_ON,
      ...WRITE_FLAGS,
    ],
    examples: ['contradict green-tea --revision 1 --rationale "Too hot for gyokuro." --source gyokuro'],
    exits: ENTRY_EXITS,
    run: withSession(async () => (await import('./evidence.ts')).contradict),
  },
  {
    name: 'evidence',
    summary: 'Record several verifications and contradictions by one request.',
    details:
      'FILE has one JSON object per line: {"entry", "revisionId", "kind": "VERIFY" or "CONTRADICT", "rationale"}, and for VERIFY "result" and "confidence"; a contradiction can have "quote", and each "observedOn". A request contains ten; each counts as a write.',
    args: [{ name: 'FILE', description: 'The file with the judgements, or - for standard input.' }],
    flags: WRITE_FLAGS,
    examples: ['evidence checked.ndjson'],
    exits: SERVICE_EXITS,
    run: withSession(async () => (await import('./evidence-file.ts')).recordEvidence),
  },
  {
    name: 'relate',
    summary: 'Relate one entry to another.',
    args: [
      { name: 'SOURCE', description: 'The slug or the id of the entry where the relation starts.' },
      { name: 'TARGET', description: 'The slug or the id of the entry where it ends.' },
    ],
    flags: [
      {
        name: 'type',
        value: 'TYPE',
        values: RELATION_TYPES,
        byDefault: 'CONNECT',
        description: 'The relation of the source to the target.',
      },
      RATIONALE,
      ...WRITE_FLAGS,
    ],
    examples: ['relate gyokuro green-tea --type REUSES --rationale "Takes its times from there."'],
    exits: ENTRY_EXITS,
    run: withSession(async () => (await import('./relate.ts')).relate),
  },
]
