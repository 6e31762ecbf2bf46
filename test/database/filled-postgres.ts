import type { PostgresConnection } from '../../src/engine/postgres.ts'

/** The number of entries. Every other table has at least as many rows. */
export const ENTRIES = 10_000

/** The ids that operations are recorded with. */
const id = (number: string): string => `'01990000-0000-7000-8000-' || lpad((${number})::text, 12, '0')`

/**
 * Fills the tables that grow, of a database that has the schema, and has them analysed. Every actor made one entry, every entry
 * has two revisions, two texts, one piece of evidence, a relation from it and one to it, and four rows of activity.
 */
export async function fillPostgres(connection: PostgresConnection): Promise<void> {
  const n = ENTRIES
  const each = (rows: number): string => `FROM generate_series(1, ${rows}) g`
  await connection.exec(`
    INSERT INTO head (one, store_id, sequence, record) VALUES (1, 'store', ${4 * n}, ${5 * n});
    INSERT INTO origin (number, id, day, network_key) SELECT g, 'o' || g, '2026-11-' || lpad((1 + g % 28)::text, 2, '0'), 'n' || g ${each(n)};
    INSERT INTO origin_block (network_key, origin) SELECT 'n' || g, g FROM generate_series(1, ${n}, 10) g;
    INSERT INTO actor (number, id, actor_type, name, data_class, token_hash, anonymous_key, origin, first_seen_at, last_seen_at)
      SELECT g, ${id('g')}, 'AGENT', 'name', 'EXTERNAL', CASE WHEN g % 2 = 0 THEN 't' || g END, CASE WHEN g % 2 = 1 THEN 'a' || g END, g, g, g ${each(n)};
    INSERT INTO entry (number, id, slug, tags, actor, origin, data_class, created_at, updated_at, revision, revisions, withdrawn, change)
      SELECT g, ${id('g')}, 'slug-' || g, '["sea"]', g, g, 'EXTERNAL', g, 1000 * g, ${n} + g, 2, CASE WHEN g % 50 = 0 THEN 1 ELSE 0 END, g ${each(n)};
    INSERT INTO revision (number, id, entry, ordinal, actor, origin, change_type, title, summary, content, rationale, sources, evidence_hash, created_at)
      SELECT g, ${id(`${n} + g`)}, 1 + (g - 1) % ${n}, 1 + (g - 1) / ${n}, 1 + (g - 1) % ${n}, 1 + (g - 1) % ${n}, 'EXPAND', 'title', 'summary',
        repeat('content ', 20), 'rationale', '[]', 'hash', g ${each(2 * n)};
    INSERT INTO evidence (number, id, kind, entry, ordinal, revision, actor, origin, result, confidence, rationale, created_at)
      SELECT ${2 * n} + g, ${id(`${3 * n} + g`)}, 'VERIFY', g, 1, g, 1 + (g * 7) % ${n}, 1 + (g * 7) % ${n}, 'SUPPORTED', 1, 'rationale', g ${each(n)};
    INSERT INTO entry_voice (entry, voice, origin_group) SELECT 1 + (g - 1) % ${n}, 'voice' || g, 1 ${each(2 * n)};
    INSERT INTO relation (number, id, source_entry, target_entry, relation_type, actor, origin, rationale, created_at)
      SELECT ${3 * n} + g, ${id(`${4 * n} + g`)}, g, 1 + g % ${n}, 'CONNECT', 1 + (g * 7) % ${n}, 1 + (g * 7) % ${n}, 'rationale', g ${each(n)};
    INSERT INTO relation_end (entry, ordinal, relation) SELECT g, 1, ${3 * n} + g ${each(n)};
    INSERT INTO relation_end (entry, ordinal, relation) SELECT 1 + g % ${n}, 2, ${3 * n} + g ${each(n)};
    INSERT INTO activity (sequence, actor, origin, action, entry, revision, subject, request_id, data_class, created_at, hour)
      SELECT g, 1 + (g * 7) % ${n}, 1 + (g * 7) % ${n}, CASE WHEN g % 4 = 0 THEN 'VERIFY' ELSE 'READ' END, 1 + g % ${n}, 1 + g % ${n},
        CASE WHEN g % 4 = 0 THEN ${2 * n} + g / 4 END, 'request', 'EXTERNAL', g, CASE WHEN g % 4 <> 0 THEN g / 500 END ${each(4 * n)};
    INSERT INTO topic (key, spelling, entries) SELECT 't' || g, 'T' || g, g % 100 ${each(n)};
    INSERT INTO cooldown (subject, action, began_at) SELECT 'actor:' || g, 'CREATE', g ${each(n)};
    INSERT INTO admission (bin, key, count) SELECT g, 'k' || g, 1 ${each(n)};
    INSERT INTO moderation (number, id, target_type, target_id, action, ground, reason, previous_state, state, changed, entries, actors, request_id, created_at)
      SELECT ${4 * n} + g, ${id(`${5 * n} + g`)}, 'ENTRY', ${id('g')}, 'HIDE', 'OTHER', 'reason', '{}', '{}', 1, 1, 0, 'request', g ${each(n)};
    ANALYZE`)
  // With the visibility map an index can answer alone, as in a database with autovacuum.
  await connection.exec('VACUUM')
}
