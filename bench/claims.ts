import type { Operation } from './load/order.ts'
import { type Results, ratioOf } from './results.ts'

/** Something that must hold: what was measured beside what was promised; `held` is null where it was not measured. */
export type Claim = { name: string; measured: string; target: string; held: boolean | null }

const PEERS = ['directus', 'nostr-relay', 'atproto-pds', 'mcp-memory', 'mediawiki']
const MOST_MEGABYTES = 200
const MOST_BYTES = 2.4

/** Judges every promise about speed and size against the figures of a run. */
export function judge(results: Results): Claim[] {
  return [
    atLeast(results, 'R against plain node:http, same bytes', 'R', ['limit-http'], 0.65),
    atLeast(results, 'R against the best peer', 'R', PEERS, 6),
    atLeast(results, 'R against Directus', 'R', ['directus'], 60),
    atLeast(results, 'R against MediaWiki', 'R', ['mediawiki'], 60),
    atLeast(results, 'L against the best peer', 'L', PEERS, 8),
    atLeast(results, 'S against the best peer', 'S', PEERS, 15),
    atLeast(results, 'W against the best peer', 'W', PEERS, 10),
    atLeast(results, 'U against the best peer', 'U', PEERS, 10),
    atLeast(results, 'W against the same creates on plain node:sqlite, groups of 32', 'W', ['limit-sqlite'], 0.8),
    memory(results),
    bytes(results),
  ]
}

function atLeast(results: Results, name: string, operation: Operation, others: string[], factor: number): Claim {
  const ratios = others.flatMap(other => ratioOf(results, 'palimpsest', other, operation) ?? [])
  const target = `≥ ${factor} ×`
  if (ratios.length === 0) return { name, measured: 'not measured', target, held: null }
  const ratio = Math.min(...ratios)
  return { name, measured: `${ratio.toPrecision(3)} ×`, target, held: ratio >= factor }
}

function memory({ targets }: Results): Claim {
  const most = targets.palimpsest?.memory?.most
  return limit('Memory of the process, at most while measured', most, MOST_MEGABYTES, 'MB')
}

function bytes({ targets }: Results): Claim {
  const { bytesPerEntry, textBytesPerEntry } = targets.palimpsest ?? {}
  const share = bytesPerEntry === undefined ? undefined : bytesPerEntry / (textBytesPerEntry ?? Number.NaN)
  return limit('Bytes on disk for each byte of text, search index included', share, MOST_BYTES, '×')
}

/** A claim that a figure stays below a limit. */
export const limit = (name: string, figure: number | undefined, most: number, unit: string): Claim => ({
  name,
  measured: figure === undefined ? 'not measured' : `${figure.toPrecision(3)} ${unit}`,
  target: `≤ ${most} ${unit}`,
  held: figure === undefined ? null : figure <= most,
})
