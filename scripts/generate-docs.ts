import { writeFileSync } from 'node:fs'
import { GENERATED_DOCS } from './docs.ts'

/** Writes the documents that are generated from the code. A test compares them with the committed ones. */
for (const [path, text] of Object.entries(GENERATED_DOCS)) {
  writeFileSync(new URL(`../${path}`, import.meta.url), text())
  process.stdout.write(`${path}\n`)
}
