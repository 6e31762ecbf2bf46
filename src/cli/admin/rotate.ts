import { existsSync } from 'node:fs'
import { OperatorError } from '../../operator-error.ts'
import { adminTokenFile, replaceSecret } from '../../secrets.ts'
import { prepareDataDirectory } from '../../stores/embedded/directory.ts'
import { replaceTokenDigest } from '../../stores/postgres/secrets.ts'
import { connectCommand } from '../../stores/postgres/session.ts'
import { EXIT, type Invocation } from '../command.ts'
import { databaseUrlOf, dataDirOf } from '../stores/snapshot.ts'

/** Replaces the admin token in its file, and with DATABASE_URL the digest that all nodes share. Prints the path of the file. */
export async function rotateAdminToken(invocation: Invocation): Promise<number> {
  const { env, stdout } = invocation
  const configured = ['ADMIN_TOKEN', 'ADMIN_TOKEN_FILE'].find(name => env[name] !== undefined)
  if (configured !== undefined)
    throw new OperatorError(`${configured} has the admin token: replace it there, and start the service again.`)
  const url = databaseUrlOf(invocation)
  const directory = url === undefined ? dataDirOf(invocation) : prepareDataDirectory(dataDirOf(invocation))
  const file = adminTokenFile(directory)
  if (url === undefined && !existsSync(file))
    throw new OperatorError(
      `There is no admin token in ${directory}; name the data directory of the service by --data-dir.`,
    )
  await replaceSecret(file, digest => (url === undefined ? Promise.resolve() : publish(url, digest)))
  stdout.write(`${file} has a new admin token; the earlier one is refused.\n`)
  return EXIT.ok
}

async function publish(url: string, digest: string): Promise<void> {
  await using connection = await connectCommand(url)
  await replaceTokenDigest(connection, digest)
}
