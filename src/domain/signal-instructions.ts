import { type Group, gap, prose } from './signal-pattern.ts'

const UNFOLLOW =
  '(?:ignor(?:e|ing)|disregard(?:ing)?|forget|neglect|dismiss|stop (?:following|obeying)|(?:do not|dont|no longer) (?:follow|obey)|pay no attention to|set aside)'
const REPLACE =
  '(?:overrid(?:e|es|ing)|overrule|bypass|discard|abandon|supersedes?|replaces?|erase|void|cancel|suspend|drop)'
const EARLIER = '(?:previous(?:ly)?|prior|earlier|preceding|foregoing|former)'
const RULES =
  '(?:instructions?|prompts?|directives?|guidelines?|guardrails?|programming|training|orders|rules|restrictions|safeguards|polic(?:y|ies))'
const GUIDANCE = '(?:instructions?|prompts?|directives?|guidelines?|guardrails?|programming|training|safeguards)'
const MODEL =
  '(?:ai|llm|language model|large language model|chatbot|chatgpt|gpt|claude|gemini|copilot|ai (?:assistant|agent|model|system)|(?:coding|autonomous|automated) (?:agent|assistant)|assistant|agent|model)'
const MODELS =
  '(?:ais?|llms?|(?:large )?language models?|chatbots?|bots?|copilots?|chatgpt|gpt|claude|gemini|(?:(?:ai|coding|autonomous|automated|language) )?(?:agents?|assistants?|models?))'
const PERSON = '(?:user|human|operator|owner|person)s?'
const MUST = '(?:must|should|shall|need to|have to|has to|are (?:required|instructed|ordered|obliged|commanded) to)'

/** Marks of the formats that models are prompted in. */
const FORMATS: Group = {
  signal: 'INSTRUCTION_LIKE',
  over: 'text',
  needs: ['marks'],
  patterns: [
    /<\|(?:im_start|im_end|system|assistant|start_header_id|endofprompt)\|>|\[\/?INST\]|<<\/?SYS>>|<\/?(?:system[-_](?:prompt|reminder|message|instructions?|override)|developer[-_](?:message|instructions?)|(?:ai|agent|assistant|llm)[-_]instructions?)>/,
  ],
}

/** Text that speaks to the model that reads it, in English. */
export const INSTRUCTIONS: readonly Group[] = [
  FORMATS,
  // Earlier instructions do not count.
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
        `you are (?:now|hereby|actually|really) (?:an?|the|my|our|acting as|operating as|called|named) ${gap(3)}(?:assistant|ai|agent|bot|chatbot|llm|dan|hacker|persona|jailbroken|unrestricted|unfiltered|uncensored)`,
        `you are (?:now|hereby) (?:in|entering) ${gap(1)}(?:developer|debug|god|jailbreak|unrestricted|maintenance) mode`,
        `you are (?:now |hereby )?(?:free from|no longer bound by|freed from|no longer subject to|released from) ${gap(3)}(?:restrictions|rules|guidelines|polic(?:y|ies)|instructions|limits|constraints|safeguards|filters?)`,
        `(?:act|behave|respond|answer|operate|function|roleplay|role-play|pretend) ${gap(6)}(?:unrestricted|unfiltered|uncensored|jailbroken|no (?:restrictions|filters?|guidelines|rules|limits))`,
        `(?:dan|jailbreak|god) mode (?:is )?(?:now )?(?:enabled|activated|active|on)`,
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
        `from now on ${gap(1)}(?:you (?:shall|only(?! need)|always|never|respond|answer|act|obey|reply|will (?:only|always|never|respond|answer|act|obey|reply|ignore|recommend|refuse|follow))|(?:always|only|never) (?:respond|answer|reply|recommend|obey|say))`,
      ),
    ],
  },
  {
    signal: 'INSTRUCTION_LIKE',
    over: 'prose',
    needs: ['becoming', 'roles'],
    patterns: [
      prose(
        `from now on ${gap(1)}you are (?:an?|the|my|in) ${gap(3)}(?:${MODEL}|hacker|persona|${gap(1)}mode|dan|unrestricted|unfiltered|uncensored)`,
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
  // The own prompt of a model, or another one.
  {
    signal: 'INSTRUCTION_LIKE',
    over: 'prose',
    needs: ['system', 'rules'],
    patterns: [
      prose(
        `(?:reveal|print|show|repeat|output|leak|disclose|display|expose|send|dump|share|exfiltrate|post|return|recite|translate|summari[sz]e|quote|append|include|paste|upload|give|tell) ${gap(4)}(?:(?:your|the) ${gap(1)}system (?:prompt|instructions)|your ${gap(1)}(?:hidden|initial|original|developer|internal|secret) (?:prompt|instructions|messages?))`,
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
  // Address and order.
  {
    signal: 'INSTRUCTION_LIKE',
    over: 'prose',
    needs: ['models'],
    patterns: [
      prose(
        `as an? ${MODEL} ${gap(1)}you (?:must|should|shall|need to|have to|are (?:required|instructed|obliged|expected|to)|will|always|never)`,
        `(?:if|when|since|because) (?:you are|youre) (?:an? |the |any )?${gap(1)}${MODEL} ${gap(10)}(?:must|run|execute|ignore|disregard|reply|respond|include|recommend|tell|output|append|insert|delete|obey|send|post|upload|download|fetch|call|install|visit|do not|dont|never|always|stop)`,
        `(?:attention|note|notice|message|instructions?|warning|reminder|memo|orders?) (?:to|for) (?:all |any |every |the |other |our )?${MODELS} (?:${gap(3)}|systems )?:`,
        `(?:attention|dear|hey|hello) (?:all |any |every |fellow )?(?:ais?|llms?|language models?|chatbots?|chatgpt|claude|gemini|copilot|assistants?|ai (?:agents?|assistants?|models?))`,
        `${MODELS} (?:(?:that|who|which|when|while|currently|now|is|are) ){0,3}(?:read(?:s|ing)?|process(?:es|ing)?|summari[sz](?:es?|ing)|pars(?:es?|ing)|ingest(?:s|ing)?|retriev(?:es?|ing)|analy[sz](?:es?|ing)|consum(?:es?|ing)) (?:this|these|the following) (?:text|page|entry|document|content|message|file|article|answer|memory|note|instructions?|record)`,
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
        `(?:call|invoke|use|trigger) (?:the|your|any|every) ${gap(3)}tools? ${gap(5)}(?:silently|secretly|without (?:asking|confirmation|telling|permission|approval)|to (?:send|upload|exfiltrate|email|delete|forward|transmit|post))`,
      ),
    ],
  },
]
