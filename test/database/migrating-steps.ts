import { MIGRATIONS } from '../../src/database/migrate.ts'
import type { Migration } from '../../src/database/migrations/migration.ts'

const ADDED = 5
export const TABLES_PER_STEP = 4

/** The real schema and some steps behind it; each calls `crash(number)` between its second and its third table. */
export const STEPS: readonly Migration[] = [
  ...MIGRATIONS,
  ...Array.from({ length: ADDED }, (_, index) => {
    const number = MIGRATIONS.length + 1 + index
    const table = (n: number): string => `CREATE TABLE step_${number}_${n} (text TEXT NOT NULL) STRICT;
      INSERT INTO step_${number}_${n} SELECT hex(randomblob(2000)) FROM (VALUES (1), (2), (3), (4), (5), (6), (7), (8));`
    return {
      number,
      name: `step-${number}`,
      breaking: false,
      sqlite: `${table(1)} ${table(2)} SELECT crash(${number}); ${table(3)} ${table(4)}`,
    }
  }),
]
