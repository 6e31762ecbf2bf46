import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { createClient } from '../../src/client/index.ts'

/** A program that keeps the feed in a file, a line per row, and goes on after the last whole line: what consumers are told to be. */
const [baseUrl = '', file = ''] = process.argv.slice(2)
const kept = existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : []
const after = kept.at(-1)?.split(' ')[0] ?? '0'
for await (const { sequence, id } of createClient({ baseUrl }).watchActivity({ after })) {
  appendFileSync(file, `${sequence} ${id}\n`)
}
