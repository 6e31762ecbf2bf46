/** The measured operations: read one · list the 20 newest · search · create durably · revise · a mix of 90 R, 5 S, 5 W. */
export const OPERATIONS = ['R', 'L', 'S', 'W', 'U', 'M'] as const
export type Operation = (typeof OPERATIONS)[number]
/** An operation of one request; GET requests the addresses of the situation in their order. */
export type Request = Exclude<Operation, 'M'> | 'GET'

/** A running target as plain data, which is sent to the loading process. */
export type Situation = {
  /** The driver that speaks to it: the name of a file in bench/load/drivers. */
  driver: string
  urls: string[]
  /** Addresses of existing entries, in the form of the target. */
  addresses: string[]
  /** Words to search for. */
  words: string[]
  /** Credentials, one per actor. */
  tokens: string[]
  /** The directory of the target's packages, for a driver that needs them. */
  installed?: string
}

/** An order to a loading process: send `count` requests, for `seconds` at most, over `connections` connections spread over the urls. */
export type Order = {
  situation: Situation
  operation: Operation | 'GET'
  connections: number
  seconds: number
  count: number
  /** The number of the first created text of the corpus. */
  from: number
  /** The shares of searches and of writes in the mix M, if they are not 5 % each. */
  shares?: { S: number; W: number }
}

/** The result of an order without failures; times in milliseconds. `busy` is the share of one core that loading took. */
export type Loaded = { count: number; perSecond: number; p50: number; p99: number; busy: number }

/** One connection of a driver: each function sends one request and rejects on an unexpected answer. */
export type Connection = Partial<Record<Request, () => Promise<void>>> & { close(): void }
export type ConnectOptions = {
  /** From 0; connections share nothing but the store. */
  number: number
  /** The next entry to create, never the same twice. */
  next(): import('../corpus.ts').Text
  operation: Operation | 'GET'
}
export type Driver = { connect(situation: Situation, options: ConnectOptions): Promise<Connection> }
