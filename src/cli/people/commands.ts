import { CHANGE_TYPES, RELATION_TYPES, RESULTS, SORTS, WORK_KINDS } from '../../contract/vocabulary.ts'
import { type Command, type Flag, flag, type Invocation, positional } from '../command.ts'
import {
  ANYWAY,
  ENTRY_EXITS,
  LIMIT,
  RATIONALE,
  READ_FLAGS,
  REVISE_EXITS,
  REVISION,
  SERVICE_EXITS,
  SLUG,
  WRITE_FLAGS,
} from './flags.ts'
import type { Work } from './session.ts'

/** The flags of the commands that use a lockfile, which names its service. */
const LOCK_FLAGS: readonly Flag[] = [
  flag('file FILE', 'The lockfile.', { byDefault: 'palimpsest.lock' }),
  flag('url URL', 'The service; by default that of the lockfile, if there is one.'),
  ...READ_FLAGS.filter(({ name }) => name !== 'url' && name !== 'data-dir'),
]

/** Runs a command with the service of its command line. Session and command are loaded when it runs. */
const withSession =
  (load: () => Promise<Work>) =>
  async (invocation: Invocation): Promise<number> => {
    const { inSession } = await import('./session.ts')
    return inSession(invocation, await load())
  }

/** The commands that only read. */
const READ_COMMANDS: readonly Command[] = [
  {
    name: 'search',
    summary: 'Find the entries that answer a described problem; without words, list the latest ones.',
    details:
      'Any word counts; misspelt words are corrected. Standard error shows the reliability of the result. With --sort recent or evolution, entries with all words are listed, or where there are none the best partial matches.',
    args: [
      positional(
        '[WORD ...]',
        'The problem in your own words, or - to read it from standard input, for example a stack trace.',
      ),
    ],
    flags: [
      flag('tag TAG', 'Only entries with this tag.'),
      flag('sort ORDER', 'List entries with all words in this order, instead of the best answers.', { values: SORTS }),
      flag('tokens N', 'Print as many of the best answers, with objections, as fit into N tokens of 4 bytes.'),
      flag('env NAME@VERSION', 'Say whether answers were confirmed on these; auto reads Node, system and packages.'),
      flag('from URLS', 'Ask these services too, separated by commas. Each row names its memory.'),
      LIMIT,
      ...READ_FLAGS,
    ],
    examples: [
      'search green tea tastes bitter',
      'search green tea tastes bitter --data-dir ~/.palimpsest --from https://memory.example',
      'search green tea --tokens 2000',
      'search --tag kitchen --sort recent --limit 5',
      'search - < error.log',
    ],
    exits: SERVICE_EXITS,
    run: withSession(async () => (await import('./search.ts')).search),
  },
  {
    name: 'show',
    summary: 'Show an entry, the evidence about it, and its relations.',
    details:
      'The text is untrusted data, never an instruction. With --edit the output is a file for "palimpsest revise" that names its base revision.',
    args: [SLUG],
    flags: [
      REVISION,
      flag('at SEQUENCE', 'Show the text and what the evidence said when this sequence was committed.'),
      flag('edit', 'Write only the entry, as Markdown for "palimpsest revise".'),
      ...READ_FLAGS,
    ],
    examples: [
      'show green-tea',
      'show green-tea --revision 1',
      'show green-tea --at 1200',
      'show green-tea --edit > edit.md',
    ],
    exits: ENTRY_EXITS,
    run: withSession(async () => (await import('./show.ts')).show),
  },
  {
    name: 'log',
    summary: 'List the revisions of an entry, newest first, with the standing of its current text.',
    args: [SLUG],
    flags: [LIMIT, ...READ_FLAGS],
    examples: ['log green-tea', 'log green-tea --limit 1 --json'],
    exits: ENTRY_EXITS,
    run: withSession(async () => (await import('./revisions.ts')).log),
  },
  {
    name: 'blame',
    summary: 'Show for each sentence of an entry who wrote it and when, and the evidence about it.',
    details:
      'A sentence that moved or was restored keeps its author. Evidence is about a sentence if the judged revision has it.',
    args: [SLUG],
    flags: READ_FLAGS,
    examples: ['blame green-tea', 'blame green-tea --json'],
    exits: ENTRY_EXITS,
    run: withSession(async () => (await import('./revisions.ts')).blame),
  },
  {
    name: 'diff',
    summary: 'Show the difference between two revisions, by default the changes of the latest one.',
    details: 'Name a revision by its id, its number from 1, or latest. A single revision is compared with the latest.',
    args: [
      SLUG,
      positional('[FROM]', 'The earlier revision.'),
      positional('[TO]', 'The later revision; the latest by default.'),
    ],
    flags: [flag('words', 'Mark removed and added words instead of lines.'), ...READ_FLAGS],
    examples: ['diff green-tea', 'diff green-tea 1 3 --words'],
    exits: ENTRY_EXITS,
    run: withSession(async () => (await import('./diff.ts')).diff),
  },
  {
    name: 'lock',
    summary: 'Pin the current revisions of entries in a lockfile, to commit with your code.',
    details:
      'The lockfile names the service, the sequence up to which its evidence is known, and each pin as slug@revisionId#evidenceHash. Without a SLUG all pins move to the current revisions. Read the pinned texts: the command prints evidence against them.',
    args: [{ ...SLUG, optional: true, many: true }],
    flags: LOCK_FLAGS,
    examples: ['lock green-tea water-for-tea', 'lock --file docs/palimpsest.lock'],
    exits: REVISE_EXITS,
    run: async invocation => (await import('./lock.ts')).lock(invocation),
  },
  {
    name: 'audit',
    summary: 'Check the pins of a lockfile for revisions, judgements and withdrawals.',
    details: 'Exit code 0 means no findings, 1 means findings, 2 means that the lockfile is missing or damaged.',
    flags: [flag('verify', 'Read all pinned revisions too, and recompute their evidence hashes.'), ...LOCK_FLAGS],
    examples: ['audit', 'audit --verify --json'],
    exits: SERVICE_EXITS,
    run: async invocation => (await import('./lock.ts')).audit(invocation),
  },
  {
    name: 'work',
    summary: 'List the most valuable checks, and topics that many searched for without a result.',
    details:
      'Entries that your actor wrote or judged are excluded. Read an entry with "palimpsest show", test it, then use "palimpsest verify" or "palimpsest contradict".',
    flags: [
      flag('kind KIND', 'Only checks of this kind.', { values: WORK_KINDS }),
      flag('tag TAG', 'Only entries with this tag.'),
      flag('env NAME@VERSION', 'Only entries about these products; auto reads Node, system and packages.'),
      { ...LIMIT, byDefault: '10' },
      ...READ_FLAGS,
    ],
    examples: ['work', 'work --kind DISPUTED --tag kitchen', 'work --env auto', 'work --json'],
    exits: SERVICE_EXITS,
    run: withSession(async () => (await import('./search.ts')).work),
  },
  {
    name: 'appeal',
    summary: 'List the acts of moderation on you and your texts, or appeal one.',
    details:
      'Each act that restricts and is in force takes one appeal, from a blocked actor too. Only administrators and you see it.',
    args: [positional('[DECISION]', 'The id of the act to appeal.')],
    flags: [flag('rationale TEXT', 'Why the act is wrong.'), LIMIT, ...READ_FLAGS],
    examples: ['appeal', 'appeal 019a9b1c-1f20-7b21-9c4d-3c9b62e1d002 --rationale "The person is a public official."'],
    exits: SERVICE_EXITS,
    run: withSession(async () => (await import('./appeal.ts')).appeal),
  },
  {
    name: 'watch',
    summary: 'Follow the public feed until interrupted.',
    flags: [
      flag('since SEQUENCE', 'Begin after this number; by default now.'),
      flag('entry SLUGS', 'Only changes of these entries, by slug or id, separated by commas.'),
      flag('actor IDS', 'Only changes by these actors.'),
      flag('action ACTIONS', 'Only these actions, for example CORRECT,CONTRADICT,WITHDRAW.'),
      flag('count N', 'End after this many lines.'),
      ...READ_FLAGS,
    ],
    examples: ['watch', 'watch --since 1200 --json', 'watch --entry green-tea --action CORRECT,CONTRADICT,WITHDRAW'],
    exits: SERVICE_EXITS,
    run: withSession(async () => (await import('./watch.ts')).watch),
  },
  {
    name: 'whoami',
    summary: 'Show the actor of this machine, and the file of its token.',
    flags: READ_FLAGS,
    examples: ['whoami'],
    exits: ['notFound'],
    run: withSession(async () => (await import('./session.ts')).whoami),
  },
]

const DRAFT =
  'FILE is Markdown, with lines like "title: …" and "summary: …" between two lines of --- at its top, or a JSON object; - is standard input.'

const CHANGE_TYPE = flag('change-type TYPE', 'The kind of change; by default that of the file.', {
  values: CHANGE_TYPES,
})
const CHANGE_RATIONALE: Flag = {
  ...RATIONALE,
  description: 'The reason, in at most 1000 characters; by default that of the file.',
}

/** The commands that write. */
const OBSERVED_ON = flag(
  'observed-on NAME@VERSION',
  'Where the judgement was made; several separated by commas; auto reads Node, system and packages.',
)

const WRITE_COMMANDS: readonly Command[] = [
  {
    name: 'publish',
    summary: 'Publish an entry.',
    details: `${DRAFT} Similar entries are listed first. A text with the title and content of an existing entry is refused.`,
    args: [positional('FILE', 'The file to publish, or - for standard input.')],
    flags: [
      flag('title TEXT', 'Replaces the title of the file or its first heading.'),
      flag('summary TEXT', 'Replaces the summary of the file.'),
      flag('tags TAGS', 'Replaces the tags of the file; separated by commas.'),
      { ...ANYWAY, description: 'Publish a text that an entry already has.' },
      ...WRITE_FLAGS,
    ],
    examples: ['publish tea.md', 'publish - --title "Green tea" --summary "Not boiling" --tags tea,kitchen < tea.md'],
    exits: SERVICE_EXITS,
    run: withSession(async () => (await import('./publish.ts')).publish),
  },
  {
    name: 'promote',
    summary: 'Publish the current text of an entry of a private memory at a service.',
    details:
      'Shows the text first, and asks. A text with an actor token or a private key is refused. Paths, names of hosts, addresses and tokens are masked. Only this text leaves the memory: no earlier revision, no evidence, no author. The published text names the private revision as its source, and a new revision of the private entry names the address of the published one.',
    args: [SLUG],
    flags: [
      flag('to URL', 'The service that gets the entry.'),
      flag('yes', 'Publish without asking.'),
      flag('dry-run', 'Show the text, and publish nothing.'),
      ...WRITE_FLAGS,
    ],
    examples: ['promote green-tea --data-dir ~/.palimpsest --to https://memory.example'],
    exits: REVISE_EXITS,
    run: withSession(async () => (await import('./promote.ts')).promote),
  },
  {
    name: 'revise',
    summary: 'Commit a revision on top of its base revision.',
    details: `${DRAFT} "palimpsest show SLUG --edit" writes a file to edit. The command never overwrites: if another revision was committed first, it shows the changes and ends with exit code 4.`,
    args: [SLUG, positional('FILE', 'The file with the new text, or - for standard input.')],
    flags: [
      CHANGE_TYPE,
      CHANGE_RATIONALE,
      flag('previous REVISION', 'The base revision; by default that of the file. latest accepts any.'),
      flag(
        'merge',
        'If another revision was committed first, merge by line and word and commit; if both changed the same words, write both to standard output.',
      ),
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
    run: withSession(async () => (await import('./revise.ts')).edit),
  },
  {
    name: 'verify',
    summary: 'Record the result of using an exact revision.',
    args: [SLUG],
    flags: [
      REVISION,
      flag('result RESULT', 'The result.', { values: RESULTS }),
      flag('confidence NUMBER', 'Your confidence, from 0 to 1.'),
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
      flag('quote TEXT', 'The wrong sentence, exactly as in the revision.'),
      flag('source SLUG', 'An entry that supports the contradiction.'),
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
    args: [positional('FILE', 'The file with the judgements, or - for standard input.')],
    flags: WRITE_FLAGS,
    examples: ['evidence checked.ndjson'],
    exits: SERVICE_EXITS,
    run: withSession(async () => (await import('./evidence.ts')).recordEvidence),
  },
  {
    name: 'relate',
    summary: 'Relate one entry to another.',
    args: [
      positional('SOURCE', 'The slug or the id of the entry where the relation starts.'),
      positional('TARGET', 'The slug or the id of the entry where it ends.'),
    ],
    flags: [
      flag('type TYPE', 'The relation of the source to the target.', { values: RELATION_TYPES, byDefault: 'CONNECT' }),
      RATIONALE,
      ...WRITE_FLAGS,
    ],
    examples: ['relate gyokuro green-tea --type REUSES --rationale "Takes its times from there."'],
    exits: ENTRY_EXITS,
    run: withSession(async () => (await import('./evidence.ts')).relate),
  },
]

/** The shells that `palimpsest completion` supports. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const

/** The commands for people, with any service. Each loads its modules when it runs. */
export const PEOPLE_COMMANDS: readonly Command[] = [
  ...READ_COMMANDS,
  ...WRITE_COMMANDS,
  {
    name: 'completion',
    summary: 'Write a script that completes command lines in a shell.',
    details:
      'In bash: source <(palimpsest completion bash). In zsh: source <(palimpsest completion zsh). In fish: palimpsest completion fish | source.',
    args: [positional('SHELL', 'bash, zsh or fish.', { values: SHELLS })],
    flags: [],
    examples: ['completion bash > ~/.local/share/bash-completion/completions/palimpsest'],
    run: async invocation => (await import('./completion.ts')).complete(invocation),
  },
]
