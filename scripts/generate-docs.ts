import { writeFileSync } from 'node:fs'
import { GENERATED_DOCS } from './docs.ts'

/** Writes the documents that are made from the code; a test compares them with what is committed. */
for (const [path, text] of Object.entries(GENERATED_DOCS)) {
  writeFileSync(new URL(`../${path}`, import.meta.url), text())
  process.stdout.write(`${path}\n`)
}
