import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/** Wraps text at words. The package compiles the table of all emoji, so the first text to wrap loads it. */
export const wrapText: typeof import('wrap-ansi').default = (text, columns, options) =>
  (require('wrap-ansi') as typeof import('wrap-ansi')).default(text, columns, options)
