import { createCorpus } from '../corpus.ts'
import { quantile, seeded } from '../numbers.ts'
import type { Connection, Driver, Loaded, Order, Request } from './order.ts'

/** A process that receives orders as messages, loads targets, and answers each order with its result. */
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

async function within({ seconds = LONGEST }: Order, loaded: Promise<Loaded>): Promise<Loaded> {
  const most = seconds + PATIENCE
  let timer: NodeJS.Timeout | undefined
  const stuck = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Not answered within ${most} s.`)), 1_000 * most)
  })
  return Promise.race([loaded, stuck]).finally(() => clearTimeout(timer))
}

async function run(order: Order): Promise<Loaded> {
  const { situation, operation } = order
  const driver = (await import(`./drivers/${situation.driver}.ts`)) as Driver
  const textOf = 'WUM'.includes(operation) ? await createCorpus() : undefined
  let number = order.from ?? 0
  const next = () => {
    if (textOf === undefined) throw new Error(`${operation} writes nothing.`)
    return textOf(number++)
  }
  const connections = await Promise.all(
    Array.from({ length: order.connections }, (_, at) => driver.connect(situation, { number: at, next, operation })),
  )
  try {
    return await measure(connections, order)
  } finally {
    for (const connection of connections) connection.close()
  }
}

async function measure(
  connections: Connection[],
  { operation, seconds = LONGEST, count = Number.POSITIVE_INFINITY }: Order,
): Promise<Loaded> {
  const request = requester(operation)
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
  return {
    count: times.length,
    perSecond: times.length / took,
    p50: quantile(times, 0.5) ?? 0,
    p99: quantile(times, 0.99) ?? 0,
    busy: (user + system) / 1e6 / took,
  }
}

function requester(operation: Order['operation']): (connection: Connection) => Promise<void> {
  const send = (connection: Connection, request: Request): Promise<void> => {
    const sending = connection[request]
    if (sending === undefined) throw new Error(`This target has no ${request}.`)
    return sending()
  }
  if (operation !== 'M') return connection => send(connection, operation)
  const random = seeded(MIX_SEED)
  return connection => {
    const chance = random()
    if (chance < 0.05) return send(connection, 'W')
    return send(connection, chance < 0.1 ? 'S' : 'R')
  }
}
