import type { Entry, EntryQuery } from '../../client/index.ts'
import { SORTS } from '../../contract/words.ts'
import { createProgress } from '../progress.ts'
import { actorName } from './names.ts'
import { type Output, stateStyle, styled } from './output.ts'
import type { Session } from './session.ts'
import { countOf, oneOf, plural } from './values.ts'

const MOST = 10_000

/** Lists the entries that hold every word, or the latest ones. */
export async function search({ invocation, client, out, json }: Session): Promise<void> {
  const { args, flags } = invocation
  const most = countOf('--limit', flags.limit ?? '20', MOST)
  const q = args.map(word => (/\s/.test(word) ? `"${word.replaceAll('"', ' ')}"` : word)).join(' ')
  const sort = flags.sort === undefined ? (q === '' ? 'recent' : 'relevance') : oneOf('--sort', flags.sort, SORTS)
  const query: EntryQuery = { sort, limit: Math.min(50, most), ...(q === '' ? {} : { q }) }
  if (flags.tag !== undefined) query.tag = flags.tag
  // On a terminal the results themselves show the progress.
  const progress = invocation.stdout.isTTY === true ? undefined : createProgress(undefined, invocation.stderr)
  let found = 0
  for await (const entry of client.all.searchEntries(query)) {
    found += 1
    if (json) out.json(entry)
    else entryLines(out, entry)
    await out.taken()
    progress?.tell(() => `Found ${plural(found, 'entry', 'entries')}`)
    if (found === most) break
  }
  progress?.end()
  if (found === 0) out.note('No entry was found.')
}

function entryLines(
  out: Output,
  { slug, title, summary, tags, revisionCount, updatedAt, actor, standing }: Entry,
): void {
  out.line(styled('bold', title), '  ', styled('cyan', slug))
  out.line('  ', summary)
  const facts = [plural(revisionCount, 'revision'), `latest ${out.time(updatedAt)}`, `by ${actorName(actor)}`]
  if (tags.length > 0) facts.push(`tags ${tags.join(', ')}`)
  out.line('  ', styled(stateStyle(standing.state), standing.state), styled('dim', ` · ${facts.join(' · ')}`))
}
