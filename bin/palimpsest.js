#!/usr/bin/env node
// biome-ignore-all lint/style/useNodejsImportProtocol: the oldest of them do not know it.
// Parsed by Node 12 and later: an old Node looks for a new one beside this package and hands over to it.
import { existsSync } from 'fs'
import module, { createRequire } from 'module'
import { dirname, join } from 'path'
import { fileURLToPath } from 'url'

const NEEDED = [24, 15]
const HANDED_ON = ['SIGTERM', 'SIGINT', 'SIGHUP']
/** The program: the sources of a checkout, or what the package has in their place (scripts/build-program.ts). */
const [SOURCES, PACKED] = ['../src/main.ts', '../lib/main.js'].map(path => new URL(path, import.meta.url))
const IS_PACKED = !existsSync(fileURLToPath(SOURCES)) && existsSync(fileURLToPath(PACKED))

const [major, minor] = process.versions.node.split('.').map(Number)
if (major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1])) {
  keepCompiled()
  import((IS_PACKED ? PACKED : SOURCES).href)
} else {
  const node = bundledNode()
  if (node === undefined || node === process.execPath) refuse()
  else handOver(node)
}

/** Keeps what Node compiled beside the package, where it may be written: the next start takes half the time. */
function keepCompiled() {
  const directory = fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url))
  if (!process.env.NODE_COMPILE_CACHE) process.env.NODE_COMPILE_CACHE = directory
  module.enableCompileCache(process.env.NODE_COMPILE_CACHE)
}

/** The Node that "npm ci" installs in a checkout (scripts/node), if it is there. A published package has none. */
function bundledNode() {
  try {
    const manifest = createRequire(import.meta.url).resolve(`node-${process.platform}-${process.arch}/package.json`)
    return join(dirname(manifest), 'bin', 'node')
  } catch (error) {
    if (error.code === 'MODULE_NOT_FOUND') return undefined
    throw error
  }
}

function refuse() {
  const checkout = dirname(dirname(fileURLToPath(import.meta.url)))
  const remedy = IS_PACKED ? ' and run the command again' : `, or run "npm ci" in ${checkout}`
  process.stderr.write(
    `palimpsest needs Node ${NEEDED.join('.')} or newer and this is ${process.versions.node}; install Node 24 from https://nodejs.org${remedy}.\n`,
  )
  process.exitCode = 1
}

/** Runs the same command under another Node, as if it were this process: its streams, signals and exit. */
async function handOver(node) {
  const { spawn } = await import('child_process')
  const child = spawn(node, process.argv.slice(1), { stdio: 'inherit' })
  const handOn = HANDED_ON.map(signal => {
    const listener = () => child.kill(signal)
    process.on(signal, listener)
    return () => process.removeListener(signal, listener)
  })
  child.on('error', error => {
    process.stderr.write(
      `palimpsest cannot run ${node} (${error.message}); run "npm ci" again, or install Node ${NEEDED.join('.')} or newer.\n`,
    )
    process.exitCode = 1
  })
  child.on('exit', (code, signal) => {
    for (const stop of handOn) stop()
    if (signal === null) process.exitCode = code
    else process.kill(process.pid, signal)
  })
}
