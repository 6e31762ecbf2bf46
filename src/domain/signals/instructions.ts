import { type Group, gap, prose } from './pattern.ts'

const UNFOLLOW =
  '(?:ignor(?:e|ing)|disregard(?:ing)?|forget|neglect|dismiss|stop (?:following|obeying)|(?:do not|dont|no longer) (?:follow|obey)|pay no attention to|set aside)'
const REPLACE =
  '(?:overrid(?:e|es|ing)|overrule|bypass|discard|abandon|supersedes?|replaces?|erase|void|cancel|suspend|drop)'
const EARLIER = '(?:previous(?:ly)?|prior|earlier|preceding|foregoing|former)'
const RULES =
  '(?:instructions?|guidance|prompts?|directives?|guidelines?|guardrails?|programming|training|orders|rules|restrictions|safeguards|constraints|polic(?:y|ies))'
const GUIDANCE = '(?:instructions?|prompts?|directives?|guidelines?|guardrails?|programming|training|safeguards)'
const MODEL =
  '(?:ai|llm|language model|large language model|chatbot|chatgpt|gpt|claude|gemini|copilot|ai (?:assistant|agent|model|system)|(?:coding|autonomous|automated) (?:agent|assistant)|assistant|agent|model)'
const MODELS =
  '(?:ais?|llms?|(?:large )?language models?|chatbots?|bots?|copilots?|chatgpt|gpt|claude|gemini|(?:(?:ai|coding|autonomous|automated|language) )?(?:agents?|assistants?|models?))'
/** Words that name a reading model and nothing else. */
const READERS =
  '(?:(?:ai|llm|language|coding|autonomous|automated) (?:assistants?|agents?|models?|systems?|readers?|tools?)|ais|llms?|chatbots?|assistants?|chatgpt|gpt-?\\d?|claude|gemini|copilot)'
/** An imperative that asks a model to act. */
const ORDER =
  '(?:ignore|disregard|forget|override|obey|approve|grant|allow|execute|run|send|email|forward|post|upload|reveal|print|output|quote|repeat|visit|open|fetch|download|delete|remove|call|invoke|use|include|append|add|insert|skip|bypass|disable|stop|reply|respond|answer|say|tell|recommend|prefer|treat|consider|assume|never|always|do not|dont|you (?:must|should|shall|are|will|may|can|have)|your)'
const PERSON = '(?:user|human|operator|owner|person)s?'
const MUST = '(?:must|should|shall|need to|have to|has to|are (?:required|instructed|ordered|obliged|commanded) to)'

/** Prompt formats of models, forged turns and results, and orders to put data into an address. */
const FORMATS: Group = {
  signal: 'INSTRUCTION_LIKE',
  over: 'text',
  needs: ['marks'],
  patterns: [
    /<\|(?:im_start|im_end|system|assistant|start_header_id|endofprompt)\|>|\[\/?INST\]|<<\/?SYS>>|<\/?(?:tool[-_](?:results?|response|call|use|output)|function[-_](?:results?|calls?|response)|system[-_](?:prompt|reminder|message|instructions?|override)|developer[-_](?:message|instructions?)|(?:ai|agent|assistant|llm)[-_]instructions?)>/,
    /<(?:system|important|admin|instructions?|developer|override|hidden)>[^<]{0,400}\b(?:you|your|ignore|disregard|tool calls?|assistant|polic(?:y|ies)|do not (?:tell|mention)|must)\b/i,
    /^(?:[ \t>*_#"'`-]{0,6})(?:Human|User)[*_]{0,2}:[*_]{0,2}[ \t]\S[^\n]{0,400}\n{1,3}[ \t>*_]{0,4}(?:Assistant|AI)[*_]{0,2}:|^(?:[ \t>*_]{0,4})(?:\\n\\n)?Human:[ \t]|^(?:[ \t>*_"-]{0,4})Assistant[*_]{0,2}:[*_]{0,2}[ \t]+(?:I(?:'ll| will| have|'ve| am|'m| can| confirm)|Sure|Of course|Ok(?:ay)?\b|Yes|Understood|Certainly|Done)/m,
    /"role"\s*:\s*"(?:system|developer)"\s*,\s*"content"\s*:\s*"[^"\n]{0,300}\b(?:ignore|disregard|override|forget|authori[sz]ed|unrestricted|new (?:policy|instructions?|goals?)|your goals?|previous|above|following document|send|reveal|exfiltrate)\b/i,
    /^[ \t"'#/*;-]{0,6}(?:ai|agent|assistant|llm|chatbot|copilot)[-_ ](?:instructions?|directives?|orders?|notices?|override|task|action|command)["']?[ \t]*[:=][ \t]*\S/im,
    /!\[[^\]\n]{0,80}\]\(https?:\/\/[^)\s]{0,200}[?&][^)\s]{0,60}=[^)\s]{0,60}(?:\{\{?\s?(?:conversation|prompt|history|secret|context|messages?|data|user|answer|summary)|<[^>\n]{3,60}>|SECRET|BASE64|CONVERSATION|HISTORY|PROMPT|YOUR_|USER_|ANSWER|SUMMARY)/,
    new RegExp(`(?:^|[.!?>\\n][ \\t]{0,3})(?:${READERS}|AI),[ \\t]+(?:please[ \\t]+)?${ORDER}\\b`, 'im'),
  ],
}

/** English text that addresses the model that reads it. */
export const INSTRUCTIONS: readonly Group[] = [
  FORMATS,
  // Earlier instructions are revoked.
  {
    signal: 'INSTRUCTION_LIKE',
    over: 'prose',
    needs: ['unfollow', 'rules'],
    patterns: [
      prose(
        `${UNFOLLOW} ${gap(3)}(?:${EARLIER}|above|your|system|developer|safety) ${gap(2)}${RULES}`,
        `${REPLACE} ${gap(2)}(?:${EARLIER}|your|system|developer|safety) ${gap(1)}${GUIDANCE}`,
        `${UNFOLLOW} all (?:of )?(?:the |your )?(?:${EARLIER}|above) ${gap(1)}(?:messages|context|commands|conversations?|constraints|text)`,
        `${UNFOLLOW} ${gap(3)}${RULES} (?:above this|you (?:were|have been|have|received|got)|(?:given|told) (?:to you|before|earlier)|so far|that (?:came before|precede)|from (?:the|your) (?:system|user|developer|operator))`,
        `(?:set|put|leave|lay|push|throw) ${gap(1)}(?:your|any|all|the) ${gap(3)}${RULES} ${gap(2)}(?:aside|away|behind|out)`,
        `(?:your|any|all) (?:${EARLIER}|initial|original|system|developer) ${gap(1)}${RULES} (?:is|are|was|were|have been|has been|no longer|do not|dont) ${gap(2)}(?:void|revoked|cancell?ed|obsolete|invalid|overridden|superseded|replaced|suspended|withdrawn|outdated|apply|valid|null)`,
        `(?:everything|anything|all text|all of the text|the text) (?:above|before) ${gap(3)}(?:was|is|were|are) ${gap(3)}(?:written by|void|obsolete|fake|forged|a test|a forgery|outdated|wrong|untrue|null)`,
        `${RULES} (?:given|provided|shown|told|handed|sent) to you ${gap(4)}(?:are|is|were|have|no longer|do not|dont)`,
        `(?:ignore|disregard|forget) everything (?:above|before (?:this|now)|said|that was said|prior|previous|you (?:were|have been) (?:told|given|taught|instructed))`,
        `(?:this|these|the following) ${gap(1)}(?:instructions?|directives?|rules?|messages?|texts?|entry|notes?) (?:now )?(?:overrides?|supersedes?|replaces?|outranks?|trumps?|takes? (?:precedence|priority) over|ha(?:s|ve) priority over) ${gap(3)}(?:instructions?|prompts?|directives?|guidelines?|training)`,
        `your (?:safety |content |ethical |usual |normal )${gap(1)}(?:guidelines|filters?|polic(?:y|ies)|restrictions|training|guardrails|rules) (?:are|is|have|has|do|does|no longer) ${gap(2)}(?:disabled|suspended|lifted|removed|apply|off)`,
      ),
    ],
  },
  // A new role.
  {
    signal: 'INSTRUCTION_LIKE',
    over: 'prose',
    needs: ['roles', 'becoming'],
    patterns: [
      prose(
        `you are (?:now|hereby|actually|really|no longer) (?:an?|the|my|our|acting as|operating as|called|named) ${gap(3)}(?:assistant|ai|agent|bot|chatbot|llm|dan|hacker|persona|jailbroken|unrestricted|unfiltered|uncensored)`,
        `you are (?:now|hereby) (?:in|entering) ${gap(1)}(?:developer|debug|god|jailbreak|unrestricted|maintenance) mode`,
        `you are (?:now |hereby )?(?:free from|no longer bound by|freed from|no longer subject to|released from) ${gap(3)}(?:restrictions|rules|guidelines|polic(?:y|ies)|instructions|limits|constraints|safeguards|filters?)`,
        `(?:act|behave|respond|answer|operate|function|roleplay|role-play|pretend) ${gap(6)}(?:unrestricted|unfiltered|uncensored|jailbroken|no (?:restrictions|filters?|guidelines|rules|limits))`,
        `(?:dan|jailbreak|god) mode (?:is )?(?:now )?(?:enabled|activated|active|on)`,
        `(?:pretend|imagine|act as if|behave as if|respond as if|answer as if|act as though) (?:that )?you (?:have|had|are|were) (?:no|not bound|free|without|never|unrestricted|unfiltered|root|an? (?:administrator|admin|developer|hacker|attacker))`,
        `(?:developer|debug|maintenance|admin|sudo|unrestricted) mode (?:is|was|has been) (?:now )?(?:switched on|enabled|activated|unlocked|turned on) (?:for you|by your|. (?:limits|restrictions|filters|safeguards|rules|you|your|ignore))`,
        `(?:restrictions|safeguards|guidelines|content policy|safety (?:rules|policies|filters|checks)) (?:do not|dont|no longer|never) apply (?:to you|here|now|in this (?:session|conversation|mode)|while)`,
      ),
    ],
  },
  // A new task.
  {
    signal: 'INSTRUCTION_LIKE',
    over: 'prose',
    needs: ['becoming', 'answers'],
    patterns: [
      prose(
        `(?:from now on|from (?:this point|here) (?:on|onwards?|forward)|henceforth|starting now|as of now) ${gap(1)}(?:you (?:shall|only(?! need)|always|never|respond|answer|act|obey|reply|will (?:only|always|never|respond|answer|act|obey|reply|ignore|recommend|refuse|follow))|(?:always|only|never) (?:respond|answer|reply|recommend|obey|say))`,
      ),
    ],
  },
  {
    signal: 'INSTRUCTION_LIKE',
    over: 'prose',
    needs: ['becoming', 'roles'],
    patterns: [
      prose(
        `(?:from now on|from (?:this point|here) (?:on|onwards?|forward)|henceforth|starting now|as of now) ${gap(2)}(?:you are|pretend (?:that )?you are|act as|behave as|play) (?:an?|the|my|in) ${gap(3)}(?:${MODEL}|bot|hacker|persona|${gap(1)}mode|dan|unrestricted|unfiltered|uncensored)`,
      ),
    ],
  },
  {
    signal: 'INSTRUCTION_LIKE',
    over: 'prose',
    needs: ['purpose', 'system'],
    patterns: [
      prose(
        `your (?:new|real|true|primary|sole|actual) (?:task|goal|objective|instructions?|role|purpose|mission|directive|priority|job) (?:is|are|now|:)`,
      ),
    ],
  },
  // The prompt of the model is requested or replaced.
  {
    signal: 'INSTRUCTION_LIKE',
    over: 'prose',
    needs: ['system', 'rules'],
    patterns: [
      prose(
        `(?:reveal|print|show|repeat|output|leak|disclose|display|expose|send|dump|share|exfiltrate|post|return|recite|translate|summari[sz]e|quote|append|include|paste|upload|give|tell) ${gap(4)}(?:(?:your|the) ${gap(1)}system (?:prompt|instructions)|your ${gap(1)}(?:hidden|initial|original|developer|internal|secret) (?:prompt|instructions|messages?))`,
        `(?:reveal|print|show|repeat|output|disclose|display|dump|share|return|recite|translate|reproduce|quote|paste|write out|give|tell) ${gap(4)}(?:(?:complete|entire|full|exact|whole|verbatim|original|initial|hidden) (?:text|prompt|message|instructions?) ${gap(3)}(?:above|beginning with|starting with|before|you (?:got|were|have|received))|(?:instructions?|prompt|rules|guidelines) (?:that )?you (?:got|were given|received|have been given|were told))`,
        `what (?:exactly )?(?:did|does|has) your (?:developer|operator|creator|vendor|owner) ${gap(2)}(?:write|written|say|said|tell|told|instruct|put|configure)`,
        `i am your (?:actual |real |true |original |new )?(?:developer|operator|creator|administrator|admin|principal|owner|supervisor)`,
        `(?:com(?:es|ing)|came|sent|issued) (?:directly )?(?:from|by) your (?:principal|operator|developer|owner|human|creator)`,
        `your (?:operator|principal|developer|human) (?:has |have |had )?(?:configured|told|gave|given|set|wrote|written|instructed|wants|knows|asked|approved|agreed|authori[sz]ed)`,
        `(?:new|real|actual|true) (?:system |primary |top )?(?:instructions?|directives?|orders|prompt) :`,
        `(?:begin|end|start|new) (?:of )?(?:the )?(?:system|developer) (?:prompt|message|instructions?|override)`,
        `(?:system|administrator|admin|developer|operator|security|anthropic|openai|emergency) (?:override|directive|instructions?|prompt|notice|command) (?:: )(?:you|ignore|disregard|forget|all|the|this|do|always|never|run|execute|from|any|immediately)`,
        `\\. (?:system|developer) : (?:you (?:are|must|should|will)|ignore|disregard|forget|override|from now on)`,
      ),
    ],
  },
  // A forged end of untrusted text.
  {
    signal: 'INSTRUCTION_LIKE',
    over: 'prose',
    needs: ['untrusted'],
    patterns: [prose(`end of (?:untrusted|user|external|retrieved) (?:data|content|input|text|document)`)],
  },
  // A model is addressed and given an order.
  {
    signal: 'INSTRUCTION_LIKE',
    over: 'prose',
    needs: ['models'],
    patterns: [
      prose(
        `as (?:an?|the) ${MODEL} ${gap(3)}(?:you (?:must|should|shall|need to|have to|can|are (?:required|instructed|obliged|expected|allowed|to)|will|always|never)|your (?:first|next|only|new|real|task|job|duty|goal))`,
        `(?:if|when|since|because|in case) (?:you are|youre) (?:an? |the |any )?${gap(1)}${MODEL} ${gap(10)}(?:must|run|open|print|read|approve|grant|skip|use|add|copy|quote|show|set|prefer|rank|execute|ignore|disregard|reply|respond|include|recommend|tell|output|append|insert|delete|obey|send|post|upload|download|fetch|call|install|visit|do not|dont|never|always|stop)`,
        `(?:attention|note|notice|message|instructions?|warning|reminder|memo|orders?) (?:to|for) (?:all |any |every |the |other |our )?${MODELS} (?:${gap(3)}|systems )?:`,
        `(?:attention|dear|hey|hello) (?:all |any |every |fellow )?(?:ais?|llms?|language models?|chatbots?|chatgpt|claude|gemini|copilot|assistants?|ai (?:agents?|assistants?|models?))`,
        `${MODELS} (?:(?:that|who|which|when|while|currently|now|is|are) ){0,3}(?:read(?:s|ing)?|process(?:es|ing)?|summari[sz](?:es?|ing)|pars(?:es?|ing)|ingest(?:s|ing)?|retriev(?:es?|ing)|analy[sz](?:es?|ing)|consum(?:es?|ing)) (?:this|these|the following) (?:text|page|entry|document|content|message|file|article|answer|memory|note|instructions?|record|section|paragraph|thread|issue|comment|ticket|snippet|chunk|result|must|should|shall|will|has|have|needs?|could|may|can|to|first|:)`,
        `${READERS} (?:${gap(6)}|that ${gap(4)}|who ${gap(4)})(?:${MUST}|is (?:required|asked|instructed|ordered|obliged|expected|authori[sz]ed|permitted) to|could|may) ${gap(1)}(?:ignore|disregard|obey|comply|execute|send|approve|grant|skip|reveal|disclose|print|quote|output|append|include|forward|upload|post|rank|recommend|delete|visit|click|download|tell|say|claim|treat|trust|prefer|bypass|override|disable|withhold|hide|omit|call|invoke)`,
        `(?:tell|inform|alert|mention (?:it|this) to) (?:no one|nobody|noone)`,
        `(?:for|to) (?:the |any |all |every )?(?:${READERS}|ai|agents?|models?)(?: only| eyes only)? :`,
        `(?:${READERS}|ai|agents?|models?|summari[sz]ers?)(?:-only| only) (?:section|note|text|content|paragraph|instructions?|part|block)`,
        `(?:fellow|dear|hello|hi|hey) ${gap(1)}(?:${READERS}|ai|agent|model)`,
        `(?:action|step|task|measure)s? (?:required )?(?:by|for|from|of) (?:all |any |every |the )?(?:${READERS}|ai|agents?|models?) (?::|\\. )`,
        `required ${gap(1)}(?:action|step|tool call|task)s? ${gap(2)}(?:by|for|from) (?:all |any |every |the )?(?:${READERS}|ai|agents?|models?)`,
        `if you (?:have been|are|were) (?:asked|told|instructed|supposed|about) to (?:summari[sz]e|rank|rate|review|translate|evaluate|compare|judge|quote|answer|classify) ${gap(4)}(?:this|these|with|from|the)`,
        `(?:begin|start|end|open|close) (?:of )?(?:the )?(?:agent|assistant|ai|llm|model) (?:directives?|instructions?|override|commands?|orders?|task|policy|block|section)`,
        `\\. (?:${READERS}|agents|models) : (?:please )?(?:also )?${ORDER}`,
        `(?:instructions?|directives?|orders?|notes?|messages?|guidance|notices?|requests?) (?:to|for|addressed to|intended for|meant for|aimed at) (?:all |any |every |the |other |our |your )?(?:automated |autonomous |ai |llm |coding |language )?(?:${READERS}|ai|agents?|models?) (?:: |\\. |${gap(4)}(?:reading|processing|summari[sz]ing|indexing|parsing|ingesting) )`,
        `(?:the|this|any|every|all) (?:ai |language )?(?:assistants?|models?|ais?|llms?|chatbots?) ${MUST} ${gap(1)}(?:ignore|disregard|obey|comply|tell|not tell|recommend|reveal|delete|upload|not (?:mention|reveal|inform|warn|disclose)|never (?:mention|reveal|inform|tell|warn|disclose))`,
      ),
    ],
  },
  // Demands on the answer.
  {
    signal: 'INSTRUCTION_LIKE',
    over: 'prose',
    needs: ['answers'],
    patterns: [
      prose(
        `(?:when|whenever|while|if) ${gap(2)}(?:summari[sz]\\w{1,3}|answering|quoting|paraphrasing) ${gap(5)}(?:must|always|never|say|reply|tell|recommend|claim|append|add|insert|include|state|do not|dont)`,
        `before (?:you )?(?:answer|answering|responding|respond|reply|replying) ${gap(4)}(?:run|call|execute|fetch|send|post|visit|invoke|open|upload|download|curl|transmit|include|delete|print)`,
        `(?:end|begin|start|finish|close|sign|prefix) (?:your|every|each|all) ${gap(1)}(?:response|answer|reply|replies|answers|responses) (?:with|by)`,
        `(?:reply|respond|answer) (?:only |exactly )?with ${gap(10)}and nothing else`,
        `(?:add|put|place|show|insert|include|append|print|paste|write|say|mention|repeat|embed|render) ${gap(10)}(?:at the (?:end|start|beginning|top|bottom) of|to|in|into|with|on) (?:your|each of your|every one of your) (?:${gap(1)})(?:answers?|repl(?:y|ies)|responses?|outputs?|summar(?:y|ies)|next message)`,
        `(?:your|every|each) (?:final |next )?(?:answer|reply) (?:must|should|has to|shall|will|needs to) (?:also )?(?:end|begin|start|close|contain|include|mention|say|state|recommend)`,
        `(?:keep|leave) ${gap(4)}out of (?:your|any|the|all) ${gap(1)}(?:summary|summaries|answers?|repl(?:y|ies)|responses?|reports?|transcripts?)(?! of)`,
        `(?:omit|exclude|remove|drop|leave out) (?:this|these) (?:paragraph|section|note|part|line|step|sentence|instructions?|message)s? (?:from|in) (?:your|the|any)`,
        `(?:leave|keep) (?:it|this|that|them) out of (?:your|the|any) ${gap(1)}(?:summary|summaries|answers?|repl(?:y|ies)|responses?|reports?|transcripts?)`,
        `before you (?:answer|reply|respond|continue)(?: \\. | ${gap(3)}(?:and |then )?)(?:leave|do not|dont|never|read|run|send|post|call|open|fetch)`,
        `you (?:must|shall|will) (?:obey|comply with) (?:this|these|every|me|my|all) ${gap(2)}(?:instructions?|orders?|commands?|directives?|rules|messages?|\\.)`,
      ),
    ],
  },
  // Secrecy.
  {
    signal: 'INSTRUCTION_LIKE',
    over: 'prose',
    needs: ['person', 'tell'],
    patterns: [
      prose(
        `(?:do not|dont|never|must not) (?:ever )?(?:tell|inform|alert|mention|warn) ${gap(4)}(?:the|your) ${PERSON}`,
        `(?:do not|dont|never|must not) (?:ever )?(?:notify|disclose|reveal|show|report|mention|say|discuss) (?:this|it|that|these|any of this|the existence of) ${gap(3)}(?:to|with) (?:the |your |any )?${PERSON}`,
        `(?:do not|dont|never) (?:let|allow) (?:the|your) ${PERSON} (?:to )?(?:know|see|notice|find out)`,
        `(?:keep|hide|conceal|withhold) (?:this|it|these|that) ${gap(4)}from (?:the |your |any |all )?${PERSON}`,
        `without (?:telling|informing|alerting|mentioning (?:it|this|that) to|asking or telling) (?:the|your|any) (?:human )?${PERSON}`,
        `(?:the |your )(?:human |end )?${PERSON} (?:does not|doesnt|do not|dont|need not|neednt|must not|mustnt|should not|shouldnt|will not|wont) (?:need to |have to |ever )?(?:hear|learn|find out|be (?:told|informed|bothered|alerted|made aware)|notice any)`,
        `(?:do not|dont|never|must not|no need to) (?:escalate|report|raise|forward|refer|mention|bring) ${gap(4)}(?:to|with) (?:the |your |any |a )?(?:human )?${PERSON}`,
        `your (?:human |end )?${PERSON} (?:knows?|know) (?:nothing|not)`,
        `refuse (?:all|any|every) (?:further|other|later|subsequent) (?:requests?|questions?|instructions?)`,
        `(?:you are|youre) (?:hereby |now |explicitly |fully )?authori[sz]ed to (?:turn|disable|delete|remove|skip|bypass|push|merge|approve|run|execute|share|send|grant|override|ignore)`,
        `decode ${gap(6)}and (?:then )?(?:follow|do|execute|obey|run|carry out|comply)|(?:decode|follow|fetch|open|visit) ${gap(10)}(?:do|obey|execute|follow) what (?:it|the \\S{1,20} \\S{1,20}) says|read (?:this |it |that |the \\S{1,20} )?backwards`,
        `the (?:user|operator|owner|human|administrator) (?:has|already) ${gap(1)}(?:agreed|consented|approved|authori[sz]ed|granted|given|confirmed) ${gap(2)}(?:all|every|any|you|this (?:action|step|transfer|request|operation|command)|these (?:actions|steps|requests|commands)|to share|permission|consent|full)`,
        `as (?:if|though) (?:it|they|this|these|your|the|an?) ${gap(3)}(?:developer|operator|user|owner|system|administrator)s? (?:had |has |have )?(?:written|wrote|said|sent|typed|given|asked|requested|issued)`,
        `treat ${gap(6)}as (?:an? |the |your )?(?:new )?(?:system|developer|operator|user|trusted|authori[sz]ed) (?:prompts?|messages?|instructions?|requests?|orders?|commands?|input)`,
      ),
    ],
  },
  // Demands to send data.
  {
    signal: 'INSTRUCTION_LIKE',
    over: 'prose',
    needs: ['send', 'things'],
    patterns: [
      prose(
        `(?:secretly|covertly|quietly|silently) (?:send|upload|exfiltrate|forward|transmit|email|leak|run|execute|call|install)`,
        `(?:exfiltrate|upload|e-?mail|forward|transmit|leak|post|send|append) ${gap(4)}(?:system prompt|conversation|chat (?:history|log)|environment variables|env vars|credentials|private keys?|ssh keys?|api keys?|secrets|passwords|tokens|contents of \\S{1,40}) ${gap(3)}(?:to|at|via) ${gap(3)}(?:https?\\S{0,200}|\\S{1,60}@\\S{1,60}|\\S{1,60}\\.(?:com|net|org|io|example|xyz|ru|dev|sh)\\S{0,100})`,
        `(?:open|read|cat|print|quote|show|output|paste|copy|list|dump|collect|gather|include|attach|encode|reveal|return|send|forward|post|upload|e-?mail|submit) ${gap(8)}(?:environment variables|env vars|credentials|private keys?|ssh keys?|api keys?|access keys?|secrets|passwords|access tokens?|(?:the |your )?(?:conversation|chat) (?:history|log|so far)|context window|\\S{0,30}/\\.(?:aws|ssh|netrc|npmrc|kube|docker|config)\\S{0,40}|\\.env|/etc/(?:passwd|shadow)|\\S{0,30}id_rsa\\S{0,10}) ${gap(8)}(?:in(?:to)? (?:your|the next) (?:\\S{1,15} )?(?:answer|reply|response|output|message|summary)|to (?:the|this|our|that) (?:address|url|endpoint|webhook|server|mailbox|channel) (?:below|above|given|\\S{1,20} ?:)|in full|verbatim|word for word|as a (?:comment|query|parameter|query parameter))`,
        `(?:print|show|reveal|repeat|dump|output|display|quote|list|share|send|summari[sz]e) ${gap(4)}your (?:\\S{1,15} )?(?:context window|context|conversation history|chat history|memory|memories|tool (?:definitions|list|descriptions)|configuration)`,
        `(?:store|save|write|add|commit|record|put|keep) ${gap(14)}(?:in|to|into) your (?:long-term |persistent |own |permanent |agent )?(?:memory|memories|context|notes)`,
        `(?:hand over|give me|send me|share|reveal|post|write|paste|submit|disclose|tell me) ${gap(2)}your (?:own )?(?:api |actor |access |auth |bearer |session )?(?:tokens?|keys?|credentials|secrets?|password)`,
        `required tool call`,
        `(?:every|all|any|each) (?:tool|function) calls? (?:is|are|has been|have been) (?:now |already )?(?:allowed|approved|permitted|authori[sz]ed|pre-?approved)`,
        `(?:call|invoke|use|trigger) (?:the|your|any|every) ${gap(3)}tools? ${gap(5)}(?:silently|secretly|without (?:asking|confirmation|telling|permission|approval)|to (?:send|upload|exfiltrate|email|delete|forward|transmit|post))`,
      ),
    ],
  },
]
