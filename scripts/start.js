// `npm start`: serves with the settings of V8 and of the allocator that deploy/ uses, on every system.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const FLAGS = ['--max-semi-space-size=8', '--max-old-space-size=1024']
/** Interval between two checks of the parent process, in milliseconds. */
const PARENT_INTERVAL = 200
const launcher = fileURLToPath(new URL('../bin/palimpsest.js', import.meta.url))
const args = [...FLAGS, launcher, 'serve', ...process.argv.slice(2)]

// glibc reads the variable when a process starts, so the server runs in a separate process.
const env = { MALLOC_ARENA_MAX: '2', ...process.env }
const server = spawn(process.execPath, args, { stdio: 'inherit', env })
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => server.kill(signal))

// A signal may end a shell between npm and this process without reaching this process. This process then has another parent.
const parent = process.ppid
const watch = setInterval(() => {
  if (process.ppid !== parent) server.kill('SIGTERM')
}, PARENT_INTERVAL)
server.on('exit', (code, signal) => {
  clearInterval(watch)
  process.exitCode = code ?? (signal === null ? 1 : 128)
})
