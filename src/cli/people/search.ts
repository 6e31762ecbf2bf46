import {
  type Client,
  createClient,
  type Entry,
  type EntryQuery,
  type FoundList,
  isClientError,
  type WorkList,
} from '../../client/index.ts'
import { FIND, WORK } from '../../contract/limits.ts'
import { SORTS, WORK_KINDS } from '../../contract/vocabulary.ts'
import { confirmedLine, NONE_FITS, noneFits } from '../../find/rules/answers.ts'
import { shortStandingLine, standingLine } from '../../memory/evidence/rules.ts'
import { signalLines } from '../../memory/signals/text.ts'
import { createProgress } from '../../progress.ts'
import { UsageError } from '../command.ts'
import { environmentQuery, environmentsIn } from '../environment.ts'
import { readText } from './draft.ts'
import { countOf, oneOf, plural, servicesIn } from './flags.ts'
import { actorName } from './names.ts'
import { type Output, stateStyle, styled } from './output.ts'
import type { Session } from './session.ts'

const MOST = 10_000
const LISTED = 20

/**
 * Finds the entries that answer a described problem. With an order, lists the entries that have its words. Without words, lists the latest.
 */
export async function search(session: Session): Promise<void> {
  const { args, flags } = session.invocation
  const limit = flags.limit === undefined ? undefined : countOf('--limit', flags.limit, MOST)
  const most = limit ?? LISTED
  const sort = flags.sort === undefined ? undefined : oneOf('--sort', flags.sort, SORTS)
  if (args.length === 1 && args[0] === '-') {
    const q = (await readText(session, '-')).trim()
    if (q === '') throw new UsageError('Standard input has no words to search for.')
    return sort === undefined ? find(session, q, limit) : list(session, { q, sort }, most)
  }
  const q = args.map(word => (/\s/.test(word) ? `"${word.replaceAll('"', ' ')}"` : word)).join(' ')
  if (q === '') return list(session, { sort: sort ?? 'recent' }, most)
  return sort === undefined ? find(session, q, limit) : list(session, { q, sort }, most)
}

const envOf = (env: string | undefined): { env?: string } =>
  env === undefined ? {} : { env: environmentQuery(environmentsIn('env', env)) }

type NamedMemory = { name: string; client: Pick<Client, 'findEntries'> }

/** The memory of the session, and the services of --from. Their limits and faults do not concern each other. */
function memoriesOf({ invocation, place, client }: Session): NamedMemory[] {
  const others = servicesIn(invocation.flags.from).map(baseUrl => ({
    name: baseUrl,
    client: createClient({ baseUrl, retries: 0 }),
  }))
  return [{ name: place, client }, ...others.filter(({ name }) => name !== place)]
}

/** Asks all memories at once. One that does not answer is named, unless it is the only one. */
async function find(session: Session, q: string, limit: number | undefined): Promise<void> {
  const { invocation, out, json } = session
  if (limit !== undefined && limit > FIND.max) {
    throw new UsageError(`--limit is at most ${FIND.max} for the best answers; with --sort it is ${MOST}.`)
  }
  const { tag, tokens, env } = invocation.flags
  const query = {
    q,
    ...(limit === undefined ? {} : { limit }),
    ...(tag === undefined ? {} : { tag }),
    ...envOf(env),
    ...(tokens === undefined ? {} : { tokens: countOf('--tokens', tokens, FIND.tokensMax, FIND.tokensMin) }),
  }
  const places = memoriesOf(session)
  const answers = await Promise.allSettled(places.map(({ client }) => client.findEntries(query)))
  const first = answers.find(({ status }) => status === 'rejected')
  if (first?.status === 'rejected' && answers.every(({ status }) => status === 'rejected')) throw first.reason
  for (const [index, answer] of answers.entries()) {
    const from = places.length > 1 ? places[index]?.name : undefined
    if (answer.status === 'rejected') {
      if (!isClientError(answer.reason)) throw answer.reason
      out.note(`${from} has no answer: ${answer.reason.message}`)
    } else if (json) out.json(from === undefined ? answer.value : { from, ...answer.value })
    else await showFound(session, answer.value, from)
  }
}

/** Shows the entries of one memory. With several, each row names its memory. */
async function showFound({ out }: Session, found: FoundList, from: string | undefined): Promise<void> {
  const about = adviceOn(found)
  if (about !== '') out.note(from === undefined ? about : `${from}: ${about}`)
  for (const { title, slug } of found.near ?? [])
    out.line(styled('bold', title), '  ', styled('cyan', slug), from === undefined ? '' : `  ${from}`)
  for (const { title, slug, excerpt, standing, objections = [], confirmedOn = [], ...flagged } of found.items) {
    out.line(styled('bold', title), '  ', styled('cyan', slug), from === undefined ? '' : `  ${from}`)
    out.line('  ', styled(stateStyle(standing.state), shortStandingLine(standing)))
    for (const one of confirmedOn) out.line('  ', confirmedLine(one))
    for (const line of signalLines(flagged)) out.line('  ', styled('yellow', line))
    out.block(excerpt)
    for (const { rationale, signals = [] } of objections) {
      for (const line of signalLines({ signals })) out.line('  ', styled('yellow', line))
      out.line('  ', styled('red', 'against: '), rationale)
    }
    await out.taken()
  }
}

/** One line about the reliability of the result. */
function adviceOn(found: FoundList): string {
  const { coverage, answerable, corrected, missing } = found
  const named = (words: readonly string[]): string => words.join(', ')
  return [
    ...(noneFits(found) ? [NONE_FITS] : []),
    ...(coverage === 'NONE' ? ['No entry was found.'] : []),
    ...(coverage !== 'NONE' && !answerable ? ['The entries hardly match. Do not trust them as an answer.'] : []),
    ...(corrected.length > 0 ? [`Corrected: ${named(corrected.map(({ from, to }) => `${from} → ${to}`))}.`] : []),
    ...(missing.length > 0 ? [`No entry has: ${named(missing)}.`] : []),
  ].join(' ')
}

async function list({ invocation, client, out, json }: Session, asked: EntryQuery, most: number): Promise<void> {
  const query: EntryQuery = { ...asked, limit: Math.min(50, most) }
  if (invocation.flags.tag !== undefined) query.tag = invocation.flags.tag
  // On a terminal the results themselves show the progress.
  const progress = invocation.stdout.isTTY === true ? undefined : createProgress(invocation.stderr)
  let found = 0
  for await (const entry of client.all.searchEntries(query)) {
    found += 1
    if (json) out.json(entry)
    else entryLines(out, entry)
    await out.taken()
    progress?.update(() => `Found ${plural(found, 'entry', 'entries')}`)
    if (found === most) break
  }
  progress?.end()
  if (found === 0) out.note('No entry was found.')
}

function entryLines(
  out: Output,
  { slug, title, summary, tags, revisionCount, updatedAt, actor, revisedBy = actor, standing, ...flagged }: Entry,
): void {
  out.line(styled('bold', title), '  ', styled('cyan', slug))
  out.line('  ', summary)
  const facts = [plural(revisionCount, 'revision'), `latest ${out.time(updatedAt)}`, `by ${actorName(revisedBy)}`]
  if (tags.length > 0) facts.push(`tags ${tags.join(', ')}`)
  out.line('  ', styled(stateStyle(standing.state), standingLine(standing)))
  for (const line of signalLines(flagged)) out.line('  ', styled('yellow', line))
  out.line('  ', styled('dim', facts.join(' · ')))
}

type Item = WorkList['items'][number]

/** Lists the most valuable checks, without entries that the actor of this machine wrote or judged. */
export async function work({ invocation, client, out, json }: Session): Promise<void> {
  const { kind, tag, env, limit = String(WORK.default) } = invocation.flags
  const { items } = await client.listWork({
    limit: countOf('--limit', limit, WORK.max),
    ...(kind === undefined ? {} : { kind: oneOf('--kind', kind.toUpperCase(), WORK_KINDS) }),
    ...(tag === undefined ? {} : { tag }),
    ...envOf(env),
  })
  for (const item of items) {
    if (json) out.json(item)
    else itemLines(out, item)
    await out.taken()
  }
  if (items.length === 0) out.note('There is no check for you.')
}

const WIDTH = Math.max(...WORK_KINDS.map(({ length }) => length)) + 2
const INDENT = ' '.repeat(WIDTH)

function itemLines(out: Output, { kind, reason, entry, topic }: Item): void {
  const name = styled('yellow', kind.padEnd(WIDTH))
  if (topic !== undefined) {
    const { networks = 0 } = reason
    out.line(name, styled('bold', topic.term))
    out.line(INDENT, `asked by ${plural(networks, 'network')} on ${topic.day}, without an answer`)
  }
  if (entry === undefined) return
  const { readers = 0, daysSinceCheck } = reason
  const checked = typeof daysSinceCheck === 'number' ? `checked ${plural(daysSinceCheck, 'day')} ago` : 'never checked'
  out.line(name, styled('bold', entry.title), '  ', styled('cyan', entry.slug))
  out.line(INDENT, styled(stateStyle(entry.standing.state), standingLine(entry.standing)))
  for (const line of signalLines(entry)) out.line(INDENT, styled('yellow', line))
  out.line(INDENT, styled('dim', `${plural(readers, 'reader')} · ${checked}`))
}
