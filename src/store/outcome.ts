import type { Reader } from '../database/database.ts'
import { type Sql, sql } from '../database/sql.ts'
import type { ContributionOutcome, Outcome } from '../domain/evidence/outcome.ts'

/** 1 if an actor that did not write the revision gave such evidence about it and has not replaced it by a later one; else 0. */
const judged = (evidence: Sql): Sql => sql`
      CASE WHEN EXISTS (SELECT 1 FROM evidence v WHERE v.revision = s.revision AND ${evidence} AND v.withdrawn = 0 AND v.own = 0
        AND NOT EXISTS (SELECT 1 FROM evidence w WHERE w.revision = v.revision AND w.actor = v.actor AND w.number > v.number
          AND w.withdrawn = 0)) THEN 1 ELSE 0 END`
const JUDGED: Sql = sql`${judged(sql`v.result = 'SUPPORTED'`)} AS confirmed,
      ${judged(sql`coalesce(v.result, 'UNSUPPORTED') = 'UNSUPPORTED'`)} AS contradicted,
      CASE WHEN n.change_type = 'CORRECT' AND n.changed = 1 AND n.actor <> s.actor THEN 1 ELSE 0 END AS corrected`
const JOINS: Sql = sql`
    FROM activity s JOIN entry e ON e.number = s.entry LEFT JOIN revision r ON r.number = s.revision LEFT JOIN revision n ON n.entry = r.entry AND n.ordinal = r.ordinal + 1`

/** The newest contributions of an actor, each with its judgements by other actors. Each row takes a few index look-ups. */
export const listOutcomes = (reader: Reader, actor: number, limit: number) =>
  reader.all<Outcome>(sql`
    SELECT s.action, e.withdrawn, ${JUDGED} ${JOINS}
    WHERE s.actor = ${actor} AND s.hour IS NULL AND s.withdrawn = 0 ORDER BY s.sequence DESC LIMIT ${limit}`)

/** The same with the present state of their entries. `later` is the time of the latest revision if it is by another actor, else null. */
export const listContributionOutcomes = (reader: Reader, actor: number, limit: number) =>
  reader.all<ContributionOutcome & { slug: string; title: string; standing: string | null }>(sql`
    SELECT s.action, e.withdrawn, ${JUDGED}, s.entry, e.slug, h.title, e.standing, r.ordinal, e.revisions,
      CASE WHEN h.actor <> s.actor THEN h.created_at END AS later ${JOINS} LEFT JOIN revision h ON h.number = e.revision
    WHERE s.actor = ${actor} AND s.hour IS NULL AND s.withdrawn = 0 ORDER BY s.sequence DESC LIMIT ${limit}`)
