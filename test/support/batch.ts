import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'node:test'
import { pathToFileURL } from 'node:url'
import { atEnd } from './at-end.ts'
// Loaded before the files, so that its hooks run after all of theirs.
import './children.ts'

const ROOT = join(import.meta.dirname, '../..')

/**
 * Runs test files one after another in this process, each as a suite named by the file and the engine, and writes the file `done` after the
 * last one.
 */
export function runBatch(files: readonly string[], engine: string, done: string): void {
  atEnd(() => writeFileSync(done, ''))
  for (const file of files) suite(`${file} (${engine})`, () => import(pathToFileURL(join(ROOT, file)).href))
}
