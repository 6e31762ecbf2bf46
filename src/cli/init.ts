import { existsSync, lstatSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { OperatorError, systemFault } from '../operator-error.ts'
import { makeDirectories } from '../sync-path.ts'
import { EXIT, type Invocation, UsageError } from './command.ts'
import { oneOf } from './people/flags.ts'
import { askText } from './people/publish.ts'

/** The folder of the package, and the names in its examples that an installation replaces. */
const PACKAGE = resolve(import.meta.dirname, '../..')
const EXAMPLE_PACKAGE = '/opt/palimpsest'
const EXAMPLE_HOST = 'memory.example'

const UNITS = [
  'palimpsest.service',
  'palimpsest-backup.service',
  'palimpsest-backup.timer',
  'palimpsest-failed@.service',
]
/** How the service runs. Requests come from the proxy at an address of `proxies`. */
const KINDS = {
  systemd: { settings: 'environment', examples: UNITS.map(unit => `deploy/${unit}`), proxies: '127.0.0.1' },
  compose: { settings: '.env', examples: ['compose.yaml'], proxies: '172.16.0.0/12' },
} as const
const PROXIES = { nginx: 'deploy/nginx.conf', caddy: 'deploy/Caddyfile' } as const
type Plan = { host: string; kind: keyof typeof KINDS; proxy: keyof typeof PROXIES; directory: string }

/** Writes the files of an installation at a host name, and prints the commands that follow. Overwrites no file. */
export async function initInstallation(invocation: Invocation): Promise<number> {
  const { args, flags, stdout } = invocation
  const given = args[0] ?? (await askText(invocation, 'The host name of the service, such as memory.example: '))
  if (given === undefined) throw new UsageError('HOST is missing; it is the host name of the service.')
  const plan: Plan = {
    host: hostOf(given),
    kind: oneOf('--for', flags.for ?? 'systemd', ['systemd', 'compose']) as Plan['kind'],
    proxy: oneOf('--proxy', flags.proxy ?? 'nginx', ['nginx', 'caddy']) as Plan['proxy'],
    directory: resolve(flags.to ?? hostOf(given)),
  }
  const files = filesOf(plan)
  writeNew(plan.directory, files)
  const names = [...files.keys()].join(', ')
  const remark =
    plan.kind === 'systemd' && /^\/(?:home|root)\//.test(PACKAGE)
      ? `The unit cannot read ${PACKAGE}, because its sandbox hides home directories: install the package elsewhere first.\n`
      : ''
  const commands = commandsOf(plan).map(command => `  ${command}\n`)
  stdout.write(`${plan.directory} has ${names}. Read the settings first.\n${remark}These commands follow, as root:\n`)
  stdout.write(commands.join(''))
  return EXIT.ok
}

const HOST_MAX = 253
const HOST = /^(?!-)(?:[a-z0-9-]{1,63}\.)+[a-z][a-z0-9-]*[a-z0-9]$/

function hostOf(given: string): string {
  const host = given.trim().toLowerCase()
  if (HOST.test(host) && host.length <= HOST_MAX) return host
  throw new UsageError(
    `HOST must be a name for which a certificate can be issued, such as memory.example, not "${given}".`,
  )
}

/** The texts of the files by their names. */
function filesOf({ host, kind, proxy }: Plan): Map<string, string> {
  const { examples, settings, proxies } = KINDS[kind]
  if (kind === 'compose' && !existsSync(join(PACKAGE, 'Dockerfile')))
    throw new UsageError('--for compose needs a checkout, because the package has no Dockerfile; use --for systemd.')
  const placed = [...examples, PROXIES[proxy]].map((path): [string, string] => [basename(path), placedText(path, host)])
  return new Map([[settings, settingsText(host, proxies)], ...placed])
}

/** An example of the package with the host name and the places of this installation. */
function placedText(path: string, host: string): string {
  const node = join(PACKAGE, 'node_modules/.bin/node')
  // The modules that the package imports may be beside it.
  const readable = basename(dirname(PACKAGE)) === 'node_modules' ? dirname(PACKAGE) : PACKAGE
  return readFileSync(join(PACKAGE, path), 'utf8')
    .replaceAll(EXAMPLE_HOST, host)
    .replaceAll(`${EXAMPLE_PACKAGE}/node_modules/.bin/node`, existsSync(node) ? node : process.execPath)
    .replaceAll(`--allow-fs-read=${EXAMPLE_PACKAGE} `, `--allow-fs-read=${readable} `)
    .replaceAll(EXAMPLE_PACKAGE, PACKAGE)
    .replace('build: .\n', `build: ${PACKAGE}\n`)
}

const settingsText = (host: string, proxies: string): string =>
  `# Settings of the service at https://${host}, one a line; docs/configuration.md has all of them.
PUBLIC_URL=https://${host}
# The proxy on this machine. Without it all callers share one limit.
TRUSTED_PROXIES=${proxies}
# The licence of the content. Set it before the first entry: it cannot be changed for earlier entries.
#CONTENT_LICENSE=CC-BY-4.0
# Where to report security faults.
#SECURITY_CONTACT=mailto:security@${host}
# Set this after the first start: a data directory that is not mounted is then reported, and not replaced by an empty store.
#NEW_STORE=refused
`

function writeNew(directory: string, files: ReadonlyMap<string, string>): void {
  const present = [...files.keys()].find(
    // A link that leads nowhere is there too.
    name => lstatSync(join(directory, name), { throwIfNoEntry: false }) !== undefined,
  )
  if (present !== undefined)
    throw new OperatorError(
      `${join(directory, present)} exists and is not overwritten; name another directory by --to.`,
    )
  try {
    makeDirectories(directory)
    for (const [name, text] of files) writeFileSync(join(directory, name), text, { flag: 'wx' })
  } catch (error) {
    throw new OperatorError(`${directory} cannot be written (${systemFault(error)}); name another one by --to.`)
  }
}

/** The command that starts the service, the one that starts the proxy, and the one that says what is missing. */
function commandsOf({ host, kind, proxy, directory }: Plan): string[] {
  const place = directory.replaceAll(/[^\w./-]/g, found => `\\${found}`)
  const doctor = `${process.execPath} ${join(PACKAGE, 'bin/palimpsest.js')} doctor --data-dir`
  const started = {
    systemd: `install -D -m 0644 ${place}/environment /etc/palimpsest/environment && install -m 0644 ${place}/palimpsest* /etc/systemd/system/ && systemctl daemon-reload && systemctl enable --now palimpsest palimpsest-backup.timer`,
    compose: `docker compose --project-directory ${place} up --build --wait`,
  }
  const proxied = {
    nginx: `certbot certonly --standalone -d ${host} && mkdir -p /var/www/acme && install -m 0644 ${place}/nginx.conf /etc/nginx/conf.d/palimpsest.conf && nginx -t && systemctl restart nginx`,
    caddy: `install -m 0644 ${place}/Caddyfile /etc/caddy/Caddyfile && systemctl reload caddy`,
  }
  const examined = {
    systemd: `(set -a; . /etc/palimpsest/environment; ${doctor} /var/lib/palimpsest)`,
    compose: `docker compose --project-directory ${place} exec palimpsest node bin/palimpsest.js doctor`,
  }
  return [started[kind], proxied[proxy], examined[kind]]
}
