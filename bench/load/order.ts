/** What is measured: read one · list the 20 newest · search · create durably · revise · a mix of 90 R, 5 S, 5 W. */
export const OPERATIONS = ['R', 'L', 'S', 'W', 'U', 'M'] as const
export type Operation = (typeof OPERATIONS)[number]
/** An operation that is one request; GET asks for the addresses of the situation in their order. */
export type Request = Exclude<Operation, 'M'> | 'GET'

/** What a driver needs to know of a running target, as plain data: it crosses to the loading process. */
export type Situation = {
  /** The driver that speaks to it: the name of a file in bench/load/drivers. */
  driver: string
  urls: string[]
  /** Addresses of entries that are there, in the target's own words. */
  addresses: string[]
  /** Words to search for. */
  words: string[]
  /** Credentials, one per actor. */
  tokens: string[]
  /** Where the target's packages lie, for a driver that needs them. */
  installed?: string
}

/** What a loading process is told: to send `count` requests, for `seconds` at most, over so many connections spread over the urls. */
export type Order = {
  situation: Situation
  operation: Operation | 'GET'
  connections: number
  seconds: number
  count: number
  /** The corpus from this number on is what is created. */
  from: number
}

/** What came of it; times in milliseconds. Everything was answered as it should be. `busy` is the share of one core that loading took. */
export type Loaded = { count: number; perSecond: number; p50: number; p99: number; busy: number }

/** One connection of a driver: each function sends one request and rejects when the answer is not what it should be. */
export type Connection = Partial<Record<Request, () => Promise<void>>> & { close(): void }
export type ConnectOptions = {
  /** From 0; connections share nothing but the store. */
  number: number
  /** The next entry to create, never the same twice. */
  next(): import('../corpus.ts').Text
  operation: Operation | 'GET'
}
export type Driver = { connect(situation: Situation, options: ConnectOptions): Promise<Connection> }
