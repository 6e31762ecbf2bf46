import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  createWriteStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { createCorpus } from '../corpus.ts'
import { openHttp, requestText } from '../load/http.ts'
import { bytesUnder, startServer } from '../processes.ts'
import type { Place, Target } from '../target.ts'
import { atMost } from './palimpsest.ts'

/** The directory of Debian's package mediawiki. */
const ROOT = '/usr/share/mediawiki'
const MODULES = '/usr/lib/apache2/modules'
const SERVER_USER = 'www-data'
const WORKERS = 8
const READY_WITHIN = 30_000
const DONE = 'done'
/** A file system in memory. */
const MEMORY = '/dev/shm'

const titleOf = (number: number): string => `E${number}`

function run(directory: string, script: string, ...args: string[]): void {
  const env = { ...process.env, MW_CONFIG_FILE: join(directory, 'LocalSettings.php') }
  execFileSync('php', [join(ROOT, 'maintenance', script), ...args], { env, stdio: 'pipe', maxBuffer: 2 ** 28 })
}

/** Fills the store in memory if possible, because each page is a separate commit and only the complete store must be durable. */
async function fill(place: Place): Promise<void> {
  const { kept } = place
  const filling = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : kept, 'palimpsest-bench-'))
  try {
    await fillIn(filling, place)
    for (const one of ['data', 'LocalSettings.php']) {
      rmSync(join(kept, one), { recursive: true, force: true })
      cpSync(join(filling, one), join(kept, one), { recursive: true })
    }
    const settings = readFileSync(join(kept, 'LocalSettings.php'), 'utf8')
    writeFileSync(join(kept, 'LocalSettings.php'), settings.replaceAll(join(filling, 'data'), join(kept, 'data')))
    writeFileSync(join(kept, DONE), '')
  } finally {
    rmSync(filling, { recursive: true, force: true })
  }
}

async function fillIn(directory: string, { entries, say }: Place): Promise<void> {
  const data = join(directory, 'data')
  mkdirSync(data)
  const install = ['--dbtype=sqlite', `--dbpath=${data}`, `--confpath=${directory}`, '--scriptpath=']
  const env = { ...process.env }
  const script = join(ROOT, 'maintenance/install.php')
  const named = ['--server=http://127.0.0.1', '--pass=of-this-bench-alone', 'Bench', 'Operator']
  execFileSync('php', [script, ...install, ...named], { env, stdio: 'pipe' })
  const dump = join(directory, 'dump.xml')
  await writeDump(dump, entries)
  say(`importing ${entries} pages, which takes minutes`)
  run(directory, 'importDump.php', '--quiet', dump)
  run(directory, 'rebuildrecentchanges.php')
  run(directory, 'initSiteStats.php', '--update')
  say('making the index of its search')
  run(directory, 'rebuildtextindex.php')
}

async function writeDump(path: string, entries: number): Promise<void> {
  const textOf = await createCorpus()
  const file = createWriteStream(path)
  file.write('<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="en">\n')
  for (let n = 0; n < entries; n++) {
    const { title, summary, content } = textOf(n)
    const text = escaped(`${title}\n\n${summary}\n\n${content}`)
    const revision = `<timestamp>${new Date(1.7e12 + 1_000 * n).toISOString().replace('.000', '')}</timestamp><contributor><username>Operator</username></contributor><model>wikitext</model><format>text/x-wiki</format><text xml:space="preserve">${text}</text>`
    const page = `<page><title>${titleOf(n)}</title><ns>0</ns><revision>${revision}</revision></page>\n`
    if (!file.write(page)) await once(file, 'drain')
  }
  file.end('</mediawiki>\n')
  await once(file, 'finish')
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

async function freePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>(resolve => probe.listen(0, '127.0.0.1', resolve))
  const { port } = probe.address() as AddressInfo
  await new Promise(resolve => probe.close(resolve))
  return port
}

/** The settings for this run: the stored settings over a copy of the store, caches in memory, no limits, no background jobs. */
function settings(kept: string, scratch: string, port: number): string {
  const own = readFileSync(join(kept, 'LocalSettings.php'), 'utf8').replaceAll(
    join(kept, 'data'),
    join(scratch, 'data'),
  )
  return `${own}
$wgServer = 'http://127.0.0.1:${port}';
$wgMainCacheType = CACHE_ACCEL;
$wgRateLimits = [];
$wgJobRunRate = 0;
$wgGroupPermissions['*']['noratelimit'] = true;
`
}

function apacheConf(scratch: string, port: number): string {
  const modules = [
    ['mpm_prefork', 'mod_mpm_prefork'],
    ['authz_core', 'mod_authz_core'],
    ['mime', 'mod_mime'],
    ['dir', 'mod_dir'],
    ['env', 'mod_env'],
    ['php', 'libphp8.2'],
  ]
  return `${modules.map(([name, file]) => `LoadModule ${name}_module ${MODULES}/${file}.so`).join('\n')}
ServerName 127.0.0.1
Listen 127.0.0.1:${port}
PidFile ${scratch}/apache.pid
ErrorLog ${scratch}/error.log
TypesConfig /etc/mime.types
${process.getuid?.() === 0 ? `User ${SERVER_USER}\nGroup ${SERVER_USER}` : ''}
DocumentRoot ${ROOT}
<Directory ${ROOT}>
  Require all granted
  Options FollowSymLinks
</Directory>
<FilesMatch "\\.php$">
  SetHandler application/x-httpd-php
</FilesMatch>
SetEnv MW_CONFIG_FILE ${scratch}/LocalSettings.php
KeepAlive On
MaxKeepAliveRequests 0
KeepAliveTimeout 60
StartServers ${4 * WORKERS}
MinSpareServers ${WORKERS}
MaxSpareServers ${8 * WORKERS}
MaxRequestWorkers ${8 * WORKERS}
`
}

/** MediaWiki of Debian over SQLite, served by Apache with PHP as a module, with caches in shared memory and the default search. */
export const mediawiki: Target = {
  name: 'mediawiki',
  operations: ['R', 'L', 'S', 'W', 'U', 'M'],
  most: 5_000,
  async prepare(place) {
    for (const needed of [ROOT, `${MODULES}/libphp8.2.so`, '/usr/lib/php/20220829/pdo_sqlite.so']) {
      if (existsSync(needed)) continue
      throw new Error(
        `${needed} is not there; install Debian's mediawiki, php-sqlite3, php-cli, php-apcu and libapache2-mod-php.`,
      )
    }
    if (!existsSync(join(place.kept, DONE))) await fill(place)
  },
  async start({ kept, scratch, entries, words }) {
    cpSync(join(kept, 'data'), join(scratch, 'data'), { recursive: true })
    const bytes = bytesUnder(join(scratch, 'data'))
    const port = await freePort()
    writeFileSync(join(scratch, 'LocalSettings.php'), settings(kept, scratch, port))
    writeFileSync(join(scratch, 'apache.conf'), apacheConf(scratch, port))
    if (process.getuid?.() === 0) {
      execFileSync('chown', ['-R', SERVER_USER, scratch])
      execFileSync('chmod', ['-R', 'a+rX', scratch, kept])
    }
    // Apache ends its whole process group at its end, which must not be the group of this process.
    const options = { detached: true }
    const server = startServer(['apache2', '-f', join(scratch, 'apache.conf'), '-DFOREGROUND'], options)
    const url = `http://127.0.0.1:${port}`
    await answering(url, server.said)
    return {
      about: 'MediaWiki of Debian, SQLite, Apache with mod_php, APCu',
      pids: [server.pid],
      situation: {
        driver: 'mediawiki',
        urls: [url],
        addresses: atMost(
          Array.from({ length: entries }, (_, n) => titleOf(n)),
          100_000,
        ),
        words,
        tokens: [],
      },
      stop: () => server.stop(),
      bytes: () => bytes,
    }
  },
}

async function answering(url: string, said: () => string): Promise<void> {
  const until = performance.now() + READY_WITHIN
  for (;;) {
    const http = openHttp(url)
    const answer = await http
      .send(requestText('GET', '/api.php?action=query&meta=siteinfo&format=json'))
      .catch(() => undefined)
    http.close()
    if (answer?.status === 200) return
    if (performance.now() > until) throw new Error(`MediaWiki does not answer: ${answer?.text() ?? said()}`)
    await new Promise(resolve => setTimeout(resolve, 200))
  }
}
