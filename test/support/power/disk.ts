import { mkdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { seededRandom } from '../random.ts'
import type { Call } from './trace.ts'

type Random = ReturnType<typeof seededRandom>

/** A change of a file since its last sync. */
type Change = { done: boolean } & ({ at: number; bytes: Buffer } | { length: number })
type File = { kind: 'file'; durable: Buffer; end: number; pending: Change[] }
/** A change of the entries of a directory. An entry is removed if `node` is undefined. */
type Naming = { done: boolean; names: [string, Node | undefined][] }
type Directory = { kind: 'directory'; durable: Map<string, Node>; now: Map<string, Node>; pending: Naming[] }
type Node = File | Directory

/** Which unsynced changes survive a cut. */
export const WAYS = ['none', 'all', 'prefix', 'subset', 'torn', 'torn pages'] as const
export type Way = (typeof WAYS)[number]

const newDirectory = (): Directory => ({ kind: 'directory', durable: new Map(), now: new Map(), pending: [] })

/**
 * A disk that records which data under `root` a sync has made durable and which may still be lost. Directories are files too: a file may
 * have no name after a cut if its directory was not synced.
 */
export function createDisk(root: string) {
  const top = newDirectory()
  const find = (path: string): Node | undefined => {
    let node: Node | undefined = top
    for (const name of path.slice(root.length).split('/').filter(Boolean)) {
      node = node?.kind === 'directory' ? node.now.get(name) : undefined
    }
    return node
  }
  const parentOf = (path: string): Directory => {
    const parent = find(dirname(path))
    if (parent?.kind !== 'directory') throw new Error(`The directory of ${path} was not created.`)
    return parent
  }
  const name = (path: string, node: Node | undefined, more: Naming['names'] = []): Naming => {
    const parent = parentOf(path)
    const naming: Naming = { done: true, names: [[basename(path), node], ...more] }
    for (const [one, what] of naming.names) {
      if (what === undefined) parent.now.delete(one)
      else parent.now.set(one, what)
    }
    parent.pending.push(naming)
    return naming
  }
  const fileAt = (path: string): File | undefined => {
    const node = find(path)
    return node?.kind === 'file' ? node : undefined
  }
  const change = (call: Extract<Call, { name: 'write' | 'truncate' }>): Change | undefined => {
    // Writes to a file without a name have no effect after a cut.
    const file = fileAt(call.path.replace(/ \(deleted\)$/, ''))
    if (file === undefined) return undefined
    if (call.name === 'truncate') return push(file, { done: false, length: call.length })
    const { at = file.end, bytes } = call
    file.end = at + bytes.length
    return push(file, { done: false, at, bytes })
  }
  return {
    /** Records the start of a call. Returns the function to call at its end. */
    begin(call: Call): () => void {
      const { path } = call
      if (call.failed) return () => {}
      if (call.name === 'create') {
        if (find(path) === undefined) name(path, { kind: 'file', durable: Buffer.alloc(0), end: 0, pending: [] })
        else if (call.emptied) throw new Error(`${path} is emptied when it is opened, which is not modelled.`)
      } else if (call.name === 'mkdir') name(path, newDirectory())
      else if (call.name === 'unlink') name(path, undefined)
      else if (call.name === 'rename' || call.name === 'link') {
        if (dirname(call.to) !== dirname(path)) throw new Error(`${path} changes its directory, which is not modelled.`)
        name(call.to, find(path), call.name === 'rename' ? [[basename(path), undefined]] : [])
      } else if (call.name === 'sync') return sync(find(path))
      else if (call.name === 'write' || call.name === 'truncate') {
        const made = change(call)
        return () => {
          if (made !== undefined) made.done = true
        }
      }
      return () => {}
    },
    /** Writes a possible state after a cut at this moment into a new directory. */
    leave(directory: string, way: Way, random: Random): void {
      leaveNode(top, directory, way, random)
    },
  }
}

function push(file: File, change: Change): Change {
  file.pending.push(change)
  return change
}

/** A sync that has ended makes everything durable that was done before it began. */
function sync(node: Node | undefined): () => void {
  if (node === undefined) return () => {}
  if (node.kind === 'directory') {
    const covered = new Set(node.pending)
    return () => {
      for (const naming of node.pending) if (covered.has(naming)) applyNaming(node.durable, naming)
      node.pending = node.pending.filter(naming => !covered.has(naming))
    }
  }
  const covered = new Set(node.pending.filter(({ done }) => done))
  return () => {
    for (const change of node.pending) if (covered.has(change)) node.durable = applied(node.durable, change)
    node.pending = node.pending.filter(change => !covered.has(change))
  }
}

function applyNaming(names: Map<string, Node>, naming: Naming): void {
  for (const [name, node] of naming.names) {
    if (node === undefined) names.delete(name)
    else names.set(name, node)
  }
}

/** The content with a change applied. May change the content in place. */
function applied(content: Buffer, change: Change): Buffer {
  if ('length' in change) {
    return change.length <= content.length
      ? content.subarray(0, change.length)
      : Buffer.concat([content, Buffer.alloc(change.length - content.length)])
  }
  const end = change.at + change.bytes.length
  const grown = end <= content.length ? content : Buffer.concat([content, Buffer.alloc(end - content.length)])
  change.bytes.copy(grown, change.at)
  return grown
}

const SECTOR = 512
const PAGE = 4_096

function leaveNode(node: Node, path: string, way: Way, random: Random): void {
  if (node.kind === 'file') {
    writeFileSync(path, contentAfter(node, way, random), { mode: 0o600 })
    return
  }
  mkdirSync(path, { mode: 0o700 })
  const names = new Map(node.durable)
  // File systems with a journal write the entries of a directory in order.
  const kept = way === 'none' ? 0 : way === 'all' ? node.pending.length : random.below(node.pending.length + 1)
  for (const naming of node.pending.slice(0, kept)) applyNaming(names, naming)
  for (const [name, child] of names) leaveNode(child, join(path, name), way, random)
}

function contentAfter({ durable, pending }: File, way: Way, random: Random): Buffer {
  let content: Buffer = Buffer.from(durable)
  const until = way === 'prefix' ? random.below(pending.length + 1) : pending.length
  for (const change of way === 'none' ? [] : pending.slice(0, until)) {
    if ((way === 'subset' || way.startsWith('torn')) && random.below(2) === 0) continue
    if (!way.startsWith('torn') || 'length' in change) content = applied(content, change)
    else {
      for (const part of tear(change, durable.length, way === 'torn' ? SECTOR : PAGE, random))
        content = applied(content, part)
    }
  }
  return content
}

/** After an interrupted write, some sectors are new, and the data past the end of the file are arbitrary. */
function tear({ at, bytes }: { at: number; bytes: Buffer }, end: number, sector: number, random: Random): Change[] {
  const parts: Change[] = []
  for (let from = 0; from < bytes.length; ) {
    const to = Math.min(bytes.length, from + sector - ((at + from) % sector))
    const luck = random.below(8)
    if (luck >= 3) parts.push({ done: true, at: at + from, bytes: bytes.subarray(from, to) })
    else if (luck === 0 && at + from >= end) {
      parts.push({ done: true, at: at + from, bytes: Buffer.alloc(to - from, random.below(256)) })
    }
    from = to
  }
  return parts
}
