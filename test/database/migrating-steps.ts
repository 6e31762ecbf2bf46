import { MIGRATIONS, type Migration } from '../../src/engine/schema.ts'

const ADDED = 5
export const TABLES_PER_STEP = 4

/** The advisory lock of PostgreSQL that a step passes between its second and its third table, plus its number. */
export const GATE = 9_000_000

/**
 * The real schema and some steps after it. Between its second and its third table each calls `crash(number)` in SQLite, and in
 * PostgreSQL waits while another session has the lock of its gate.
 */
export const STEPS: readonly Migration[] = [
  ...MIGRATIONS,
  ...Array.from({ length: ADDED }, (_, index) => {
    const number = MIGRATIONS.length + 1 + index
    const table = (n: number): string => `CREATE TABLE step_${number}_${n} (text TEXT NOT NULL) STRICT;
      INSERT INTO step_${number}_${n} SELECT hex(randomblob(2000)) FROM (VALUES (1), (2), (3), (4), (5), (6), (7), (8));`
    const tableOf = (n: number): string => `CREATE TABLE step_${number}_${n} (text TEXT NOT NULL);
      INSERT INTO step_${number}_${n} SELECT repeat(md5(g::text), 60) FROM generate_series(1, 8) g;`
    return {
      number,
      name: `step-${number}`,
      sqlite: `${table(1)} ${table(2)} SELECT crash(${number}); ${table(3)} ${table(4)}`,
      postgres: `${tableOf(1)} ${tableOf(2)} SELECT pg_advisory_xact_lock_shared(${GATE + number}); ${tableOf(3)} ${tableOf(4)}`,
    }
  }),
]
