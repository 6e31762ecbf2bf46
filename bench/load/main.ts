import { createCorpus } from '../corpus.ts'
import { seeded } from '../seeded.ts'
import type { Connection, Driver, Loaded, Order, Request } from './order.ts'

/** A process that receives orders as messages, loads targets, and answers each order with its result. */
const SHARES = { S: 0.05, W: 0.05 }
const PROGRESS_EVERY = 1_000
const MIX_SEED = 7

/** Seconds that a target may take beyond those of the order. Above them it counts as hung, and the run continues without it. */
const PATIENCE = 180
const LONGEST = 86_400

process.on('message', (order: Order) => {
  within(order, run(order)).then(
    loaded => process.send?.({ loaded }),
    (error: Error) => process.send?.({ error: error.stack }),
  )
})
process.on('disconnect', () => process.exit())

async function within(order: Order, loaded: Promise<Loaded>): Promise<Loaded> {
  const seconds = Math.min(order.seconds, LONGEST) + PATIENCE
  let timer: NodeJS.Timeout | undefined
  const stuck = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Not answered within ${seconds} s.`)), 1_000 * seconds)
  })
  return Promise.race([loaded, stuck]).finally(() => clearTimeout(timer))
}

async function run(order: Order): Promise<Loaded> {
  const { situation, operation, seconds, count } = order
  const driver = (await import(`./drivers/${situation.driver}.ts`)) as Driver
  const textOf = 'WUM'.includes(operation) ? await createCorpus() : undefined
  let number = order.from
  const next = () => {
    if (textOf === undefined) throw new Error(`${operation} writes nothing.`)
    return textOf(number++)
  }
  const connections = await Promise.all(
    Array.from({ length: order.connections }, (_, at) => driver.connect(situation, { number: at, next, operation })),
  )
  try {
    const request = requester(operation, order.shares)
    return await measure(connections, request, seconds, count)
  } finally {
    for (const connection of connections) connection.close()
  }
}

async function measure(
  connections: Connection[],
  request: (connection: Connection) => Promise<void>,
  seconds: number,
  count: number,
): Promise<Loaded> {
  const times: number[] = []
  const used = process.cpuUsage()
  const began = performance.now()
  const until = began + 1_000 * seconds
  let sent = 0
  await Promise.all(
    connections.map(async connection => {
      let start = performance.now()
      while (start < until && sent < count) {
        sent += 1
        await request(connection)
        const end = performance.now()
        times.push(end - start)
        start = end
        if (times.length % PROGRESS_EVERY === 0) process.send?.({ progress: times.length })
      }
    }),
  )
  const took = (performance.now() - began) / 1_000
  const { user, system } = process.cpuUsage(used)
  times.sort((a, b) => a - b)
  const at = (share: number): number => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0
  return {
    count: times.length,
    perSecond: times.length / took,
    p50: at(0.5),
    p99: at(0.99),
    busy: (user + system) / 1e6 / took,
  }
}

function requester(operation: Order['operation'], shares = SHARES): (connection: Connection) => Promise<void> {
  const send = (connection: Connection, request: Request): Promise<void> => {
    const sending = connection[request]
    if (sending === undefined) throw new Error(`This target has no ${request}.`)
    return sending()
  }
  if (operation !== 'M') return connection => send(connection, operation)
  const random = seeded(MIX_SEED)
  return connection => {
    const chance = random()
    if (chance < shares.W) return send(connection, 'W')
    return send(connection, chance < shares.W + shares.S ? 'S' : 'R')
  }
}
