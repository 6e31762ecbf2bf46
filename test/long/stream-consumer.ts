import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { createClient } from '../../src/client/index.ts'

/** Stores the feed in a file, one line per row, and continues after the last complete line, as consumers should. */
const [baseUrl = '', file = ''] = process.argv.slice(2)
const kept = existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : []
const after = kept.at(-1)?.split(' ')[0] ?? '0'
for await (const { sequence, id } of createClient({ baseUrl }).watchActivity({ after })) {
  appendFileSync(file, `${sequence} ${id}\n`)
}
