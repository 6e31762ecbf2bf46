import type { Text } from '../corpus.ts'

/** The measured operations: read one · list the 20 newest · search · create durably · revise · a mix of 90 R, 5 S, 5 W. */
export const OPERATIONS = ['R', 'L', 'S', 'W', 'U', 'M'] as const
export type Operation = (typeof OPERATIONS)[number]
/** An operation that consists of one request. GET requests the addresses of the situation in their order. */
export type Request = Exclude<Operation, 'M'> | 'GET'

/** A running target as plain data for the loading process. */
export type Situation = {
  /** The driver for the target: the name of a file in bench/load/drivers. */
  driver: string
  urls: string[]
  /** Addresses of existing entries, in the form of the target. */
  addresses: string[]
  /** Words to search for. */
  words?: string[]
  /** Header lines that each GET sends, each ended by CR LF, and the status of its answer: 200 if none is given. */
  fields?: string
  status?: number
  /** Credentials, one per actor. */
  tokens?: string[]
}

/** An order to a loading process: send `count` requests, for at most `seconds`, over `connections` connections spread over the urls. */
export type Order = {
  situation: Situation
  operation: Operation | 'GET'
  connections: number
  /** Without a limit by default. */
  seconds?: number | undefined
  count?: number
  /** The number of the first created text of the corpus; 0 by default. */
  from?: number
}

/** The result of an order without failures. Times are in milliseconds. `busy` is the share of one core that the load used. */
export type Loaded = { count: number; perSecond: number; p50: number; p99: number; busy: number }

/** One connection of a driver. Each function sends one request and rejects on an unexpected answer. */
export type Connection = Partial<Record<Request, () => Promise<void>>> & { close(): void }
export type ConnectOptions = {
  /** Number of the connection, from 0. Connections share only the store. */
  number: number
  /** Returns the next entry to create. Never returns the same entry twice. */
  next(): Text
  operation: Operation | 'GET'
}
export type Driver = { connect(situation: Situation, options: ConnectOptions): Promise<Connection> }
