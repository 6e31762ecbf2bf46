import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The optional programs of the tests: the Debian packages of each, and the files that it needs besides the program. */
const PROGRAMS = {
  bash: { debian: 'bash' },
  chromium: { debian: 'chromium' },
  curl: { debian: 'curl' },
  etcd: { debian: 'etcd-server' },
  fish: { debian: 'fish' },
  gcc: { debian: 'gcc libc6-dev' },
  go: { debian: 'golang-go golang-golang-x-mod-dev', files: ['/usr/share/gocode/src/golang.org/x/mod/sumdb'] },
  haproxy: { debian: 'haproxy' },
  nginx: { debian: 'nginx-light' },
  openssl: { debian: 'openssl' },
  patroni: { debian: 'patroni' },
  promtool: { debian: 'prometheus' },
  script: { debian: 'bsdutils' },
  strace: { debian: 'strace' },
  'systemd-analyze': { debian: 'systemd' },
  unzip: { debian: 'unzip' },
  varnishd: {
    debian: 'varnish varnish-modules',
    files: [`/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu/varnish/vmods/libvmod_xkey.so`],
  },
  zip: { debian: 'zip' },
  zsh: { debian: 'zsh' },
} as const satisfies Record<string, { debian: string; files?: readonly string[] }>

export type Program = keyof typeof PROGRAMS

/** Programs of services are here, whether or not the PATH of this user names these folders. */
const SYSTEM = ['/usr/local/sbin', '/usr/sbin', '/usr/local/go/bin']

/** The path of a program; undefined if it is not on this machine. */
export function pathOf(program: Program): string | undefined {
  if (program === 'chromium' && process.env.CHROMIUM_PATH !== undefined) return process.env.CHROMIUM_PATH
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...SYSTEM]
  return folders.map(folder => join(folder, program)).find(path => existsSync(path))
}

/**
 * The reason to skip a test that needs something optional. The runner groups skipped tests by it, so the same thing is always named by the
 * same words.
 */
export const needs = (what: string, debian: string): string => `needs ${what} (Debian: ${debian})`

/** The reason to skip a test that needs a program; false if the program is here. */
export function missing(program: Program): string | false {
  const { debian, ...more }: { debian: string; files?: readonly string[] } = PROGRAMS[program]
  const isHere = pathOf(program) !== undefined && (more.files ?? []).every(file => existsSync(file))
  return isHere ? false : needs(program, debian)
}
