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
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { freePort } from '../../test/support/ports.ts'
import { createCorpus } from '../corpus.ts'
import { bytesUnder, startServer } from '../processes.ts'
import { filled, type Place, type Store, type Target } from '../target.ts'

/** The directory of Debian's package mediawiki. */
const ROOT = '/usr/share/mediawiki'
const MODULES = '/usr/lib/apache2/modules'
const SERVER_USER = 'www-data'
const WORKERS = 8
const READY_WITHIN = 30_000
const DATA = 'data'
const SETTINGS = 'LocalSettings.php'
/** A file system in memory. */
const MEMORY = '/dev/shm'

const titleOf = (number: number): string => `E${number}`

function run(directory: string, script: string, ...args: string[]): void {
  const env = { ...process.env, MW_CONFIG_FILE: join(directory, SETTINGS) }
  execFileSync('php', [join(ROOT, 'maintenance', script), ...args], { env, stdio: 'pipe', maxBuffer: 2 ** 28 })
}

/** Fills the store in memory if possible, because each page is a separate commit and only the complete store must be durable. */
const STORE: Store = {
  name: 'mediawiki',
  async fill(directory, place) {
    const filling = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : directory, 'palimpsest-bench-'))
    try {
      await fillIn(filling, place)
      for (const one of [DATA, SETTINGS]) cpSync(join(filling, one), join(directory, one), { recursive: true })
    } finally {
      rmSync(filling, { recursive: true, force: true })
    }
  },
}

async function fillIn(directory: string, { entries, say }: Place): Promise<void> {
  const data = join(directory, DATA)
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

/** The settings for this run: the stored settings with the copied data, caches in memory, no limits, no background jobs. */
function settings(stored: string, scratch: string, port: number): string {
  const copied = `$wgSQLiteDataDir = '${join(scratch, DATA)}';`
  return `${stored.replace(/^\$wgSQLiteDataDir = .*$/m, () => copied)}
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
  async start(place) {
    for (const needed of [ROOT, `${MODULES}/libphp8.2.so`, '/usr/lib/php/20220829/pdo_sqlite.so']) {
      if (existsSync(needed)) continue
      throw new Error(
        `${needed} is not there; install Debian's mediawiki, php-sqlite3, php-cli, php-apcu and libapache2-mod-php.`,
      )
    }
    const { scratch, entries, words } = place
    const kept = await filled(place, STORE)
    cpSync(join(kept, DATA), join(scratch, DATA), { recursive: true })
    const bytes = bytesUnder(join(scratch, DATA))
    const port = await freePort()
    writeFileSync(join(scratch, SETTINGS), settings(readFileSync(join(kept, SETTINGS), 'utf8'), scratch, port))
    writeFileSync(join(scratch, 'apache.conf'), apacheConf(scratch, port))
    if (process.getuid?.() === 0) execFileSync('chown', ['-R', SERVER_USER, scratch])
    // Apache ends its whole process group at its end, which must not be the group of this process.
    const options = { detached: true }
    const server = startServer(['apache2', '-f', join(scratch, 'apache.conf'), '-DFOREGROUND'], options)
    const url = `http://127.0.0.1:${port}`
    await answering(url, server.said)
    const addresses = Array.from({ length: entries }, (_, n) => titleOf(n))
    return {
      about: 'MediaWiki of Debian, SQLite, Apache with mod_php, APCu',
      pids: [server.pid],
      situation: { driver: 'mediawiki', urls: [url], addresses, words },
      stop: () => server.stop(),
      bytes,
    }
  },
}

async function answering(url: string, said: () => string): Promise<void> {
  const until = performance.now() + READY_WITHIN
  for (;;) {
    const answer = await fetch(`${url}/api.php?action=query&meta=siteinfo&format=json`).catch(() => undefined)
    if (answer?.ok) return
    if (performance.now() > until) throw new Error(`MediaWiki does not answer: ${(await answer?.text()) ?? said()}`)
    await setTimeout(200)
  }
}
