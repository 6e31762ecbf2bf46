import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'node:test'
import { pathToFileURL } from 'node:url'
import { atEnd } from './at-end.ts'
// Imported before the test files, so that its hooks run after all of their hooks.
import './children.ts'

const ROOT = join(import.meta.dirname, '../..')

/**
 * Runs test files one after another in this process, each as a suite named after the file and the engine. Writes the file `done` after the
 * last one.
 */
export function runBatch(files: readonly string[], engine: string, done: string): void {
  atEnd(() => writeFileSync(done, ''))
  for (const file of files) suite(`${file} (${engine})`, () => import(pathToFileURL(join(ROOT, file)).href))
}
