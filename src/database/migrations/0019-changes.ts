import type { Migration } from './migration.ts'

/**
 * The changes in order, without the reads: the feed has an index for writes and one for reads, the timeline of an entry separates the two,
 * and `target` is the target entry of a relation. `moderated` is the sequence at which an entry was last withdrawn or restored; entries
 * that are withdrawn take theirs now. `settled` is the sequence up to which a copy has followed moderation, too.
 */
export const changes: Migration = {
  number: 19,
  name: 'changes',
  breaking: true,
  shared: `
DROP INDEX activity_feed;
CREATE INDEX activity_written ON activity (sequence) WHERE data_class = 'EXTERNAL' AND withdrawn = 0 AND action NOT IN ('READ', 'SEARCH');
CREATE INDEX activity_read ON activity (sequence) WHERE data_class = 'EXTERNAL' AND withdrawn = 0 AND action IN ('READ', 'SEARCH');
DROP INDEX activity_timeline;
CREATE INDEX activity_timeline ON activity (entry, (CASE action WHEN 'READ' THEN 1 ELSE 0 END), sequence) WHERE entry IS NOT NULL;
ALTER TABLE activity ADD COLUMN target INTEGER REFERENCES entry;
UPDATE activity SET target = (SELECT l.target_entry FROM relation l WHERE l.number = activity.subject) WHERE action = 'CONNECT';
CREATE INDEX activity_target ON activity (target, sequence) WHERE target IS NOT NULL;
ALTER TABLE entry ADD COLUMN moderated INTEGER;
CREATE INDEX entry_moderated ON entry (moderated) WHERE moderated IS NOT NULL;
UPDATE entry SET moderated = h.sequence + w.place
  FROM (SELECT number, row_number() OVER (ORDER BY number) AS place FROM entry WHERE withdrawn = 1) AS w, head AS h
  WHERE entry.number = w.number AND NOT EXISTS (SELECT 1 FROM mirror);
UPDATE head SET sequence = sequence + (SELECT count(*) FROM entry WHERE moderated IS NOT NULL);
INSERT INTO export_change (segment, record)
  SELECT DISTINCT (s.sequence - 1) / 1000, h.record + 1 FROM entry e JOIN activity s ON s.entry = e.number AND s.action = 'CREATE', head AS h
  WHERE e.moderated IS NOT NULL
  ON CONFLICT (segment) DO UPDATE SET record = excluded.record;
ALTER TABLE mirror ADD COLUMN settled INTEGER NOT NULL DEFAULT 0;
UPDATE mirror SET settled = (SELECT sequence FROM head);
`,
}
