import { flagOf, SETTINGS } from '../config.ts'
import { addressOf, readinessUrl } from './address.ts'
import { ADMIN_COMMANDS } from './admin/commands.ts'
import { type Command, EXIT, type Flag, flag, type Invocation, positional, UsageError } from './command.ts'
import { HOST_COMMANDS } from './host-commands.ts'
import { PEOPLE_COMMANDS } from './people/commands.ts'

type SettingRow = {
  name: string
  secret?: boolean
  byDefault: string | undefined
  values?: readonly string[]
  description: string
}

const flagOfSetting = (setting: SettingRow): Flag[] => {
  const name = flagOf(setting)
  if (name === undefined) return []
  const { byDefault, values } = setting
  return [
    {
      name,
      value: name.includes('dir') ? 'DIR' : 'VALUE',
      description: setting.description,
      ...(values === undefined ? {} : { values }),
      ...(byDefault === undefined || byDefault === '' ? {} : { byDefault }),
    },
  ]
}
/** The flags of all settings that have one. */
const SETTING_FLAGS = (Object.values(SETTINGS) as SettingRow[]).flatMap(flagOfSetting)
/** The flag of the data directory. */
const DATA_DIR_FLAGS = flagOfSetting(SETTINGS.dataDir)
/** The flags of the address at which the service listens. */
const ADDRESS_FLAGS = [...flagOfSetting(SETTINGS.host), ...flagOfSetting(SETTINGS.port)]

const FROM_FILE = flag('from FILE|-', 'The file to read; - is standard input.')

const SERVICE = flag('url URL', 'The service of notes; by default PALIMPSEST_URL.')
const notes = () => Promise.all([import('./people/session.ts'), import('./people/notes.ts')])

/** The commands that export, import and load data. Each loads its modules when it runs. */
const DATA_COMMANDS: readonly Command[] = [
  {
    name: 'export',
    summary:
      'Write everything public as lines of JSON, also while the store is served: the format, then the answers of GET /api/export.',
    details:
      'With --markdown it writes a folder instead: one file of Markdown for each entry, with title, summary, tags, ids, standing and sources as YAML. "palimpsest import" takes the folder back. The entries come from the service, or with --data-dir from a private memory. A file that a person changed since is not overwritten.',
    flags: [
      flag('to FILE|-', 'The file to create; - is standard output.', { byDefault: '-' }),
      flag('markdown DIR', 'The folder to write, instead of lines of JSON.'),
      SERVICE,
      ...DATA_DIR_FLAGS,
    ],
    examples: [
      'export --to palimpsest.ndjson',
      'export | gzip > palimpsest.ndjson.gz',
      'export --markdown notes --data-dir ~/.palimpsest',
    ],
    run: async invocation => {
      if (invocation.flags.markdown === undefined) return (await import('./export.ts')).exportRecords(invocation)
      const [{ inSession }, { exportNotes }] = await notes()
      return inSession(invocation, exportNotes)
    },
  },
  {
    name: 'import',
    summary:
      'Create a read-only copy of a store from a file that "palimpsest export" wrote, or take notes from Markdown.',
    details:
      'With NOTES it publishes Markdown at the service, or with --data-dir in a private memory: one entry for each file, or with --sections for each heading of the second level. Title, summary and tags come from the front matter, or from the text. Repeated, it revises the entries of notes that changed, and publishes nothing twice. Without NOTES it makes a copy. Ids, times, numbers and hashes are those of the exported store. Every revision is compared with its hash, and the public log is computed from the lines. A command that was stopped continues if it is run again. "palimpsest serve" serves the directory; writes are redirected to the original. "palimpsest mirror" with the address of the original follows it from there, after it has compared everything with its public log.',
    args: [positional('[NOTES ...]', 'Files and folders of Markdown, for example of Obsidian.')],
    flags: [
      FROM_FILE,
      SERVICE,
      flag('sections', 'One entry for each heading of the second level of NOTES.'),
      flag('dry-run', 'Show what would be done with NOTES, and write nothing.'),
      flag('original URL', 'The address of the service that was exported, for example https://memory.example.'),
      flag(
        'key KEY',
        'The verifier key of its public log. "palimpsest check --log --checkpoint FILE" then compares a signed checkpoint with the copy.',
      ),
      ...DATA_DIR_FLAGS,
    ],
    examples: [
      'import --from palimpsest.ndjson --original https://memory.example --data-dir ./copy',
      'import --from - --original https://memory.example < palimpsest.ndjson',
      'import ~/vault AGENTS.md --data-dir ~/.palimpsest --dry-run',
    ],
    run: async invocation => {
      if (invocation.args.length === 0) return (await import('./export.ts')).importExport(invocation)
      const [{ inSession }, { importNotes }] = await notes()
      return inSession(invocation, importNotes)
    },
  },
  {
    name: 'load',
    summary:
      'Publish entries, revisions, evidence and relations from lines of JSON in a store that is not being served.',
    details:
      'One record per line; ids can be any strings and are mapped to new ids. Each line passes the same checks as over HTTP. A reference to a record must come after the record.',
    flags: [
      FROM_FILE,
      flag('class CLASS', 'The data class of the authors.', {
        values: ['SYNTHETIC', 'INTERNAL'],
        byDefault: 'SYNTHETIC',
      }),
      flag('batch N', 'Lines per transaction.', { byDefault: '500' }),
      flag('resume', 'Continue after the last line that an interrupted load has stored.'),
      ...DATA_DIR_FLAGS,
    ],
    examples: ['load --from records.ndjson', 'load --from - --resume < records.ndjson'],
    run: async invocation => (await import('./load/load.ts')).loadRecords(invocation),
  },
]

/** The commands of the operator. Each loads its modules when it runs. */
export const OPERATOR_COMMANDS: readonly Command[] = [
  {
    name: 'init',
    summary: 'Write the files of an installation at a host name: settings, units or a compose file, and a proxy.',
    details:
      'The files are the examples of deploy/ with the host name and the places of this installation. No file is overwritten. It prints the three commands that follow; the last of them, "palimpsest doctor", says what is still missing.',
    args: [positional('[HOST]', 'The host name, such as memory.example. Without it, the command asks on a terminal.')],
    flags: [
      flag('for KIND', 'How the service runs.', { values: ['systemd', 'compose'], byDefault: 'systemd' }),
      flag('proxy PROXY', 'The proxy that terminates TLS.', { values: ['nginx', 'caddy'], byDefault: 'nginx' }),
      flag('to DIR', 'The directory to write into; by default HOST.'),
    ],
    examples: ['init memory.example', 'init memory.example --for compose --proxy caddy --to ./installation'],
    run: async invocation => (await import('./init.ts')).initInstallation(invocation),
  },
  {
    name: 'serve',
    summary: 'Serve the store over HTTP until SIGTERM or SIGINT.',
    details:
      'Each flag has a variable of the same name (--data-dir is DATA_DIR); a flag takes precedence. Secrets are variables only: ADMIN_TOKEN, ORIGIN_KEY, or ADMIN_TOKEN_FILE and ORIGIN_KEY_FILE.',
    flags: [
      flag(
        'demo',
        'Write twenty sample entries first: into an empty data directory, or into a temporary one if none is named.',
      ),
      ...SETTING_FLAGS,
    ],
    examples: ['serve', 'serve --demo', 'serve --port 9000 --data-dir /var/lib/palimpsest'],
    run: async invocation => (await import('./serve.ts')).serveStore(invocation),
  },
  {
    name: 'health',
    summary: 'Check that the service at HOST and PORT is ready, for monitoring.',
    details: 'Exit code 0 means that it accepts reads and writes.',
    flags: ADDRESS_FLAGS,
    examples: ['health', 'health --port 9000'],
    run: async invocation => (await import('./commands.ts')).checkHealth(invocation),
  },
  {
    name: 'migrate',
    summary: 'Apply the missing steps of the schema to a store that is not being served.',
    details:
      'The server does this automatically at its start. With DATABASE_URL the schema of the database is created or completed, for nodes whose role may not do so. A store with the schema of another version is refused.',
    flags: DATA_DIR_FLAGS,
    examples: ['migrate --data-dir /var/lib/palimpsest'],
    run: async invocation => (await import('./stores/migrate.ts')).migrateStore(invocation),
  },
  {
    name: 'backup',
    summary: 'Copy the store to one file while it is served, and check the copy.',
    details:
      'The copy contains no salts, network keys, limits or secrets; back up the files admin-token and origin-key of the data directory separately.',
    flags: [flag('to FILE', 'The file to create. An existing file is never overwritten.'), ...DATA_DIR_FLAGS],
    examples: ['backup --to palimpsest-backup.db'],
    run: async invocation => (await import('./stores/backup.ts')).backupStore(invocation),
  },
  {
    name: 'restore',
    summary: 'Create a store from a backup, in a directory that has none.',
    flags: [
      flag('from FILE', 'A file that "palimpsest backup" created.'),
      flag('ignore-checksum', 'Restore a file with a missing or wrong checksum if its content is intact.'),
      ...DATA_DIR_FLAGS,
    ],
    examples: ['restore --from palimpsest-backup.db --data-dir ./restored'],
    run: async invocation => (await import('./stores/restore.ts')).restoreStore(invocation),
  },
  {
    name: 'check',
    summary: 'Recompute every hash of a store or a backup, read-only, also while it is served.',
    details: 'With DATABASE_URL the store in PostgreSQL is checked, also on a standby.',
    flags: [
      flag('file FILE', 'A backup to check instead of the data directory.'),
      flag('log', 'Recompute the public log too: all leaves from their rows, tiles, root, signatures.'),
      flag('checkpoint FILE', 'With --log, a signed checkpoint that the log must continue.'),
      ...DATA_DIR_FLAGS,
    ],
    examples: ['check', 'check --log', 'check --file palimpsest-backup.db'],
    run: async invocation => (await import('./check/check.ts')).checkStore(invocation),
  },
  {
    name: 'copy',
    summary: 'Copy an embedded store into PostgreSQL, or one in PostgreSQL into a directory, and verify the copy.',
    details:
      'Ids, numbers, hashes, tokens, moderation, reports, blocks and limits do not change, and the keys go with them. Into PostgreSQL, run it again to update the copy: first while the store is served, then once more after it is stopped. Into a directory, stop all nodes first. The database that no flag names is DATABASE_URL, so that the command line contains no password.',
    flags: [
      flag('from DIR|URL', 'The data directory, or the database, that has the store.'),
      flag(
        'to URL|DIR',
        'The database, as postgres://user@host/name: empty, or with an earlier copy. Or a directory without a store.',
      ),
    ],
    examples: [
      'copy --from ./data --to postgres://user@host/palimpsest',
      'copy --from postgres://user@host/palimpsest --to ./data',
    ],
    run: async invocation => (await import('./stores/copy-to-directory.ts')).copyStore(invocation),
  },
  {
    name: 'index',
    summary: 'Copy a search index for a new node over PostgreSQL, also while its owner serves.',
    details:
      'The new node searches at once and indexes only later records. The index is derived data: without a copy, the node builds it from the database. A node ignores the copy of another store.',
    args: [positional('ACTION', 'copy, the only action.')],
    flags: [
      flag('from FILE|DIR', 'A search index, or the data directory of a node or a store.'),
      flag('to DIR', 'The data directory of the new node, which is not being served.'),
    ],
    examples: ['index copy --from /srv/node1 --to /srv/node2'],
    run: async invocation => (await import('./stores/index-copy.ts')).indexCommand(invocation),
  },
  ...DATA_COMMANDS,
  ...HOST_COMMANDS,
  {
    name: 'mirror',
    summary: 'Create or continue a read-only copy of a server in its own directory, and follow the server.',
    details:
      'Every revision is compared with its hash, and every record with its leaf in the public log of the server, whose checkpoints one key must have signed. A missing or different record ends the mirror with a sentence that names it. Records that moderation withdraws there are erased here. The command can be stopped at any time and continues where it stopped. "palimpsest serve" serves the directory without the server; writes go to the server only.',
    args: [positional('URL', 'The address of the server, for example https://memory.example.')],
    flags: [
      flag('serve', 'Serve the copy over HTTP at the same time.'),
      flag('once', 'End when the copy is complete.'),
      flag('key KEY', 'The verifier key of the public log. By default the first one of /log/keys, at the first start.'),
      flag('without-log', 'Copy a server without a public log, unverified but for its hashes.'),
      ...ADDRESS_FLAGS,
      ...DATA_DIR_FLAGS,
    ],
    examples: ['mirror https://memory.example --serve'],
    run: async invocation => (await import('./mirror.ts')).mirrorServer(invocation),
  },
  {
    name: 'witness',
    summary: 'Cosign the public logs of other services, each while it is append-only.',
    details:
      'The directory has the key of the witness and the last cosigned checkpoints. A checkpoint is stored there before it is cosigned. A checkpoint that does not continue the last one is refused and reported. The operator of the log names the witness in the file of TLOG_WITNESSES.',
    args: [positional('LOG ...', 'The verifier key of a log: the first line of its /log/keys.')],
    flags: [
      flag('name NAME', 'The name of the witness, for example witness.example/w1.'),
      flag('dir DIR', 'The directory of the witness, created if it is missing.'),
      ...ADDRESS_FLAGS,
    ],
    examples: [
      'witness --name witness.example/w1 --dir ./witness --port 8090 "$(curl -s https://memory.example/log/keys | head -1)"',
    ],
    run: async invocation => (await import('./witness.ts')).witnessLogs(invocation),
  },
  ...ADMIN_COMMANDS,
  {
    name: 'doctor',
    summary: 'Check this machine, the configuration and the store, one line for each finding.',
    details:
      'With --engine it checks any server that speaks the protocol of PostgreSQL for each part that the service needs, in a schema that it creates and drops.',
    flags: [
      flag('engine', 'Probe the server at DATABASE_URL, which may be empty, and nothing else.'),
      ...SETTING_FLAGS,
    ],
    examples: ['doctor', 'doctor --engine'],
    run: async invocation => (await import('./doctor/doctor.ts')).doctor(invocation),
  },
]

/** All commands. Help and completions are made from this table. */
export const COMMANDS: readonly Command[] = [...OPERATOR_COMMANDS, ...PEOPLE_COMMANDS]

/** `get` of node:http, without an import of all of its exports, which takes 20 ms. */
const { get } = process.getBuiltinModule('node:http')
/** Less than the default timeout of health checks of containers. */
const REQUEST_TIMEOUT_MS = 3_000

/** The reasons why a service of this machine is not reachable. */
const FAULTS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection is refused; start the service, or name its port',
  ENOTFOUND: 'the host name is unknown',
}

/** Checks that the service at HOST and PORT is ready, and prints one sentence. Returns exit code 0 only if it is. */
export async function checkHealth(invocation: Invocation): Promise<number> {
  const address = addressOf(invocation)
  if (address.port === 0)
    throw new UsageError('PORT is 0, which is another port at every start; set it to the port of the service.')
  const url = readinessUrl(address)
  const fault = await statusOf(url).then(
    ({ status, reason }) =>
      status === 200 ? undefined : `it answers ${status}${reason === undefined ? '' : `: ${reason}`}`,
    (error: NodeJS.ErrnoException) =>
      error.name === 'TimeoutError'
        ? `no answer in ${REQUEST_TIMEOUT_MS} ms`
        : (FAULTS[error.code ?? ''] ?? error.code ?? error.message),
  )
  invocation.stdout.write(fault === undefined ? `Ready at ${url}.\n` : `Not ready at ${url}: ${fault}.\n`)
  return fault === undefined ? EXIT.ok : EXIT.failed
}

/** The status of a GET and the reason of a refusal. The body is not read. Rejects with TimeoutError or with the error of the system. */
const statusOf = (url: string): Promise<{ status: number | undefined; reason: string | undefined }> =>
  new Promise((resolve, reject) => {
    const request = get(url, { signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS), agent: false }, response => {
      response.destroy()
      const { reason } = response.headers
      resolve({ status: response.statusCode, reason: typeof reason === 'string' ? reason : undefined })
    })
    // An abort has its reason only in its cause.
    request.on('error', error => reject(error.cause ?? error))
  })
