import type { Command, Flag } from './command.ts'
import { DATA_DIR_FLAGS } from './setting-flags.ts'

const FROM_FILE: Flag = { name: 'from', value: 'FILE|-', description: 'The file to read; - is standard input.' }

/** The commands that export, import and load data. Each loads its modules when it runs. */
export const DATA_COMMANDS: readonly Command[] = [
  {
    name: 'export',
    summary:
      'Write everything public as lines of JSON, also while the store is served: the format, then the answers of GET /api/export.',
    flags: [
      { name: 'to', value: 'FILE|-', byDefault: '-', description: 'The file to create; - is standard output.' },
      ...DATA_DIR_FLAGS,
    ],
    examples: ['export --to palimpsest.ndjson', 'export | gzip > palimpsest.ndjson.gz'],
    run: async invocation => (await import('./export/export.ts')).exportRecords(invocation),
  },
  {
    name: 'import',
    summary: 'Create a read-only copy of a store from a file that "palimpsest export" wrote.',
    details:
      'Ids, times, numbers and hashes are those of the exported store. Every revision is compared with its hash, and the public log is computed from the lines. A command that was stopped continues if it is run again. "palimpsest serve" serves the directory; writes are redirected to the original. "palimpsest mirror" with the address of the original follows it from there, after it has compared everything with its public log.',
    flags: [
      FROM_FILE,
      {
        name: 'original',
        value: 'URL',
        description: 'The address of the service that was exported, for example https://memory.example.',
      },
      {
        name: 'key',
        value: 'KEY',
        description:
          'The verifier key of its public log. "palimpsest check --log --checkpoint FILE" then compares a signed checkpoint with the copy.',
      },
      ...DATA_DIR_FLAGS,
    ],
    examples: [
      'import --from palimpsest.ndjson --original https://memory.example --data-dir ./copy',
      'import --from - --original https://memory.example < palimpsest.ndjson',
    ],
    run: async invocation => (await import('./export/import.ts')).importExport(invocation),
  },
  {
    name: 'load',
    summary:
      'Publish entries, revisions, evidence and relations from lines of JSON in a store that is not being served.',
    details:
      'One record per line; ids can be any strings and are mapped to new ids. Each line passes the same checks as over HTTP. A reference to a record must come after the record.',
    flags: [
      FROM_FILE,
      {
        name: 'class',
        value: 'CLASS',
        values: ['SYNTHETIC', 'INTERNAL'],
        byDefault: 'SYNTHETIC',
        description: 'The data class of the authors.',
      },
      { name: 'batch', value: 'N', byDefault: '500', description: 'Lines per transaction.' },
      {
        name: 'resume',
        description: 'Continue after the last line that an interrupted load has stored.',
      },
      ...DATA_DIR_FLAGS,
    ],
    examples: ['load --from records.ndjson', 'load --from - --resume < records.ndjson'],
    run: async invocation => (await import('./load/load.ts')).loadRecords(invocation),
  },
]
