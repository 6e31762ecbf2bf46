import type { Migration } from './migration.ts'

/** `evidence_moderated` is the record number of the latest act of moderation that withdrew or restored evidence about an entry. */
export const moderatedEvidence: Migration = {
  number: 25,
  name: 'moderated evidence',
  breaking: false,
  shared: `
ALTER TABLE entry ADD COLUMN evidence_moderated INTEGER;
UPDATE entry SET evidence_moderated = w.record FROM (
  SELECT j.entry, max(j.record) AS record FROM (
    SELECT v.entry, m.number AS record FROM moderation m JOIN actor a ON a.id = m.target_id JOIN evidence v ON v.actor = a.number
      WHERE m.target_type = 'ACTOR' AND m.changed = 1 AND m.action IN ('QUARANTINE', 'RESTORE')
    UNION ALL SELECT v.entry, m.number FROM moderation m JOIN origin o ON o.id = m.target_id JOIN evidence v ON v.origin = o.number
      WHERE m.target_type = 'ORIGIN' AND m.changed = 1 AND m.action IN ('QUARANTINE', 'RESTORE')
    UNION ALL SELECT l.target_entry, m.number FROM moderation m JOIN actor a ON a.id = m.target_id JOIN relation l ON l.actor = a.number
      WHERE m.target_type = 'ACTOR' AND m.changed = 1 AND m.action IN ('QUARANTINE', 'RESTORE') AND l.relation_type = 'CONTRADICTS'
    UNION ALL SELECT l.target_entry, m.number FROM moderation m JOIN origin o ON o.id = m.target_id JOIN relation l ON l.origin = o.number
      WHERE m.target_type = 'ORIGIN' AND m.changed = 1 AND m.action IN ('QUARANTINE', 'RESTORE') AND l.relation_type = 'CONTRADICTS'
  ) AS j GROUP BY j.entry) AS w
  WHERE entry.number = w.entry;
`,
}
