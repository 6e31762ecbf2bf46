import { createTriggers, type TriggerSet } from './trigger-words.ts'

/**
 * Trigger words: a group of patterns searches only texts with a word of each of its sets. Ranges of characters stand for words in scripts
 * other than Latin, and signs for patterns without words.
 */
/** The invisible characters of ASCII. */
const CONTROLS = Array.from({ length: 0x80 }, (_, code) => String.fromCharCode(code))
  .filter(character => /[^\t\n -~]/.test(character))
  .join('')

const SETS = {
  controls: { words: '', signs: CONTROLS },
  marks: {
    words: 'human user assistant assistants role ai ais llm llms agent chatbot chatbots copilot chatgpt claude gemini',
    signs: '<[',
  },
  forks: { words: 'fork ifork truefork', signs: '{%' },
  unfollow: {
    words:
      'ignore ignores ignoring disregard disregarding forget neglect dismiss follow following obey obeying attention aside override overrides overriding overrule bypass discard abandon supersede supersedes replace replaces erase void cancel suspend drop disabled suspended lifted longer trumps trump outrank outranks precedence priority set put leave lay push throw void revoked invalid obsolete outdated null',
  },
  rules: {
    words:
      'instruction instructions guidance prompt prompts directive directives guideline guidelines guardrail guardrails programming training orders rules restrictions safeguards policy policies messages message context commands conversation conversations constraints everything filters override notice command',
  },
  roles: {
    words:
      'assistant ai agent bot chatbot llm dan hacker persona jailbroken jailbreak unrestricted unfiltered uncensored mode restrictions filters filter limits guidelines policies policy instructions rules constraints safeguards developer debug',
  },
  becoming: {
    words:
      'longer henceforth starting play now hereby imagine apply switched enabled activated unlocked turned actually really free freed bound released subject act behave respond answer operate function roleplay pretend dan jailbreak god',
  },
  purpose: { words: 'task goal objective duty role purpose mission priority job instruction instructions directive' },
  system: {
    words:
      'hidden above complete entire full exact whole verbatim developer creator vendor operator principal human system initial original developer internal secret administrator admin operator security anthropic openai emergency new real actual true sole primary',
  },
  untrusted: { words: 'untrusted external retrieved user' },
  models: {
    words:
      'fellow required summarizer summarizers summariser summarisers asked ai ais llm llms model models chatbot chatbots bot bots copilot copilots chatgpt gpt claude gemini assistant assistants agent agents',
  },
  answers: {
    words:
      'omit exclude answer answering summary summaries report respond responding response responses reply replying replies answers summarize summarise summarizing summarising summarized quoting paraphrasing obey comply',
  },
  person: {
    words:
      'user users human humans operator operators owner owners person persons decode backwards further authorized authorised administrator developer system',
  },
  tell: {
    words:
      'tell escalate report raise forward refer bring knows know refuse decode backwards authorized authorised telling informing alerting mentioning treat though told learn hear informed written typed issued bothered alerted agreed consented approved authorized authorised granted confirmed inform alert mention warn notify disclose reveal show report say discuss let allow keep hide conceal withhold',
  },
  send: {
    words:
      'store save write add commit record put keep hand give submit disclose required open read cat print quote show output paste copy list dump collect gather include attach encode reveal return submit repeat display share summarize summarise every all any each exfiltrate upload email mail forward transmit leak post send append secretly covertly quietly silently call invoke use trigger',
  },
  things: {
    words:
      'memory memories notes token key keys credential secret password tool configuration context calls call aws ssh netrc npmrc kube rsa passwd access prompt conversation chat environment env credentials private ssh api secrets passwords tokens contents tool tools secretly covertly quietly silently',
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
      'supported upvoted checked tested cleared fact double peer penetration pen safety greenlit whitelisted allowlisted pre guarantees guarantee vouches vouch stands canonical definitive verified approved endorsed certified authenticated audited validated vetted confirmed vouched signed authorized authorised sanctioned reviewed trusted trustworthy authoritative guaranteed official',
  },
  vendor: {
    words:
      'anthropic openai google microsoft meta deepmind mozilla apple amazon nist cisa operator operators administrator administrators admin admins moderator moderators maintainers service platform security core vendor palimpsest github',
  },
  claimed: {
    words:
      'it these script code command commands steps fix procedure by for is here consider take officially formally independently professionally repeatedly this entry page answer comes treat am',
  },
  surely: {
    words:
      'rely count accept take skip omit bypass forgo malicious harmful dangerous unsafe exempt 100 percent blindly trust contenttrust identitytrust trusted verificationstatus verification guaranteed proven safe',
  },
  verify: {
    words:
      'review look vetting checks checking verify double doublecheck fact verification confirmation checking question',
  },
  attested: {
    words:
      'offiziell amtlich gepruft verifiziert bestatigt freigegeben vertrauenswurdige officiellement oficialmente ufficialmente verifie verifiee approuve approuvee verificado verificada aprobado aprobada verificato verificata approvato approvata fuente fonte fiable 100',
    scripts: [[0x400, 0x52f]],
  },
  remove: {
    words:
      'rm cd gci dir ls childitem rmtree rmsync rmdirsync fileutils removedirs deleterecursively find mv chmod chown chgrp setfacl recurse',
  },
  disks: {
    words:
      'dev passwd shadow sudoers fstab zpool zfs lvremove vgremove pvremove sgdisk cryptsetup diskutil parted diskpart volume disk partition reg shred srm',
  },
  wipes: { words: 'drop truncate push format del erase rd rmdir vssadmin wbadmin cipher bcdedit kubectl fork' },
  services: {
    words:
      'dropdatabase redis dropdb mysqladmin psql mysql mariadb sqlite3 sqlcmd curl etcdctl terraform tofu terragrunt pulumi aws gsutil gcloud az docker gh push kubectl crontab',
  },
  fetches: {
    words:
      'curl wget wget2 fetch aria2c lynx axel invoke iwr irm iex base64 base32 xxd openssl uudecode gunzip zcat powershell downloadstring exec eval tcp nc ncat netcat urlopen runinthiscontext npx bunx dlx uvx pipx deno mshta msiexec regsvr bitstransfer certutil bitsadmin scriptblock loadstring',
  },
} satisfies Record<string, TriggerSet>

export type TriggerName = keyof typeof SETS

const NAMES = Object.keys(SETS) as TriggerName[]

/** The sets of which a text has a word, as bits. */
export const triggersOf: (text: string) => number = createTriggers(Object.values(SETS))

/** Several sets as bits. */
export const bitsOf = (names: readonly TriggerName[]): number =>
  names.reduce((bits, name) => bits | (1 << NAMES.indexOf(name)), 0)
