import { runCommandLine } from './cli/run.ts'

await runCommandLine(process.argv.slice(2), process.env)
