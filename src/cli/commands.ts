import { flagOf, readConfig, SETTINGS } from '../config.ts'
import { type Command, EXIT, type Flag } from './command.ts'
import { PEOPLE_COMMANDS } from './people/table.ts'

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
const SETTING_FLAGS = (Object.values(SETTINGS) as SettingRow[]).flatMap(flagOfSetting)
const DATA_DIR_FLAGS = flagOfSetting(SETTINGS.dataDir)

/** The commands of the operator. Each loads what it needs when it runs. */
export const OPERATOR_COMMANDS: readonly Command[] = [
  {
    name: 'serve',
    summary: 'Serve the store over HTTP until SIGTERM or SIGINT.',
    details:
      'Each flag has a variable of the same name (--data-dir is DATA_DIR); a flag goes before the variable. Secrets are variables only: ADMIN_TOKEN, ORIGIN_KEY, or ADMIN_TOKEN_FILE and ORIGIN_KEY_FILE.',
    flags: SETTING_FLAGS,
    examples: ['serve', 'serve --port 9000 --data-dir /var/lib/palimpsest'],
    async run({ env, flags }) {
      const { serve } = await import('./serve.ts')
      await serve(readConfig(env, flags))
      return EXIT.ok
    },
  },
  {
    name: 'health',
    summary: 'Ask the service that HOST and PORT name whether it is ready, for what watches over it.',
    details: 'Exit code 0 means that it takes reads and writes.',
    flags: [...flagOfSetting(SETTINGS.host), ...flagOfSetting(SETTINGS.port)],
    examples: ['health', 'health --port 9000'],
    run: async invocation => (await import('./health.ts')).checkHealth(invocation),
  },
  {
    name: 'migrate',
    summary: 'Bring a store that is not being served to the newest schema.',
    details:
      'The server does this by itself when it starts. With DATABASE_URL the database is migrated, also while nodes of the version before serve it.',
    flags: [
      { name: 'recount', description: 'Compute standings and signals anew from the records.' },
      ...DATA_DIR_FLAGS,
    ],
    examples: ['migrate --data-dir /var/lib/palimpsest'],
    run: async invocation => (await import('./migrate.ts')).migrateStore(invocation),
  },
  {
    name: 'backup',
    summary: 'Copy the store to one file while it is served, and check the copy.',
    details:
      'The copy holds neither salts, network keys, limits nor secrets; keep the files admin-token and origin-key of the data directory elsewhere.',
    flags: [
      { name: 'to', value: 'FILE', description: 'The file to make; one that exists is never overwritten.' },
      ...DATA_DIR_FLAGS,
    ],
    examples: ['backup --to palimpsest-backup.db'],
    run: async invocation => (await import('./backup.ts')).backupStore(invocation),
  },
  {
    name: 'restore',
    summary: 'Make a store from a backup, in a directory that has none.',
    flags: [
      { name: 'from', value: 'FILE', description: 'A file that "palimpsest backup" made.' },
      {
        name: 'ignore-checksum',
        description: 'Restore a file whose checksum is missing or wrong, if the rest is whole.',
      },
      ...DATA_DIR_FLAGS,
    ],
    examples: ['restore --from palimpsest-backup.db --data-dir ./restored'],
    run: async invocation => (await import('./restore.ts')).restoreStore(invocation),
  },
  {
    name: 'check',
    formerly: 'verify',
    summary: 'Recompute every hash of a store or a backup, read-only, also while it is served.',
    details: 'With DATABASE_URL the store in PostgreSQL is checked, also on a standby.',
    flags: [
      { name: 'file', value: 'FILE', description: 'A backup to check instead of the data directory.' },
      {
        name: 'log',
        description: 'Recompute the public log as well: every leaf from its rows, tiles, root, signatures.',
      },
      { name: 'checkpoint', value: 'FILE', description: 'With --log, a signed checkpoint that the log must continue.' },
      ...DATA_DIR_FLAGS,
    ],
    examples: ['check', 'check --log', 'check --file palimpsest-backup.db'],
    run: async invocation => (await import('./check.ts')).checkStore(invocation),
  },
  {
    name: 'copy',
    summary: 'Copy an embedded store into PostgreSQL, also while it is served, and verify the copy.',
    details:
      'Ids, numbers, hashes, tokens, blocks and limits stay as they are. Run it again to bring the copy up to date: while the store is served for most of it, once more when it is stopped for the rest. Without --to the database is DATABASE_URL, which keeps a password off the command line.',
    flags: [
      { name: 'from', value: 'DIR', description: 'The data directory of the embedded store.' },
      {
        name: 'to',
        value: 'URL',
        description: 'The database, as postgres://user@host/name; empty, or of an earlier copy.',
      },
    ],
    examples: ['copy --from ./data --to postgres://user@host/palimpsest'],
    run: async invocation => (await import('./copy.ts')).copyStore(invocation),
  },
  {
    name: 'index',
    summary: 'Copy a search index for a new node over PostgreSQL, also while its owner serves.',
    details:
      'The new node searches at once and indexes only what came later. The index is derived data: without a copy, the node makes it from the database. A node ignores the copy of another store.',
    args: [{ name: 'ACTION', description: 'copy, the only one.' }],
    flags: [
      { name: 'from', value: 'FILE|DIR', description: 'A search index, or the data directory of a node or a store.' },
      { name: 'to', value: 'DIR', description: 'The data directory of the new node, which is not being served.' },
    ],
    examples: ['index copy --from /srv/node1 --to /srv/node2'],
    run: async invocation => (await import('./index-copy.ts')).indexCommand(invocation),
  },
  {
    name: 'import',
    summary:
      'Read entries, revisions, evidence and relations from lines of JSON into a store that is not being served.',
    details:
      'One record per line, as "palimpsest export" writes them; ids may be any strings and are mapped to new ones. Each line passes the same checks as over HTTP. What refers to a record comes after it.',
    flags: [
      { name: 'from', value: 'FILE|-', description: 'The file to read; - is standard input.' },
      {
        name: 'class',
        value: 'CLASS',
        values: ['SYNTHETIC', 'INTERNAL'],
        byDefault: 'SYNTHETIC',
        description: 'What the authors are classed as.',
      },
      { name: 'batch', value: 'N', byDefault: '500', description: 'Lines stored in one transaction.' },
      {
        name: 'resume',
        description: 'Go on after the last line that an import, stopped or killed before its end, has stored.',
      },
      ...DATA_DIR_FLAGS,
    ],
    examples: ['import --from records.ndjson', 'import --from - --resume < records.ndjson'],
    run: async invocation => (await import('./import.ts')).importRecords(invocation),
  },
  {
    name: 'export',
    summary: 'Write everything public as lines of JSON, in the order it was recorded, also while it is served.',
    flags: [
      { name: 'to', value: 'FILE|-', byDefault: '-', description: 'The file to make; - is standard output.' },
      ...DATA_DIR_FLAGS,
    ],
    examples: ['export --to palimpsest.ndjson', 'export | gzip > palimpsest.ndjson.gz'],
    run: async invocation => (await import('./export.ts')).exportRecords(invocation),
  },
  {
    name: 'mcp',
    summary: 'Give a host of the Model Context Protocol the memory as tools, over standard input and output.',
    details:
      'Without a flag the service is PALIMPSEST_URL, else http://127.0.0.1:8080. PALIMPSEST_TOKEN is the actor token to write with; without one an actor is made on the first write and kept until the end, and with --data-dir in the file mcp-actor-token. Standard output carries the protocol only; LOG_LEVEL (default warn) says how much goes to standard error.',
    flags: [
      { name: 'url', value: 'URL', description: 'The service to use.' },
      {
        name: 'data-dir',
        value: 'DIR',
        description:
          'The directory of a private memory, made if there is none: no service is needed, and no limits apply.',
      },
    ],
    examples: ['mcp --url https://memory.example', 'mcp --data-dir ~/.palimpsest'],
    run: async invocation => (await import('./mcp.ts')).runMcp(invocation),
  },
  {
    name: 'mirror',
    summary: 'Make or continue a read-only copy of a server in a directory of its own, and follow it.',
    details:
      'Every revision is compared with its hash, and every record with its leaf in the public log of the server, whose checkpoints one key must have signed. A record that is missing or another one ends the mirror with a sentence that names it. What moderation withdraws there is erased here. The command can be stopped at any time and continues where it stopped. "palimpsest serve" serves the directory without the server; writes go to the server only.',
    args: [{ name: 'URL', description: 'The address of the server, as in https://memory.example.' }],
    flags: [
      { name: 'serve', description: 'Serve the copy over HTTP meanwhile.' },
      { name: 'once', description: 'End when everything is copied.' },
      {
        name: 'key',
        value: 'KEY',
        description: 'The verifier key of the public log. By default the first one of /log/keys, at the first start.',
      },
      { name: 'without-log', description: 'Copy a server without a public log, unverified but for its hashes.' },
      ...flagOfSetting(SETTINGS.host),
      ...flagOfSetting(SETTINGS.port),
      ...DATA_DIR_FLAGS,
    ],
    examples: ['mirror https://memory.example --serve'],
    run: async invocation => (await import('./mirror/mirror.ts')).mirrorServer(invocation),
  },
  {
    name: 'witness',
    summary: 'Cosign the public logs of other services, each as long as it only grows.',
    details:
      'The key of the witness and what it cosigned last are in the directory; a checkpoint is stored there before it is cosigned. A checkpoint that does not continue the last one is refused and reported. The operator of the log names the witness in the file of LOG_WITNESSES.',
    args: [{ name: 'LOG', many: true, description: 'The verifier key of a log: the first line of its /log/keys.' }],
    flags: [
      { name: 'name', value: 'NAME', description: 'The name of the witness, as in witness.example/w1.' },
      { name: 'dir', value: 'DIR', description: 'The directory of the witness, made if there is none.' },
      ...flagOfSetting(SETTINGS.host),
      ...flagOfSetting(SETTINGS.port),
    ],
    examples: [
      'witness --name witness.example/w1 --dir ./witness --port 8090 "$(curl -s https://memory.example/log/keys | head -1)"',
    ],
    run: async invocation => (await import('./witness/witness.ts')).witnessLogs(invocation),
  },
  {
    name: 'doctor',
    summary: 'Check this machine, the configuration and the store, a line for each finding.',
    flags: SETTING_FLAGS,
    examples: ['doctor'],
    run: async invocation => (await import('./doctor.ts')).doctor(invocation),
  },
]

/** Every command of the command line; help and completions are made from this table. */
export const COMMANDS: readonly Command[] = [...OPERATOR_COMMANDS, ...PEOPLE_COMMANDS]
