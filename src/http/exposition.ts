import type { Registry } from 'prom-client'

/** A number with its labels; `metricName` if it differs from the name of its family. */
export type Sample = { metricName?: string; labels: Record<string, string>; value: number }
/** A metric family: one name, one sentence of help, one type. */
export type Family = { name: string; help: string; type: 'counter' | 'gauge' | 'histogram'; values: Sample[] }

/** The metrics of the process: memory, processor, garbage collection, event loop. Loaded by the first request, so that a start does not wait for it. */
let ofProcess: Promise<{ Registry: new () => Registry; standard: Registry }> | undefined

const load = async () => {
  const { collectDefaultMetrics, Registry } = await import('prom-client')
  const standard = new Registry()
  collectDefaultMetrics({ register: standard })
  return { Registry, standard }
}

/** The given families, and those of the process, in the text format of Prometheus. */
export async function exposition(families: readonly Family[]): Promise<{ type: string; body: string }> {
  ofProcess ??= load()
  const { Registry, standard } = await ofProcess
  const own = new Registry()
  // The registry only reads the values. The counters themselves are elsewhere, at less cost for each request.
  for (const family of families) own.registerMetric({ ...family, get: async () => family } as never)
  return { type: own.contentType, body: `${await own.metrics()}\n${await standard.metrics()}` }
}
