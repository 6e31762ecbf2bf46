import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createCorpus } from '../corpus.ts'
import { installPackages } from '../install.ts'
import { COLLECTION, recordOf } from '../load/drivers/atproto-pds.ts'
import { openHttp, requestText } from '../load/http.ts'
import { bytesUnder, CORES, type Server, startServer } from '../processes.ts'
import type { Place, Target } from '../target.ts'

/** The binding of the store is newer than the package requires: the required version sometimes crashes Node 24. */
const PACKAGES = { '@atproto/pds': '0.5.35', 'better-sqlite3': '13.2.0' }
const ACCOUNTS = 32
/** Maximum number of records per commit, because of the size limit of a request body. */
const BATCH = 20
const PASSWORD = 'a password of the bench'

type Started = { url: string; server: Server; accounts: { did: string; token: string }[] }
type Session = { did: string; accessJwt: string }

/** Starts the server over a directory and signs its accounts in. Creates the accounts if the directory is new. */
async function start(installed: string, directory: string, cores: string | undefined, isNew: boolean) {
  const script = join(import.meta.dirname, 'atproto-pds-server.ts')
  const server = startServer([process.execPath, script, installed, directory], {}, cores)
  const [, url = ''] = await server.until(/ready at (http:\S+)/)
  const accounts: Started['accounts'] = []
  for (let n = 0; n < ACCOUNTS; n++) {
    const identity = isNew
      ? { email: `actor${n}@example.com`, handle: `actor${n}.test`, password: PASSWORD }
      : { identifier: `actor${n}.test`, password: PASSWORD }
    const made = (await call(url, isNew ? 'server.createAccount' : 'server.createSession', identity)) as Session
    accounts.push({ did: made.did, token: made.accessJwt })
  }
  return { url, server, accounts } satisfies Started
}

async function call(url: string, method: string, body: object, token?: string): Promise<unknown> {
  const http = openHttp(url)
  const fields = token === undefined ? '' : `authorization: Bearer ${token}\r\n`
  const answer = await http.send(requestText('POST', `/xrpc/com.atproto.${method}`, fields, JSON.stringify(body)))
  http.close()
  if (answer.status !== 200) throw new Error(`${method} was answered ${answer.status}: ${answer.text()}`)
  return JSON.parse(answer.text())
}

async function fill({ installed, kept, entries, say }: Place): Promise<void> {
  const directory = join(kept, 'data')
  rmSync(directory, { recursive: true, force: true })
  const { url, server, accounts } = await start(installed, directory, undefined, true)
  try {
    const textOf = await createCorpus()
    const addresses = await Promise.all(
      accounts.map(async ({ did, token }, account) => {
        const numbers = Array.from({ length: entries }, (_, n) => n).filter(n => n % ACCOUNTS === account)
        for (let from = 0; from < numbers.length; from += BATCH) {
          const writes = numbers.slice(from, from + BATCH).map(n => ({
            $type: 'com.atproto.repo.applyWrites#create',
            collection: COLLECTION,
            rkey: keyOf(n),
            value: recordOf(textOf(n)),
          }))
          await call(url, 'repo.applyWrites', { repo: did, validate: false, writes }, token)
          if (account === 0) say(`${from * ACCOUNTS} of ${entries} entries`)
        }
        return numbers.map(n => `${did}/${keyOf(n)}`)
      }),
    )
    // Takes one record of each account in turn, because the n-th connection owns the records of the n-th account.
    const turns = (addresses[0] ?? []).flatMap((_, at) => addresses.flatMap(list => list[at] ?? []))
    writeFileSync(join(kept, 'addresses.json'), JSON.stringify(turns))
  } finally {
    await server.stop()
  }
}

const keyOf = (number: number): string => `e${String(number).padStart(7, '0')}`

/** The personal data server of Bluesky: a signed tree and an SQLite store for each account. It has no search. */
export const atprotoPds: Target = {
  name: 'atproto-pds',
  operations: ['R', 'L', 'W', 'U'],
  most: 10_000,
  async prepare(place) {
    installPackages(place.installed, PACKAGES)
    if (!existsSync(join(place.kept, 'addresses.json'))) await fill(place)
  },
  async start({ installed, kept, scratch }) {
    const directory = join(scratch, 'data')
    cpSync(join(kept, 'data'), directory, { recursive: true })
    const bytes = bytesUnder(directory)
    const { url, server, accounts } = await start(installed, directory, CORES.server, false)
    return {
      about: `@atproto/pds ${PACKAGES['@atproto/pds']}, ${ACCOUNTS} accounts; lists are of one account`,
      pids: [server.pid],
      situation: {
        driver: 'atproto-pds',
        urls: [url],
        addresses: JSON.parse(readFileSync(join(kept, 'addresses.json'), 'utf8')) as string[],
        words: [],
        tokens: accounts.map(({ did, token }) => `${did} ${token}`),
      },
      stop: () => server.stop(),
      bytes: () => bytes,
    }
  },
}
