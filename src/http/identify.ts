import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import ipaddr from 'ipaddr.js'
import type { Network } from '../config.ts'
import { OPERATIONS, type Operation, type OperationName } from '../contract/operations.ts'
import { Problem } from '../contract/problem.ts'
import type { Awaitable } from '../engine/database.ts'
import { findActorByToken, type OriginKeys } from '../memory/actors/rows.ts'
import { isToken, TOKEN_CHARACTERS, tokenHash } from '../memory/actors/rules.ts'
import { LruCache } from '../memory/lru-cache.ts'
import type { RemoteCaller } from '../memory/operation.ts'
import type { Store } from '../memory/store.ts'
import { DAY, SHORT_DIGEST_CHARACTERS } from '../memory/values.ts'
import type { Exchange } from './exchange.ts'

const IPV6_PREFIX_BYTES = 8
const VOICE_PREFIX_DIGITS = 12
/** The maximum number of networks whose keys are cached, and of addresses whose keys are cached. */
const REMEMBERED_MAX = 50_000
/** Longer pairs of an address and an X-Forwarded-For field are parsed at each request. */
const REMEMBERED_CHARACTERS = 200

/** The ranges of addresses from which a proxy of the operator connects. */
const INTERNAL = new Set(['loopback', 'private', 'uniqueLocal', 'linkLocal'])

let today = { number: -1, name: '' }

/** The UTC day of a time in milliseconds, as `2026-11-21`. */
export function dayOf(at: number): string {
  const number = Math.floor(at / DAY)
  if (number !== today.number) today = { number, name: new Date(at).toISOString().slice(0, 10) }
  return today.name
}

/**
 * Returns the network of a request. IPv4-mapped addresses are unmapped, and IPv6 addresses are cut to /64. X-Forwarded-For is used only if
 * the peer is a trusted proxy: then the address is the rightmost entry that is not a trusted proxy.
 */
export function networkOf(peer: string, forwardedFor: string | undefined, proxies: readonly Network[]): string {
  let client = parse(peer)
  const hops = forwardedFor === undefined ? [] : forwardedFor.split(',')
  while (client !== undefined && isTrusted(client, proxies) && hops.length > 0) {
    const next = parse((hops.pop() ?? '').trim())
    if (next === undefined) break
    client = next
  }
  if (client === undefined) return 'unknown'
  if (client.kind() === 'ipv4') return client.toString()
  return `${Buffer.from(client.toByteArray().slice(0, IPV6_PREFIX_BYTES)).toString('hex')}/64`
}

/** The network that counts as one voice: the /48 of an IPv6 network, because one customer has all of it. */
const voiceNetworkOf = (network: string): string =>
  network.endsWith('/64') ? `${network.slice(0, VOICE_PREFIX_DIGITS)}/48` : network

function parse(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const bare = text
    .replace(/^\[(.*)\](?::\d+)?$/, '$1')
    .replace(/^([\d.]+):\d+$/, '$1')
    .replace(/%.*$/, '')
  return ipaddr.isValid(bare) ? ipaddr.process(bare) : undefined
}

const isTrusted = (address: ipaddr.IPv4 | ipaddr.IPv6, proxies: readonly Network[]): boolean =>
  proxies.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits))

/** The parts of a request that determine its origin. */
type Peer = { socket: { remoteAddress?: string | undefined }; headers: IncomingHttpHeaders }

const digest = (key: string, text: string): string =>
  createHmac('sha256', key).update(text).digest('base64url').slice(0, SHORT_DIGEST_CHARACTERS)

/**
 * Computes the origins of requests, as digests that do not contain addresses: the fingerprint of the day, from the salt of the day and the
 * permanent key, and the permanent digest for blocks and limits.
 */
export class Origins {
  readonly #originKey: () => string
  readonly #proxies: readonly Network[]
  readonly #saltOf: (day: string) => Promise<string>
  #salts = new Map<string, string>()
  readonly #keys = new LruCache<string, OriginKeys>(REMEMBERED_MAX)
  /** The keys of the networks of addresses, with the number of their day. */
  readonly #known = new LruCache<string, { day: number; keys: OriginKeys }>(REMEMBERED_MAX)
  readonly #onUntrustedProxy: () => void
  #sawUntrustedProxy = false

  /** `saltOf` returns the salt of a day, which is made once. `onUntrustedProxy` is called once. */
  constructor(
    originKey: () => string,
    proxies: readonly Network[],
    saltOf: (day: string) => Promise<string>,
    onUntrustedProxy: () => void,
  ) {
    this.#onUntrustedProxy = onUntrustedProxy
    this.#originKey = originKey
    this.#proxies = proxies
    this.#saltOf = saltOf
  }

  /** Whether a peer at a loopback or private address sent X-Forwarded-For and is not a trusted proxy. */
  get sawUntrustedProxy(): boolean {
    return this.#sawUntrustedProxy
  }

  originOf(request: Peer, at: number): Awaitable<OriginKeys> {
    const { socket, headers } = request
    const peer = socket.remoteAddress ?? ''
    const field = headers['x-forwarded-for']
    if (field !== undefined && this.#proxies.length === 0) this.#noteProxy(peer)
    // Without proxies the peer alone determines the network.
    const forwarded = this.#proxies.length === 0 ? undefined : Array.isArray(field) ? field.join(',') : field
    const address = forwarded === undefined ? peer : `${peer} ${forwarded}`
    const known = this.#known.get(address)
    if (known?.day === Math.floor(at / DAY)) return known.keys
    if (forwarded !== undefined) this.#noteProxy(peer)
    return this.#find(address, networkOf(peer, forwarded, this.#proxies), at)
  }

  /** Returns the digest function of a day; undefined without its salt. Digests cannot be recomputed after the salt is deleted. */
  digestOfDay(day: string): ((text: string) => string) | undefined {
    const salt = this.#salts.get(day)
    return salt === undefined ? undefined : text => this.#dailyDigest(salt, text)
  }

  /** Loads the salt of a day. */
  async openDay(day: string): Promise<void> {
    await this.#openSalt(day)
  }

  async #openSalt(day: string): Promise<string> {
    const salt = this.#salts.get(day) ?? (await this.#saltOf(day))
    // Only the salt of today is needed and, shortly before midnight, that of tomorrow.
    this.#salts = new Map([...this.#salts].slice(-1)).set(day, salt)
    return salt
  }

  /** Finds or makes the keys of a network, and remembers them for its address. */
  #find(address: string, network: string, at: number): Awaitable<OriginKeys> {
    const day = dayOf(at)
    const made = this.#keys.get(network)
    const keys = made?.day === day ? made : this.#makeKeys(network, day)
    if (!(keys instanceof Promise) && address.length <= REMEMBERED_CHARACTERS)
      this.#known.set(address, { day: Math.floor(at / DAY), keys })
    return keys
  }

  #noteProxy(peer: string): void {
    if (this.#sawUntrustedProxy) return
    const address = parse(peer)
    if (address === undefined || !INTERNAL.has(address.range()) || isTrusted(address, this.#proxies)) return
    this.#sawUntrustedProxy = true
    this.#onUntrustedProxy()
  }

  async #makeKeys(network: string, day: string): Promise<OriginKeys> {
    const salt = this.#salts.get(day) ?? (await this.#openSalt(day))
    const id = this.#dailyDigest(salt, network)
    const networkKey = digest(this.#originKey(), network)
    const wider = voiceNetworkOf(network)
    const keys: OriginKeys =
      wider === network
        ? { id, day, networkKey, voice: id }
        : { id, day, networkKey, widerKey: digest(this.#originKey(), wider), voice: this.#dailyDigest(salt, wider) }
    this.#keys.set(network, keys)
    return keys
  }

  #dailyDigest(salt: string, text: string): string {
    return digest(`${this.#originKey()} ${salt}`, text)
  }
}

/** The maximum number of tokens whose actors are cached. */
const TOKENS_MAX = 2_000

/** Finds the actors of tokens. Caches each until the next commit, which may replace its token. */
export class TokenHolders {
  readonly #store: Pick<Store, 'reader' | 'knownCommits'>
  readonly #known = new LruCache<string, { commits: bigint; actor: number }>(TOKENS_MAX)

  constructor(store: Pick<Store, 'reader' | 'knownCommits'>) {
    this.#store = store
  }

  /**
   * Returns the hash of a token; undefined if the text is no token. The checksum detects a mistyped one without a look-up. It takes as long
   * as the hash, so a token whose hash is known is not checked.
   */
  hashOf(text: string): string | undefined {
    if (text.length !== TOKEN_CHARACTERS) return undefined
    const hash = tokenHash(text)
    return this.#known.get(hash) !== undefined || isToken(text) ? hash : undefined
  }

  /** Returns the number of the actor whose token has this hash; null if there is none. */
  find(tokenHash: string): Awaitable<number | null> {
    const commits = this.#store.knownCommits()
    const known = this.#known.get(tokenHash)
    if (known !== undefined && known.commits === commits) return known.actor
    const finding = findActorByToken(this.#store.reader, tokenHash)
    if (finding instanceof Promise) return finding.then(holder => holder?.number ?? null)
    const actor = finding?.number ?? null
    if (commits !== undefined && actor !== null) this.#known.set(tokenHash, { commits, actor })
    return actor
  }
}

/** Parts of the server that identify callers. Only the original of a mirror knows tokens. */
export type Identifying = {
  store: Pick<Store, 'original'>
  origins: Origins
  holders: TokenHolders
  now: () => number
}

const NO_ORIGIN: OriginKeys = { id: '', day: '', networkKey: '', voice: '' }

/** Finds the origin of a request and the actor of its token. The caller of a free operation is not identified. */
export function identify(parts: Identifying, name: OperationName, exchange: Exchange): Awaitable<RemoteCaller> {
  const { store, origins, holders, now } = parts
  const { id: requestId, headers, request } = exchange
  const at = now()
  const operation: Operation = OPERATIONS[name]
  const origin = operation.cost === 'free' ? NO_ORIGIN : origins.originOf(request, at)
  const token = headers['x-actor-token']
  const sent = { requestId, at, userAgent: headers['user-agent'] ?? '' }
  const hash = typeof token === 'string' && takesToken(store, operation) ? holders.hashOf(token) : undefined
  const actor = hash === undefined ? null : holders.find(hash)
  return origin instanceof Promise || actor instanceof Promise
    ? identifyLater(sent, Promise.all([origin, actor]), hash)
    : { ...sent, origin, actor, tokenHash: hash }
}

async function identifyLater(
  sent: Pick<RemoteCaller, 'requestId' | 'at' | 'userAgent'>,
  finding: Promise<[OriginKeys, number | null]>,
  tokenHash: string | undefined,
): Promise<RemoteCaller> {
  const [origin, actor] = await finding
  return { ...sent, origin, actor, tokenHash }
}

/** Whether the token of a request is read. A mirror knows no tokens. */
export const takesToken = ({ original }: Pick<Store, 'original'>, { cost, access }: Operation): boolean =>
  cost !== 'free' && access !== 'admin' && original === undefined

/** Checks Authorization headers against the admin token in constant time. */
export class AdminCheck {
  readonly #expected: () => string

  /** `expected` returns the SHA-256 of the admin token in hex. */
  constructor(expected: () => string) {
    this.#expected = expected
  }

  isAdmin(header: string | undefined): boolean {
    return this.#matches(credentialOf(header) ?? '')
  }

  /** Throws ADMIN_TOKEN_REQUIRED or ADMIN_TOKEN_INVALID. */
  assertAdmin(header: string | undefined): void {
    const credential = credentialOf(header)
    if (credential === undefined) throw new Problem('ADMIN_TOKEN_REQUIRED')
    if (!this.#matches(credential)) throw new Problem('ADMIN_TOKEN_INVALID')
  }

  #matches(credential: string): boolean {
    return timingSafeEqual(hash('sha256', credential, 'buffer'), Buffer.from(this.#expected(), 'hex'))
  }
}

const credentialOf = (header: string | undefined): string | undefined => /^Bearer +(\S+) *$/i.exec(header ?? '')?.[1]
