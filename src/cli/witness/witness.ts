import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { httpUrl } from '../../config.ts'
import { witnessSigner } from '../../domain/log/signer.ts'
import { lockDataDirectory, prepareDataDirectory } from '../../embedded/data-directory.ts'
import { OperatorError, systemFault } from '../../operator-error.ts'
import { exposedSentence, listSecretFiles } from '../../secrets.ts'
import { MalformedError } from '../../tlog/bytes.js'
import { isKeyName } from '../../tlog/note.js'
import { parseVerifierKey, SIGNATURE_TYPES, type VerifierKey } from '../../tlog/signature.js'
import { addressOf } from '../address.ts'
import { EXIT, type Invocation, required, UsageError } from '../command.ts'
import { createWitnessServer } from './server.ts'
import { ensureWitnessKey, openWitnessState } from './state.ts'

/** Serves a witness for the logs of the given keys, until SIGTERM or SIGINT. */
export async function witnessLogs(invocation: Invocation): Promise<number> {
  const name = required(invocation, 'name', 'the witness, for example witness.example/w1')
  if (!isKeyName(name))
    throw new UsageError('--name must not contain white space or plus, for example witness.example/w1.')
  const logs = await Promise.all(invocation.args.map(logKey))
  const directory = prepareDataDirectory(
    required(invocation, 'dir', 'the directory with the key and the cosigned checkpoints'),
  )
  const unlock = lockDataDirectory(directory)
  try {
    const signer = witnessSigner(name, ensureWitnessKey(directory))
    const state = openWitnessState(
      directory,
      logs.map(log => log.name),
    )
    const report = (sentence: string): void => void invocation.stdout.write(`${sentence}\n`)
    for (const file of listSecretFiles(directory)) if (file.isExposed) report(exposedSentence(file))
    const now = (): number => Math.floor(Date.now() / 1_000)
    const server = createWitnessServer({ signer, logs, state, now, report })
    const { host, port } = addressOf(invocation)
    const url = await listen(server, host, port)
    report(`The witness ${name} listens at ${url}\n  key  ${signer.vkey}`)
    report(`${await stopSignal()}: the witness stops`)
    server.close()
    server.closeAllConnections()
    return EXIT.ok
  } finally {
    unlock()
  }
}

async function logKey(vkey: string): Promise<VerifierKey> {
  try {
    const key = await parseVerifierKey(vkey)
    const types: number[] = [SIGNATURE_TYPES.ed25519, SIGNATURE_TYPES.cosignatureMlDsa44]
    if (types.includes(key.type)) return key
  } catch (error) {
    if (!(error instanceof MalformedError)) throw error
  }
  throw new UsageError(`"${vkey.slice(0, 80)}" is not a verifier key of a log; use the first line of its /log/keys.`)
}

async function listen(server: ReturnType<typeof createWitnessServer>, host: string, port: number): Promise<string> {
  try {
    server.listen({ host, port })
    await once(server, 'listening')
  } catch (error) {
    throw new OperatorError(
      `The witness cannot listen at ${host}:${port} (${systemFault(error)}); name another --port or --host.`,
    )
  }
  return httpUrl(host, (server.address() as AddressInfo).port)
}

/** The signal that stops the witness. SIGHUP does not: its lines go to standard output, and no file has to be reopened. */
const stopSignal = (): Promise<NodeJS.Signals> =>
  new Promise(resolve => {
    process
      .once('SIGINT', resolve)
      .once('SIGTERM', resolve)
      .on('SIGHUP', () => {})
  })
