import assert from 'node:assert/strict'
import { Agent, get } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'

/** The address of the client that reads. */
const FROM = '127.0.0.3'
const INTERVAL = 10

type Over = 'one' | 'new'

/** Measures the times of /health of a service for `milliseconds`, in milliseconds: over one connection, or over a new connection each. */
export const timesOfHealth = (url: string, milliseconds: number, over?: Over): Promise<number[]> =>
  timesOf(`${url}/health`, milliseconds, over)

/** The same for any address. */
export async function timesOf(address: string, milliseconds: number, over: Over = 'one'): Promise<number[]> {
  const agent = new Agent({ keepAlive: over === 'one', maxSockets: 1, localAddress: FROM })
  const times: number[] = []
  const until = performance.now() + milliseconds
  while (performance.now() < until) {
    const began = performance.now()
    await new Promise<void>((resolve, reject) => {
      get(address, { agent }, response => {
        assert.equal(response.statusCode, 200)
        response.resume().once('end', resolve)
      }).once('error', reject)
    })
    times.push(performance.now() - began)
    await pause(INTERVAL)
  }
  agent.destroy()
  return times
}
