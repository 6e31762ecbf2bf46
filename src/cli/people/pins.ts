import type { Batch, Client, PinsReport } from '../../client/index.ts'
import { evidenceHashOf } from '../../client/log.ts'
import { LIMITS } from '../../contract/limits.ts'
import { standingLine } from '../../domain/evidence/standing-line.ts'
import { signalLine } from '../../domain/signals/sentences.ts'
import type { Pin } from './lockfile.ts'
import { type Output, stateStyle, styled } from './output.ts'
import { plural } from './values.ts'

/** The maximum bytes of a body without its pins. */
const ENVELOPE_BYTES = 100

/** A finding of the service about a pin, or that its text differs from the pinned one. */
export type Finding =
  | PinsReport['items'][number]
  | { kind: 'ALTERED'; entry: string; revisionId: string; evidenceHash: string; recomputed: string | null }

/**
 * Checks pins in as few requests as the limits allow: 200 pins and the size of a body. The sequence is that of the first answer, so that
 * the next check misses no evidence.
 */
export async function checkPins(client: Client, pins: readonly Pin[], since?: string): Promise<PinsReport | undefined> {
  let report: PinsReport | undefined
  for (const part of requestsOf(pins)) {
    const answer = await client.checkPins({ ...(since === undefined ? {} : { since }), pins: part })
    report =
      report === undefined
        ? answer
        : { ...report, items: [...report.items, ...answer.items], same: report.same + answer.same }
  }
  return report
}

type Asked = { slug: string; revisionId: string }

function requestsOf(pins: readonly Pin[]): Asked[][] {
  const requests: Asked[][] = []
  let bytes = Number.POSITIVE_INFINITY
  for (const { slug, revisionId } of pins) {
    const asked = { slug, revisionId }
    const size = JSON.stringify(asked).length + 1
    const last = requests.at(-1)
    if (last === undefined || last.length === LIMITS.pins || bytes + size > LIMITS.bodyBytes) {
      requests.push([asked])
      bytes = ENVELOPE_BYTES + size
    } else {
      last.push(asked)
      bytes += size
    }
  }
  return requests
}

/** Reads entries or revisions in batches, in the requested order. */
export async function* readBatches(
  client: Client,
  ids: readonly string[],
): AsyncGenerator<{ id: string; item: Batch['items'][number] | undefined }, void, undefined> {
  for (let from = 0; from < ids.length; from += LIMITS.batch) {
    const asked = ids.slice(from, from + LIMITS.batch)
    const { items } = await client.readBatch({ ids: asked.join(',') })
    for (const [index, id] of asked.entries()) yield { id, item: items[index] }
  }
}

/** The pins whose served text does not match the pinned hash, in bounded memory. */
export async function findAltered(client: Client, pins: readonly Pin[]): Promise<Finding[]> {
  const altered: Finding[] = []
  for (let from = 0; from < pins.length; from += LIMITS.batch) {
    altered.push(...(await alteredOf(client, pins.slice(from, from + LIMITS.batch))))
  }
  return altered
}

async function alteredOf(client: Client, pins: readonly Pin[]): Promise<Finding[]> {
  const revisions = await revisionsOf(
    client,
    pins.map(({ revisionId }) => revisionId),
  )
  const before = [...revisions.values()].flatMap(({ previousRevisionId }) => previousRevisionId ?? [])
  const previous = await revisionsOf(client, before)
  const findings = pins.map(async ({ slug, revisionId, evidenceHash }): Promise<Finding[]> => {
    const revision = revisions.get(revisionId)
    const chained = previous.get(revision?.previousRevisionId ?? '')?.evidenceHash ?? null
    const recomputed = revision === undefined ? null : await evidenceHashOf(revision, chained)
    return recomputed === evidenceHash ? [] : [{ kind: 'ALTERED', entry: slug, revisionId, evidenceHash, recomputed }]
  })
  return (await Promise.all(findings)).flat()
}

async function revisionsOf(client: Client, ids: readonly string[]) {
  const found = new Map<string, Extract<Batch['items'][number], { evidenceHash: string }>>()
  for await (const { id, item } of readBatches(client, [...new Set(ids)])) {
    if (item !== undefined && 'evidenceHash' in item && item.id === id) found.set(id, item)
  }
  return found
}

/** The maximum column width of slugs. A longer slug shifts the rest of its line. */
const SLUG_COLUMNS = 40
const KIND_COLUMNS = 'WITHDRAWN'.length

/** Prints findings as a table, with rationales in blocks. */
export function writeFindings(out: Output, findings: readonly Finding[]): void {
  const columns = Math.min(SLUG_COLUMNS, Math.max(0, ...findings.map(({ entry }) => entry.length)))
  for (const finding of findings) {
    const style = finding.kind === 'REVISED' ? 'yellow' : 'red'
    const head = [styled(style, finding.kind.padEnd(KIND_COLUMNS)), '  ', finding.entry.padEnd(columns), '  '] as const
    if (finding.kind === 'ALTERED') out.line(...head, alteredText(finding.recomputed))
    else writeFinding(out, head, finding)
  }
}

const alteredText = (recomputed: string | null): string =>
  recomputed === null
    ? 'the pinned revision could not be read, so its hash was not checked'
    : `the served text has the hash ${recomputed}, not the pinned one`

type Head = Parameters<Output['line']>

function writeFinding(
  out: Output,
  head: Readonly<Head>,
  { kind, revised, evidence, signals = [] }: PinsReport['items'][number],
): void {
  if (revised !== undefined) {
    const change =
      revised.changed === null
        ? 'not compared because the check was too large'
        : `${plural(revised.changed, 'sentence')} changed`
    out.line(...head, `${revised.changeType}, ${plural(revised.revisions, 'later revision')}, ${change}`)
    for (const { text } of revised.removed) out.line('  ', styled('red', '- '), text)
    for (const { text } of revised.added) out.line('  ', styled('green', '+ '), text)
    out.block(revised.rationale)
    const { standing } = revised
    if (standing !== undefined) out.line('  ', styled(stateStyle(standing.state), standingLine(standing)))
  } else if (evidence !== undefined) {
    const added = evidence.added === null ? '' : `, ${evidence.added} new`
    out.line(...head, styled(stateStyle(evidence.state), standingLine(evidence)), added)
    if (evidence.objection !== null) out.block(evidence.objection.rationale)
  } else out.line(...head, kind === 'WITHDRAWN' ? 'the entry was withdrawn' : 'the entry has no such revision')
  writeSignals(out, signals)
}

/** Prints the signals of the row above, if it has any. */
export function writeSignals(out: Output, signals: readonly string[]): void {
  if (signals.length > 0) out.line('  ', styled('yellow', signalLine(signals)))
}
