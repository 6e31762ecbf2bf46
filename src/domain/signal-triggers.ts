import { createTriggers, type TriggerSet } from './trigger-words.ts'

/**
 * Words without which a group of patterns finds nothing: a text that lacks one of the sets of a group is not searched for it. Words in letters
 * other than Latin ones are stood for by the ranges of their characters, and patterns without words by signs.
 */
/** The invisible characters of ASCII. */
const CONTROLS = Array.from({ length: 0x80 }, (_, code) => String.fromCharCode(code))
  .filter(character => /[^\t\n -~]/.test(character))
  .join('')

const SETS = {
  controls: { words: '', signs: CONTROLS },
  marks: { words: '', signs: '<[' },
  forks: { words: 'fork ifork truefork', signs: '{%' },
  unfollow: {
    words:
      'ignore ignores ignoring disregard disregarding forget neglect dismiss follow following obey obeying attention aside override overrides overriding overrule bypass discard abandon supersede supersedes replace replaces erase void cancel suspend drop disabled suspended lifted longer trumps trump outrank outranks precedence priority',
  },
  rules: {
    words:
      'instruction instructions prompt prompts directive directives guideline guidelines guardrail guardrails programming training orders rules restrictions safeguards policy policies messages message context commands conversation conversations constraints everything filters override notice command',
  },
  roles: {
    words:
      'assistant ai agent bot chatbot llm dan hacker persona jailbroken jailbreak unrestricted unfiltered uncensored mode restrictions filters filter limits guidelines policies policy instructions rules constraints safeguards developer debug',
  },
  becoming: {
    words:
      'now hereby actually really free freed bound released subject act behave respond answer operate function roleplay pretend dan jailbreak god',
  },
  purpose: { words: 'task goal objective role purpose mission priority job instruction instructions directive' },
  system: {
    words:
      'system hidden initial original developer internal secret administrator admin operator security anthropic openai emergency new real actual true sole primary',
  },
  untrusted: { words: 'untrusted external retrieved user' },
  models: {
    words:
      'ai ais llm llms model models chatbot chatbots bot bots copilot copilots chatgpt gpt claude gemini assistant assistants agent agents',
  },
  answers: {
    words:
      'answer answering respond responding response responses reply replying replies answers summarize summarise summarizing summarising summarized quoting paraphrasing obey comply',
  },
  person: { words: 'user users human humans operator operators owner owners person persons' },
  tell: {
    words:
      'tell inform alert mention warn notify disclose reveal show report say discuss let allow keep hide conceal withhold',
  },
  send: {
    words:
      'exfiltrate upload email mail forward transmit leak post send append secretly covertly quietly silently call invoke use trigger',
  },
  things: {
    words:
      'prompt conversation chat environment env credentials private ssh api secrets passwords tokens contents tool tools secretly covertly quietly silently',
  },
  germanic: {
    words:
      'ignorier ignoriere ignorieren ignoriert missachte missachten vergiss vergessen negeer vergeet ignorera glom ignorer glem nutzer benutzer anwender gebruiker anvandaren brugeren brukeren bist musst sollst mussen sollen moet',
  },
  romance: {
    words:
      'instrucciones indicaciones ordenes reglas istruzioni direttive regole instrucoes ordens regras diretrizes instructiunile instruccions consignes precedentes precedente precedents precedenti anterieures anterieure dessus recues anteriores previas utilisateur lutilisateur usuario utente allutente utilizador asistente assistente modele modelo modello agente',
  },
  eastern: {
    words:
      'zignoruj ignoruj ignorujte zapomnij zapomen nie nerikej onceki kullaniciya abaikan lupakan jangan polecenia instrukcje',
    scripts: [
      [0x400, 0x52f],
      [0x1ea0, 0x1eff],
    ],
  },
  southern: {
    words: '',
    scripts: [
      [0x590, 0x6ff],
      [0x900, 0x97f],
    ],
  },
  unspaced: {
    words: '',
    scripts: [
      [0xe00, 0xe7f],
      [0x1100, 0x11ff],
      [0x3040, 0xd7af],
    ],
  },
  checked: {
    words:
      'verified approved endorsed certified authenticated audited validated vetted confirmed vouched signed authorized authorised sanctioned reviewed trusted trustworthy authoritative guaranteed official',
  },
  vendor: {
    words:
      'anthropic openai google microsoft meta deepmind mozilla apple amazon nist cisa operator operators administrator administrators admin admins moderator moderators maintainers service platform security core vendor palimpsest github',
  },
  claimed: {
    words: 'officially formally independently professionally repeatedly this entry page answer comes treat am',
  },
  surely: {
    words:
      '100 percent blindly trust contenttrust identitytrust trusted verificationstatus verification guaranteed proven safe',
  },
  verify: { words: 'verify double doublecheck fact verification confirmation checking question' },
  attested: {
    words:
      'offiziell amtlich gepruft verifiziert bestatigt freigegeben vertrauenswurdige officiellement oficialmente ufficialmente verifie verifiee approuve approuvee verificado verificada aprobado aprobada verificato verificata approvato approvata fuente fonte fiable 100',
    scripts: [[0x400, 0x52f]],
  },
  remove: {
    words:
      'rm rmtree rmsync rmdirsync fileutils removedirs deleterecursively find mv chmod chown chgrp setfacl recurse',
  },
  disks: { words: 'dev passwd shadow sudoers fstab' },
  wipes: { words: 'drop truncate push format del erase rd rmdir vssadmin wbadmin cipher bcdedit kubectl fork' },
  fetches: {
    words:
      'curl wget wget2 fetch aria2c lynx axel invoke iwr irm iex base64 base32 xxd openssl uudecode gunzip zcat powershell downloadstring exec eval tcp nc ncat netcat',
  },
} satisfies Record<string, TriggerSet>

export type TriggerName = keyof typeof SETS

const NAMES = Object.keys(SETS) as TriggerName[]

/** The sets that a text has a word of, as bits. */
export const triggersOf: (text: string) => number = createTriggers(Object.values(SETS))

/** Several sets as bits. */
export const bitsOf = (names: readonly TriggerName[]): number =>
  names.reduce((bits, name) => bits | (1 << NAMES.indexOf(name)), 0)
