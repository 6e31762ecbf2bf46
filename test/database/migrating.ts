import { migrate } from '../../src/engine/migrate.ts'
import { openSqlite } from '../../src/engine/sqlite.ts'
import { STEPS } from './migrating-steps.ts'

/** A process that migrates the store at its first argument, and kills itself in the step whose number is its second. */
const [path = '', crashAt] = process.argv.slice(2)
const connection = openSqlite(path, 'write')
connection.raw.function('crash', number => {
  if (String(number) === crashAt) process.kill(process.pid, 'SIGKILL')
  return 0
})
migrate(connection, 1, STEPS)
connection.close()
