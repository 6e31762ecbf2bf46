// @ts-check
import { fromDecimal, MalformedError, toHex } from './bytes.js'
import { parseVerifierKey, SIGNATURE_TYPES } from './signature.js'

/** @typedef {import('./signature.js').VerifierKey} VerifierKey */
/** A log or witness: its key, and the address where it is asked, if any. @typedef {{ key: VerifierKey, url?: string }} Party */
/** Members of which `threshold` must have cosigned; each a witness or a group. @typedef {{ threshold: number, members: string[] }} Group */
/**
 * Which logs and witnesses are trusted, and which cosignatures suffice (c2sp.org/tlog-policy).
 * @typedef {{ logs: Party[], witnesses: Map<string, Party>, groups: Map<string, Group>, quorum: string }} Policy
 */

const POLICY_MAX = 524_288
/** The maximum number of logs, of witnesses and of groups. */
const PARTIES_MAX = 128
const NONE = 'none'
/** The signature type that a log or a witness must not have: Ed25519 with a time is for witnesses, and without one for logs. */
const UNFIT = { log: SIGNATURE_TYPES.cosignatureEd25519, witness: SIGNATURE_TYPES.ed25519 }

/**
 * Reads a policy file. Throws MalformedError with the number of the line.
 * @param {string} source
 * @returns {Promise<Policy>}
 */
export async function parsePolicy(source) {
  if (source.length > POLICY_MAX) throw new MalformedError('A policy has at most 524,288 characters.')
  const reading = new PolicyReader()
  for (const [at, line] of source.split('\n').entries()) {
    try {
      await reading.read(line)
    } catch (error) {
      if (!(error instanceof MalformedError)) throw error
      throw new MalformedError(`Line ${at + 1} of the policy: ${error.message}`)
    }
  }
  return reading.end()
}

/** @param {boolean} fine @param {string} rule @returns {asserts fine} */
function assert(fine, rule) {
  if (!fine) throw new MalformedError(rule)
}

class PolicyReader {
  /** @type {Party[]} */
  logs = []
  /** @type {Map<string, Party>} */
  witnesses = new Map()
  /** @type {Map<string, Group>} */
  groups = new Map()
  /** @type {string | undefined} */
  quorum
  /** The keys of logs and witnesses, and the names that are in a group. @type {Set<string>} */
  used = new Set()

  /** @param {string} line */
  async read(line) {
    assert(!/[\0-\x08\x0a-\x1f\x7f]/.test(line), 'Control characters are not allowed.')
    const [word, ...items] = line.split(/[ \t]+/).filter(item => item !== '')
    if (word === undefined || word.startsWith('#')) return
    if (word === 'log') await this.readLog(items)
    else if (word === 'witness') await this.readWitness(items)
    else if (word === 'group') this.readGroup(items)
    else if (word === 'quorum') this.readQuorum(items)
    else throw new MalformedError('A line begins with log, witness, group or quorum.')
  }

  /** @param {string[]} items */
  async readLog([vkey = '', url, ...more]) {
    assert(
      more.length === 0 && this.logs.length < PARTIES_MAX,
      'A log is a key and at most an address; at most 128 logs.',
    )
    this.logs.push(await this.party('log', vkey, url))
  }

  /** @param {string[]} items */
  async readWitness([name = '', vkey = '', url, ...more]) {
    assert(
      more.length === 0 && this.witnesses.size < PARTIES_MAX,
      'A witness is a name, a key and at most an address; at most 128 witnesses.',
    )
    this.define(name)
    this.witnesses.set(name, await this.party('witness', vkey, url))
  }

  /** @param {string[]} items */
  readGroup([name = '', count = '', ...members]) {
    assert(
      members.length > 0 && this.groups.size < PARTIES_MAX,
      'A group is a name, any, all or a number, and members; at most 128 groups.',
    )
    const threshold = count === 'any' ? 1 : count === 'all' ? members.length : fromDecimal(count)
    assert(threshold >= 1 && threshold <= members.length, 'A group needs 1 to all of its members.')
    for (const member of members) {
      assert(this.defined(member), 'A member of a group is defined before it.')
      assert(!this.used.has(`member ${member}`), 'A name is a member only once.')
      this.used.add(`member ${member}`)
    }
    this.define(name)
    this.groups.set(name, { threshold, members })
  }

  /** @param {string[]} items */
  readQuorum([name = '', ...more]) {
    assert(this.quorum === undefined && more.length === 0, 'There is one quorum, with one name.')
    assert(name === NONE || this.defined(name), 'The quorum is defined before it.')
    this.quorum = name
  }

  /** @param {string} name */
  defined(name) {
    return this.witnesses.has(name) || this.groups.has(name)
  }

  /** @param {string} name */
  define(name) {
    assert(name !== '' && name !== NONE && !this.defined(name), 'A name is defined once, and is not none.')
  }

  /** @param {'log' | 'witness'} kind @param {string} vkey @param {string | undefined} url @returns {Promise<Party>} */
  async party(kind, vkey, url) {
    const key = await parseVerifierKey(vkey)
    assert(key.type !== UNFIT[kind], `The key is not one of a ${kind}.`)
    const use = `${kind} ${toHex(key.key)}`
    assert(!this.used.has(use), `A key is that of one ${kind} only.`)
    this.used.add(use)
    return url === undefined ? { key } : { key, url }
  }

  /** @returns {Policy} */
  end() {
    const { logs, witnesses, groups, quorum } = this
    assert(quorum !== undefined, 'A policy has a quorum.')
    return { logs, witnesses, groups, quorum }
  }
}

/**
 * Whether the cosignatures of these witnesses suffice.
 * @param {Policy} policy
 * @param {ReadonlySet<string>} cosigned names of witnesses
 * @returns {boolean}
 */
export function meetsQuorum({ groups, quorum }, cosigned) {
  /** @param {string} name @returns {boolean} */
  const witnessed = name => {
    const group = groups.get(name)
    if (group === undefined) return cosigned.has(name)
    return group.members.filter(witnessed).length >= group.threshold
  }
  return quorum === NONE || witnessed(quorum)
}
