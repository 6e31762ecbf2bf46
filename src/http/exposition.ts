import type { Registry } from 'prom-client'

/** A number under its labels; `metricName` where it is not that of its family. */
export type Sample = { metricName?: string; labels: Record<string, string>; value: number }
/** What has one name, one sentence of help and one type. */
export type Family = { name: string; help: string; type: 'counter' | 'gauge' | 'histogram'; values: Sample[] }

/** The metrics of the process: memory, processor, garbage, event loop. Loaded by the first who asks, so that a start does not wait for it. */
let ofProcess: Promise<{ Registry: new () => Registry; standard: Registry }> | undefined

const load = async () => {
  const { collectDefaultMetrics, Registry } = await import('prom-client')
  const standard = new Registry()
  collectDefaultMetrics({ register: standard })
  return { Registry, standard }
}

/** Families, and those of the process, in the text format of Prometheus. */
export async function exposition(families: readonly Family[]): Promise<{ type: string; body: string }> {
  ofProcess ??= load()
  const { Registry, standard } = await ofProcess
  const own = new Registry()
  // The registry asks a metric for its values only: ours are counted elsewhere, at less cost for each request.
  for (const family of families) own.registerMetric({ ...family, get: async () => family } as never)
  return { type: own.contentType, body: `${await own.metrics()}\n${await standard.metrics()}` }
}
