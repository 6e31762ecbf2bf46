import { homedir } from 'node:os'

/** One mask: what it replaces, and with what. */
type Mask = { name: string; pattern: RegExp; by: string | ((...groups: string[]) => string) }

/** Well-known prefixes of credentials of services. */
const CREDENTIALS = [
  'gh[opsur]_\\w{20,}',
  'github_pat_\\w{20,}',
  'glpat-[\\w-]{16,}',
  'npm_\\w{30,}',
  'plm_\\w{16,}',
  'sk-[\\w-]{16,}',
  'xox[abeoprs]-[\\w-]{10,}',
  'A(?:KIA|SIA)[A-Z\\d]{16}',
  'AIza[\\w-]{30,}',
  'eyJ[\\w-]{8,}\\.[\\w-]{8,}(?:\\.[\\w-]+)?',
]

/** Names of a value that is secret. */
const SECRET_NAMES = 'authorization|api[_-]?key|access[_-]?key|token|secret|passw(?:or)?d|pwd|credentials?|cookie'

/** The part of a path that names a public package. */
const packageIn = (path: string): string =>
  /(?:node_modules|site-packages|vendor)[\\/](?!.*(?:node_modules|site-packages|vendor)[\\/])(.*)$/.exec(path)?.[1] ??
  ''

/** In their order. Each pattern is linear in the length of the text, which is at most some thousand characters. */
export const MASKS: readonly Mask[] = [
  {
    name: 'a private key',
    pattern: /-----BEGIN [A-Z ]{0,40}-----[\s\S]*?(?:-----END [A-Z ]{0,40}-----|$)/g,
    by: '<key>',
  },
  {
    name: 'an address of a service',
    pattern: /\b([a-z][a-z\d+.-]{1,12}):\/\/[^\s"'<>)\]}]+/gi,
    by: (_, scheme = '') => `${scheme}://<host>`,
  },
  { name: 'a credential', pattern: new RegExp(`\\b(?:${CREDENTIALS.join('|')})`, 'g'), by: '<token>' },
  {
    name: 'a named secret',
    pattern: new RegExp(`((?:${SECRET_NAMES})["']?\\s*[=:]\\s*)(?:(?:bearer|basic)\\s+)?["']?[^\\s"',;]+`, 'gi'),
    by: (_, name = '') => `${name}<token>`,
  },
  { name: 'a bearer token', pattern: /\b(bearer|basic)\s+[\w+/=.~-]{8,}/gi, by: (_, kind = '') => `${kind} <token>` },
  { name: 'a mail address', pattern: /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+/g, by: '<mail>' },
  {
    name: 'an address of a network',
    pattern: /\b(?!127\.|0\.0\.0\.0)(?:\d{1,3}\.){3}\d{1,3}\b|\b(?:[\da-f]{1,4}:){4,7}[\da-f]{1,4}\b/gi,
    by: '<ip>',
  },
  {
    name: 'a path',
    pattern:
      /(?<![\w<:/.~-])(?:~|[a-z]:)?(?:[\\/]+(?:[\w.@+-]+(?: [\w.@+-]{1,40}){1,3}(?=[\\/])|[\w.@+-]+)){2,}[\\/]?/gi,
    by: path => (packageIn(path) === '' ? '<path>' : `<path>/${packageIn(path)}`),
  },
  {
    name: 'the name of a host',
    pattern:
      /\b(?:[a-z\d](?:[a-z\d-]{0,62})\.){1,6}(?:internal|intranet|corp|local|lan|home|com|org|net|io|dev|cloud|app|eu|de|uk|fr|ch|at)\b(?!\()/gi,
    by: '<host>',
  },
  {
    name: 'a host that is not found',
    pattern: /\b(ENOTFOUND|EAI_AGAIN|Could not resolve host:|Name or service not known:)\s+[\w.-]+/g,
    by: (_, code = '') => `${code} <host>`,
  },
  {
    name: 'random characters',
    pattern: /\b(?=[\w+/=-]*\d)(?=[\w+/=-]*[a-z])[\w+/-]{32,}={0,2}/gi,
    by: '<token>',
  },
]

/** Masks what identifies a person, a machine or an organisation in the text of a terminal, before the text is sent. */
export function masked(text: string, home = homedir()): string {
  const user = home.split(/[\\/]/).at(-1) ?? ''
  const withoutHome = home.length > 1 ? text.replaceAll(home, '~') : text
  const whole = MASKS.reduce(
    (masking, { pattern, by }) => masking.replace(pattern, by as (...groups: string[]) => string),
    withoutHome,
  )
  return user.length > 2 && user !== 'root'
    ? whole.replaceAll(new RegExp(`\\b${escaped(user)}\\b`, 'g'), '<user>')
    : whole
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
