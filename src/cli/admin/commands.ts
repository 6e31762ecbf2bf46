import { GROUNDS, MODERATION_ACTIONS, RESOLUTIONS, TARGET_TYPES } from '../../contract/vocabulary.ts'
import { type Command, type Flag, flag, positional } from '../command.ts'
import { ENTRY_EXITS, LIMIT, SERVICE_EXITS } from '../people/flags.ts'

/** The flags of all commands that use the administration of a service. */
const SERVICE_FLAGS: readonly Flag[] = [
  flag('url URL', 'The service; by default the one of this machine at HOST and PORT.'),
  flag(
    'data-dir DIR',
    'The directory whose file admin-token is used if neither ADMIN_TOKEN nor ADMIN_TOKEN_FILE is set.',
    { byDefault: './data' },
  ),
  flag('json', 'Print the answers of the API as JSON, one document per line.'),
  flag('no-wait', 'End at once if the service requests a wait, instead of waiting up to a minute.'),
]
const DATA_DIR_FLAG: readonly Flag[] = [
  flag('data-dir DIR', 'The data directory of the service.', { byDefault: './data' }),
]
const DRY_RUN = flag('dry-run', 'Show what would be done, and change nothing.')

const TOKEN =
  'The admin token is ADMIN_TOKEN, the content of the file ADMIN_TOKEN_FILE, or the file admin-token of the data directory, which is only sent to this machine. It is never a flag, because other users of the machine can read command lines.'

/** The commands of the administrator of a running service. Each loads its modules when it runs. */
export const ADMIN_COMMANDS: readonly Command[] = [
  {
    name: 'status',
    summary: 'Show the state of a running service, one line for each part.',
    details: `What "palimpsest doctor" finds on the machine of the service, as the service itself sees it now: readiness, sizes, lag of index, public log, mirror and standby, free space, limits. Exit code 1 means that a line begins with FAIL. ${TOKEN}`,
    flags: SERVICE_FLAGS,
    examples: ['status', 'status --json'],
    exits: SERVICE_EXITS,
    run: async invocation => (await import('./status.ts')).showStatus(invocation),
  },
  {
    name: 'rotate-admin-token',
    summary: 'Replace the admin token by a new one, also while the service runs.',
    details:
      'Works on the file admin-token of the data directory, on the machine of the service. With DATABASE_URL the digest that all nodes share is replaced too; the nodes accept the new token within some seconds. The earlier token is refused from then on. A token in ADMIN_TOKEN or ADMIN_TOKEN_FILE is replaced there, before a new start.',
    flags: DATA_DIR_FLAG,
    examples: ['rotate-admin-token --data-dir /var/lib/palimpsest'],
    run: async invocation => (await import('./rotate.ts')).rotateAdminToken(invocation),
  },
  {
    name: 'moderate',
    summary:
      'Hide, quarantine, restore, block, unblock or erase entries, actors, origins or records of a running service.',
    details: `The actions are those of the console at /admin. Each is recorded in the audit; "palimpsest decisions" lists and undoes them. ERASE destroys the texts of an entry, or of one record with --type RECORD; nothing undoes it. ${TOKEN}`,
    args: [
      positional('ACTION', `${MODERATION_ACTIONS.join(', ')}.`, { values: MODERATION_ACTIONS }),
      positional(
        '[TARGET ...]',
        'The slug or the id of an entry; with --type the id of an actor, the originId of an origin, or the number of a record.',
      ),
    ],
    flags: [
      flag(
        'reason TEXT',
        'The reason, in at most 1000 characters. The affected authors and the reporters read it too.',
      ),
      flag('ground GROUND', 'The rule that the act applies; ILLEGAL for a law.', {
        values: GROUNDS,
        byDefault: 'OTHER',
      }),
      flag('appeal ID', 'The open appeal that the act answers.'),
      flag('type TYPE', 'The kind of the targets.', { values: TARGET_TYPES, byDefault: 'ENTRY' }),
      flag('by-actor ID', 'Act on the entries that this actor created, instead of TARGET.'),
      DRY_RUN,
      ...SERVICE_FLAGS,
    ],
    examples: [
      'moderate HIDE green-tea --reason "Holds a private address."',
      'moderate QUARANTINE 019a9b1c-1f20-7b21-9c4d-3c9b62e1d002 --type ACTOR --reason Spam --dry-run',
      'moderate HIDE --by-actor 019a9b1c-1f20-7b21-9c4d-3c9b62e1d002 --reason Spam',
      'moderate ERASE 301 302 --type RECORD --reason "Request of the person concerned."',
    ],
    exits: ENTRY_EXITS,
    run: async invocation => (await import('./moderation.ts')).moderate(invocation),
  },
  {
    name: 'reports',
    summary: 'List the reports of abuse of a running service, or close some.',
    details: `Closing a report moderates nothing. ${TOKEN}`,
    args: [positional('[REPORT ...]', 'The ids of the reports to close.')],
    flags: [
      flag('close OUTCOME', 'Close the reports with this outcome.', { values: RESOLUTIONS }),
      flag('note TEXT', 'Why, for administrators.'),
      flag('all', 'List closed reports too.'),
      DRY_RUN,
      LIMIT,
      ...SERVICE_FLAGS,
    ],
    examples: [
      'reports',
      'reports 019a9b1c-1f20-7b21-9c4d-3c9b62e1d002 --close DISMISSED --note "The text is correct."',
    ],
    exits: ENTRY_EXITS,
    run: async invocation => (await import('./moderation.ts')).reports(invocation),
  },
  {
    name: 'decisions',
    summary: 'List the acts of moderation of a running service, newest first, or undo some.',
    details: `An act can be undone while it is the newest change of its target. With --undo and no DECISION, the last run is undone: the newest acts with the same action and reason. ${TOKEN}`,
    args: [positional('[DECISION ...]', 'The ids of the acts to undo.')],
    flags: [
      flag('undo', 'Give the targets their previous states.'),
      flag('by-actor ID', 'Only acts about this actor and the entries that it created.'),
      flag('appeals', 'List the open appeals instead, each with its act.'),
      DRY_RUN,
      LIMIT,
      ...SERVICE_FLAGS,
    ],
    examples: [
      'decisions',
      'decisions --appeals',
      'decisions --undo --dry-run',
      'decisions --undo 019a9b1c-1f20-7b21-9c4d-3c9b62e1d002',
    ],
    exits: ENTRY_EXITS,
    run: async invocation => (await import('./moderation.ts')).decisions(invocation),
  },
]
