import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { Problem } from '../../contract/problem.ts'
import type { Author } from '../../contract/resources.ts'
import type { Action } from '../../contract/vocabulary.ts'
import { isAscii } from '../../find/rules/words.ts'
import { EVERY_HIDDEN } from '../invisible-characters.js'
import { pathOfText } from '../values.ts'

const TOKEN_PREFIX = 'plm_'
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const SECRET_CHARACTERS = 27
const CHECK_CHARACTERS = 6
/** The length of a token. */
export const TOKEN_CHARACTERS = TOKEN_PREFIX.length + SECRET_CHARACTERS + CHECK_CHARACTERS
const TOKEN = new RegExp(`^${TOKEN_PREFIX}[0-9A-Za-z]{${SECRET_CHARACTERS + CHECK_CHARACTERS}}$`)

/** Random bytes of a token (160 bits). */
export const TOKEN_BYTES = 20

/** The token of 20 random bytes: prefix, 27 characters of secret, 6 of CRC-32. A typing error is refused without a look-up. */
export function tokenOf(random: Uint8Array): string {
  const secret = base62(BigInt(`0x${Buffer.from(random).toString('hex')}`), SECRET_CHARACTERS)
  return `${TOKEN_PREFIX}${secret}${checkOf(secret)}`
}

/** Whether a text has the format and the checksum of a token. Needs no look-up. */
export function isToken(token: string): boolean {
  if (!TOKEN.test(token)) return false
  const secret = token.slice(TOKEN_PREFIX.length, TOKEN_PREFIX.length + SECRET_CHARACTERS)
  return token.endsWith(checkOf(secret))
}

/** SHA-256 of a token in lower-case hex. The store has no other form of the token. */
export const tokenHash = (token: string): string => hash('sha256', token, 'hex')

export const TOKEN_WARNING =
  'Keep this token private: it is shown once and cannot be recovered. It proves that requests continue each other, not who or what is behind them.'

/** Says that a text was written by a machine, as in "agent · model-3"; empty if neither a model nor a provider is declared. Untrusted. */
export function agentWords({ model, provider }: Author['declared']): string {
  const made = [model, provider].filter(part => part !== null)
  return made.length === 0 ? '' : ['agent', ...made].join(' · ')
}

/** The flags with which an actor or origin is refused writes; each is 0 or 1. */
export type Standing = { blocked: number; quarantined: number }

/** Throws ACTOR_BLOCKED or ORIGIN_BLOCKED if the actor or the origin is blocked or quarantined. Both may still read. */
export function assertMayWrite(actor: Standing | undefined, origin: Standing): void {
  if (actor !== undefined && (actor.blocked || actor.quarantined)) throw new Problem('ACTOR_BLOCKED')
  if (origin.blocked || origin.quarantined) throw new Problem('ORIGIN_BLOCKED')
}

/** An actor is recurrent from its second substantive observation on. */
export const RECURRENT_FROM = 2

/** The CRC-32 of a secret in base 62. Avoids BigInt, because every request with a token computes it. */
function checkOf(secret: string): string {
  let digits = ''
  for (let rest = crc32(secret); rest > 0; rest = Math.floor(rest / 62)) digits = ALPHABET.charAt(rest % 62) + digits
  return digits.padStart(CHECK_CHARACTERS, '0')
}

function base62(value: bigint, width: number): string {
  let digits = ''
  for (let rest = value; rest > 0n; rest /= 62n) digits = ALPHABET.charAt(Number(rest % 62n)) + digits
  return digits.padStart(width, '0')
}

/** Each beginning of a key has this. */
const KEY_MARK = '-----BEGIN '
const KEY_BEGINNING = /-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----/g
/** The characters after the first line of a key that are searched. The fields before the bytes of the key are shorter. */
const KEY_HEAD_CHARACTERS = 500
/** Base64 characters in a row that count as a key; an ellipsis or a description has fewer. */
const KEY_CHARACTERS = 32

/** Refuses a JSON value with an actor token or a private key in PEM in any text, because stored texts are public and permanent. */
export function assertNoSecret(value: unknown): void {
  const path = pathOfText(value, holdsSecret)
  if (path !== undefined) throw new Problem('SECRET_IN_TEXT', path.length === 0 ? {} : { member: path.join('.') })
}

/** The forms of an underscore in Markdown: escaped, or as a character reference. */
const UNDERSCORE = /\\_|&(?:#0{0,6}95|#[xX]0{0,5}5[fF]|lowbar);/g

/**
 * Whether a text contains a well-formed actor token with its checksum, or a private key in PEM: as it is written, or as it is shown, without
 * invisible characters and with plain underscores.
 */
export function holdsSecret(text: string): boolean {
  const shown = (isAscii(text) ? text : text.replace(EVERY_HIDDEN, '')).replaceAll(UNDERSCORE, '_')
  for (const form of shown === text ? [text] : [text, shown]) {
    if (form.includes(TOKEN_PREFIX) && holdsToken(form)) return true
    if (form.includes(KEY_MARK) && holdsPrivateKey(form)) return true
  }
  return false
}

function holdsToken(text: string): boolean {
  for (let at = text.indexOf(TOKEN_PREFIX); at >= 0; at = text.indexOf(TOKEN_PREFIX, at + 1)) {
    if (isToken(text.slice(at, at + TOKEN_CHARACTERS))) return true
  }
  return false
}

function holdsPrivateKey(text: string): boolean {
  for (const { 0: line, index } of text.matchAll(KEY_BEGINNING)) {
    const from = index + line.length
    // Keys also come quoted, indented, with escaped line breaks, and with fields before their bytes (RFC 1421, RFC 9580).
    const bytes = text
      .slice(from, from + KEY_HEAD_CHARACTERS)
      .replaceAll(/\\[rn]/g, '\n')
      .replaceAll(/^[\s>|#"'`*]*[A-Za-z-]+: .*$/gm, '')
      .replaceAll(/[\s>|#"'`*]/g, '')
    if (new RegExp(`^[A-Za-z0-9+/]{${KEY_CHARACTERS}}`).test(bytes)) return true
  }
  return false
}

/** Whether other actors confirmed, contradicted or corrected a revision; 0 or 1. */
type Flags = { confirmed: number; contradicted: number; corrected: number }

/** A contribution, whether its entry is withdrawn, and how other actors judged its revision. */
export type Outcome = Flags & { action: Action; withdrawn: number }

/**
 * A contribution with its entry. `ordinal` is the place of its revision among the `revisions` of the entry. `later` is the time of the
 * latest revision, in milliseconds since 1970, if it is by another actor.
 */
export type ContributionOutcome = Outcome & { entry: number; ordinal: number; revisions: number; later: number | null }

const KINDS: ReadonlySet<Action> = new Set(['CREATE', 'EXPAND', 'CORRECT', 'SYNTHESIZE'])
const isRevision = ({ action, withdrawn }: Outcome): boolean => withdrawn === 0 && KINDS.has(action)

/** Counts public contributions by kind, and the revisions among them by their judgements by other actors. */
export function countOutcomes(contributions: readonly Outcome[]) {
  const revisions = contributions.filter(isRevision)
  const those = (flag: keyof Flags): number => revisions.filter(row => row[flag] === 1).length
  const of = (action: Action): number =>
    contributions.filter(row => row.withdrawn === 0 && row.action === action).length
  return {
    ...{ revisions: revisions.length, verifications: of('VERIFY'), contradictions: of('CONTRADICT') },
    ...{ relations: of('CONNECT'), confirmed: those('confirmed') },
    ...{ contradicted: those('contradicted'), corrected: those('corrected') },
  }
}

/**
 * The entries that an actor wrote and that other actors judged or revised later, latest event first: of each the newest revision by the actor,
 * the flags of all of them, and the time `at` of the latest event. `checkedAt` returns the time of the latest judgement of an entry, or null.
 */
export function changedSince<O extends ContributionOutcome>(rows: readonly O[], checkedAt: (row: O) => number | null) {
  return [...Map.groupBy(rows.filter(isRevision), ({ entry }) => entry).values()]
    .map(all => {
      const newest = all[0] as O
      const any = (flag: keyof Flags): number => Math.max(...all.map(row => row[flag]))
      const flags = { confirmed: any('confirmed'), contradicted: any('contradicted'), corrected: any('corrected') }
      return { ...newest, ...flags, at: Math.max(checkedAt(newest) ?? 0, newest.later ?? 0) }
    })
    .filter(({ at }) => at > 0)
    .sort((a, b) => b.at - a.at)
}
