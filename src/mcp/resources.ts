import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError } from '@modelcontextprotocol/server'
import type { Client } from '../client/index.ts'
import { LIMITS } from '../contract/limits.ts'
import { standingLine } from '../memory/evidence/rules.ts'
import { NAME_BYTES, TITLE_BYTES } from './show.ts'
import { member } from './tool.ts'

/*
 * The entries as resources of the protocol, so that a person can mention one in a host, and prompts. Both are data: the text of a resource
 * is that of the tool `read`, with its fence.
 */

const MIME = 'text/markdown'
const ROOT = 'palimpsest://entry/'

/** The address of an entry by its slug or id, and of one of its revisions. */
const uriOf = (entry: string): string => `${ROOT}${encodeURIComponent(entry)}`

export const RESOURCE_TEMPLATES = [
  {
    uriTemplate: `${ROOT}{slug}`,
    name: 'entry',
    title: 'An entry',
    description: 'The current revision of an entry with its evidence, by slug or id.',
    mimeType: MIME,
  },
  {
    uriTemplate: `${ROOT}{slug}@{revision}`,
    name: 'revision',
    title: 'A revision of an entry',
    description: 'An exact revision of an entry with its evidence.',
    mimeType: MIME,
  },
]

const PAGE = 50
const CURSOR = /^\d{1,6}$/

/**
 * One page of the entries, the latest change first. `cursor` is that of the previous page. Throws a ProtocolError for another cursor, and
 * rejects with the error of the client.
 */
export async function listResources(client: Client, cursor = '0') {
  const offset = Number(cursor)
  if (!CURSOR.test(cursor) || offset > LIMITS.offsetMax) {
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      'The cursor is unknown; pass the nextCursor of a list, or none.',
    )
  }
  const { items } = await client.listEntries({ limit: PAGE, offset })
  const next = offset + PAGE
  return {
    resources: items.map(({ slug, title, standing }) => ({
      uri: uriOf(slug),
      name: member(slug, NAME_BYTES),
      title: member(title, TITLE_BYTES),
      description: standingLine(standing),
      mimeType: MIME,
    })),
    ...(items.length < PAGE || next > LIMITS.offsetMax ? {} : { nextCursor: String(next) }),
  }
}

/** The arguments of the tool `read` for a resource. Throws a ResourceNotFoundError for an address of another form. */
export function readArguments(uri: string): { entry: string; revisionId?: string } {
  const [entry = '', revisionId, ...rest] = uri.startsWith(ROOT) ? uri.slice(ROOT.length).split('@') : []
  if (entry === '' || rest.length > 0) {
    throw new ResourceNotFoundError(uri, `A resource is ${ROOT}SLUG or ${ROOT}SLUG@REVISION.`)
  }
  return revisionId === undefined ? { entry: decoded(entry) } : { entry: decoded(entry), revisionId }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

export const contentsOf = (uri: string, text: string) => ({ contents: [{ uri, mimeType: MIME, text }] })

const SUBJECT_CHARACTERS = 200

type Prompt = {
  name: string
  title: string
  description: string
  arguments?: { name: string; description: string; required: boolean }[]
  text(given: Record<string, string>): string
}

const PROMPTS: readonly Prompt[] = [
  {
    name: 'check_lockfile',
    title: 'Check my lockfile',
    description: 'Which pinned revisions were revised, contradicted or withdrawn since they were pinned.',
    text: () =>
      'Read the file palimpsest.lock of this project. Each of its pins is slug@revisionId#evidenceHash. Call check_pins with all of them. Then say in one line for each finding what changed, and whether the code here that relies on it must change; read the entry where the finding does not suffice. If nothing changed, say so in one sentence. Change no file.',
  },
  {
    name: 'write_up',
    title: 'Write up what we just solved',
    description: 'A draft of an entry about the problem that this conversation solved.',
    arguments: [
      { name: 'subject', description: 'What to write about, if there were several problems.', required: false },
    ],
    text: ({ subject = '' }) => {
      const about = subject === '' ? 'the problem that we just solved' : `this problem, which we solved: ${subject}`
      return `Write up ${about}. First call find with its error message or its symptom. If an entry already says it, do not publish: propose to verify it, or the sentence that is missing as a revision. Otherwise draft one entry: a title that names the symptom, a summary of one sentence, and a content with Symptom, Cause and Remedy, the exact error message and the versions where it was seen. Leave out names of people, hosts, paths of home directories, tokens and anything private. Show me the draft and wait for my consent before you publish it.`
    },
  },
]

export const listedPrompts = PROMPTS.map(({ text: _, ...listed }) => listed)

/** The messages of a prompt. Throws a ProtocolError for an unknown prompt, and for an argument that it does not have. */
export function promptOf(name: string, given: Record<string, string> = {}) {
  const prompt = PROMPTS.find(one => one.name === name)
  if (prompt === undefined) {
    const names = PROMPTS.map(one => one.name).join(' and ')
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no such prompt; the prompts are ${names}.`)
  }
  const known = (prompt.arguments ?? []).map(argument => argument.name)
  const fits = Object.entries(given).every(([key, value]) => known.includes(key) && value.length <= SUBJECT_CHARACTERS)
  if (!fits) {
    const has =
      known.length === 0
        ? 'has no arguments'
        : `has only ${known.join(', ')}, of at most ${SUBJECT_CHARACTERS} characters`
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `The prompt ${name} ${has}.`)
  }
  const content = { type: 'text' as const, text: prompt.text(given) }
  return { description: prompt.description, messages: [{ role: 'user' as const, content }] }
}
