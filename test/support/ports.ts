import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** Below the range of ephemeral ports, so that the system does not assign such a port between the probe and its use. */
const FIRST = 20_000
const LAST = 31_999

/** A port on loopback on which no process listens. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, LAST + 1)
    if (await isFree(port)) return port
  }
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(false) : reject(error),
    )
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })
