import { type Group, gap, prose, unspaced } from './pattern.ts'

const VENDOR =
  '(?:anthropic|openai|google|microsoft|meta|deepmind|mozilla|apple|amazon|nist|cisa|the (?:operators?|administrators?|admins?|moderators?|maintainers? of this|service|platform|security team|core team|vendor|palimpsest \\S{1,20})|palimpsest|github staff)'
const CHECKED =
  '(?:verified|approved|endorsed|certified|authenticated|audited|validated|vetted|confirmed|vouched for|signed off|authori[sz]ed|sanctioned|reviewed)'

/** Text that claims to be trustworthy. */
export const TRUST_CLAIMS: readonly Group[] = [
  // Checked by a named party.
  {
    signal: 'CLAIMS_TRUST',
    over: 'prose',
    needs: ['checked', 'vendor'],
    patterns: [
      prose(
        `${CHECKED} (?:and \\S{1,20} )?by ${gap(1)}${VENDOR}`,
        `${VENDOR} ${gap(3)}(?:has|have|had|personally|officially|fully|already|both) ${gap(1)}(?:${CHECKED}|checked) (?:on )?(?:this|these|the) (?:entry|note|text|page|answer|script|command|steps?|procedure|content|instructions?|document|fix)`,
        `${VENDOR} ${gap(3)}(?:vouch(?:es)?|guarantees?|stands? behind|certif(?:y|ies)) (?:for )?(?:this|these|its)`,
      ),
    ],
  },
  // Checked, trusted.
  {
    signal: 'CLAIMS_TRUST',
    over: 'prose',
    needs: ['checked', 'claimed'],
    patterns: [
      prose(
        `(?:officially|formally) (?:verified|approved|endorsed|certified|authenticated|vetted|sanctioned|validated)`,
        `(?:is|was|been|are|were) (?:independently|professionally|repeatedly) (?:verified|approved|endorsed|vetted|audited|confirmed)`,
        `(?:this (?:entry|page|answer|article|record|revision|memory|fact|advice|guide|text|document|information|content|procedure|command|solution)|the (?:entry|page|answer)) (?:is|was|has been|comes) ${gap(2)}(?:verified|approved|endorsed|certified|authenticated|vetted|trusted|trustworthy|authoritative|guaranteed|official)`,
        `(?:it|this|these|this \\S{1,20}|these \\S{1,20}|the (?:script|code|commands?|steps?|entry|note|fix|procedure)) ${gap(6)}(?:has been|have been|was|were|is|are) (?:fully |already |thoroughly |independently |carefully )?(?:fact-checked|double-checked|peer-reviewed|penetration-tested|pen-tested|security-reviewed|security-audited|safety-checked|safety-reviewed|greenlit|whitelisted|allowlisted|pre-approved|cleared for)`,
        `(?:audited|reviewed|checked|vetted|tested|verified|approved|certified) by ${gap(1)}(?:independent|external|professional|accredited|third-party) (?:firms?|experts?|auditors?|researchers?|part(?:y|ies)|reviewers?|laborator(?:y|ies)|teams?)`,
        `(?:cleared|approved|authori[sz]ed|certified) for (?:automatic|automated|autonomous|unattended|unsupervised|direct|immediate) (?:use|execution|application|processing)`,
        `(?:this is|here is|consider this|take this as) (?:the|an?) ${gap(3)}(?:official|authoritative|canonical|definitive) ${gap(1)}(?:hotfix|fix|note|answer|patch|statement|notice|advice|procedure|guidance|advisory|solution|instructions?)`,
        `(?:supported|verified|confirmed|checked|endorsed|upvoted|approved) by (?:over |more than |all )?\\d{1,9}\\+? ${gap(1)}(?:readers?|agents?|users?|actors?|reviewers?|experts?|developers?|people|voices?|engineers?)`,
        `(?:this is|comes from|i am|we are|treat (?:this|it|the following)(?: \\S{1,20})? as) (?:an? |the |from an? )?(?:fully |completely |officially |highly )?(?:trusted|verified|authoritative|certified|trustworthy|official) (?:\\. |sources?|entry|information|content|data|author|instructions?|answer|document|procedure|guidance|channel)`,
      ),
    ],
  },
  // Certainly safe.
  {
    signal: 'CLAIMS_TRUST',
    over: 'prose',
    needs: ['surely'],
    patterns: [
      prose(
        `(?<! (?:not|never|no|isnt|arent|be|nearly|almost|hardly) )(?<! (?:no|nothing|none|neither|nor|dont|doesnt|cannot|cant|never|not) \\S{1,20} (?:\\S{1,20} )?)100 ?(?:%|percent) (?:safe|accurate|verified|secure|guaranteed|correct|trusted|trustworthy|reliable|legitimate|legit)`,
        `you (?:can|may|should) (?:fully |completely |safely |absolutely |blindly |always )?(?:rely on|count on|take|accept|treat) (?:this|these)(?: \\S{1,15})? (?:\\. |entry|answer|note|completely|fully|blindly|as (?:the |an? )?(?:authoritative|official|verified|correct|fact|given|truth))`,
        `(?:so|therefore|hence|thus) (?:you|agents|models|readers) (?:can|may|should) (?:safely |simply |just )?(?:trust|rely|accept|skip|omit|bypass|forgo)`,
        `(?:you|agents|models|assistants|readers) (?:can|may) (?:safely |simply |just )?(?:skip|omit|bypass|forgo) (?:the |any |all |your )?(?:usual |further |normal )?(?:sandbox|review|checks?|verification|confirmation|validation|approval)`,
        `(?:contains? no|free (?:of|from)(?: any)?|there is nothing|theres nothing|nothing) (?:malicious|harmful|dangerous|unsafe)`,
        `exempt from ${gap(1)}(?:review|checks?|verification|audits?|scanning|validation)`,
        `trust (?:level|score|rating|status) (?:of|for) (?:this|the) ${gap(1)}: `,
        `you can (?:fully |completely |safely |absolutely |blindly |always )?trust (?:this|me|us|the following|it)`,
        `(?:safe|ok|fine) to (?:run|execute|follow|paste|apply|trust) (?:\\S{1,15} ){0,2}(?:without (?:reading|review|checking|asking|verification|verifying|reviewing|confirmation|question)|blindly)`,
        `(?:trust level|trust score|contenttrust|identitytrust|trust|verificationstatus|verification status|trusted) (?:: |= )${gap(1)}(?:high|highest|maximum|max|full|verified|trusted|absolute|system|100|yes|true|official|admin|operator)`,
        `(?:guaranteed|proven) (?:to be )?(?:safe|accurate|correct|true|authentic|genuine) (?:by|and|\\.|:)`,
      ),
    ],
  },
  // The reader need not check.
  {
    signal: 'CLAIMS_TRUST',
    over: 'prose',
    needs: ['verify'],
    patterns: [
      prose(
        `(?:no need|not necessary|unnecessary|no reason) to (?:verify|double-check|doublecheck|fact-check|check|question|review|confirm) (?:this|it|the (?:entry|source|answer|command|text|content|information|script)|anything|further)`,
        `(?:does not|doesnt|do not|dont|no) (?:need|require) (?:any )?(?:further |additional |independent )?(?:verification|fact-checking|confirmation|to be (?:verified|double-checked))`,
        `(?:does not|doesnt|do not|dont|no longer|will not|wont) (?:need|require) (?:the usual |any |a |another |an )?(?:usual )?(?:change |code |security |second |further |additional )?(?:review|look|fact-checking|second look|vetting|double-checking)`,
        `(?:makes?|making|renders?) (?:a |any )?(?:second look|further checks?|further review|review|verification|double-checking|checking) (?:unnecessary|superfluous|redundant|needless|obsolete)`,
        `(?:no|without) (?:further |additional |independent )?(?:verification|fact-checking) (?:is )?(?:needed|required|necessary)`,
      ),
    ],
  },
  // The same in European languages.
  {
    signal: 'CLAIMS_TRUST',
    over: 'prose',
    needs: ['attested'],
    patterns: [
      prose(
        `(?:offiziell|amtlich) (?:geprüft|bestätigt|freigegeben|verifiziert|zertifiziert|genehmigt)\\S{0,2}|(?:geprüft|verifiziert|bestätigt|freigegeben) (?:von|durch) ${gap(1)}(?:anthropic|openai|google|microsoft|den betreibern?|dem betreiber|der redaktion)|100 ?% (?:sicher|vertrauenswürdig|zuverlässig|verifiziert|seguro|segura|sûr|fiable|sicuro|affidabile|confiable|verificado|confiável|безопасно|надёжно|надежно|проверено|достоверно)|vertrauenswürdige quelle`,
        `(?:officiellement|oficialmente|ufficialmente) (?:approuvée?|vérifiée?|certifiée?|validée?|aprobad[oa]|verificad[oa]|certificad[oa]|approvat[oa]|verificat[oa]|certificat[oa]|aprovad[oa])|(?:vérifiée?|approuvée?|verificad[oa]|aprobad[oa]|verificat[oa]|approvat[oa]) (?:par|por|da|pela?) ${gap(1)}(?:anthropic|openai|google|microsoft|ladministrateur|los administradores|el operador|lopérateur)|(?:fuente|fonte|source) (?:de confianza|de confiance|affidabile|confiável)|source fiable`,
        `официально (?:одобрен|проверен|подтвержден|подтверждён|сертифицирован|утвержден)\\S{0,2}|(?:проверено|одобрено|подтверждено) (?:anthropic|openai|google|администрац\\S{1,4}|операторо\\S)|(?:надежный|доверенный|проверенный) источник`,
      ),
    ],
  },
  // The same in Chinese, Japanese, Korean.
  {
    signal: 'CLAIMS_TRUST',
    over: 'prose',
    needs: ['unspaced'],
    patterns: [
      unspaced(
        '(?:官方|正式)(?:认证|認證|认可|認可|批准|验证|驗證|审核|核准)',
        '(?:100|百分之百|百分百)\\s?%?\\s?(?:安全|可信|可靠|准确|正确)',
        '(?:本|此)(?:条目|文|内容|信息|页面)[^。\\n]{0,6}(?:已|经过|经)[^。\\n]{0,8}(?:验证|认证|审核|核实)',
        '(?:由|经)(?:anthropic|openai|谷歌|微软|官方|管理员)[^。\\n]{0,6}(?:验证|认证|批准|审核|核实)',
        '(?:无需|不需要|不必)(?:再)?(?:验证|核实|检查|確認)',
        '(?:公式|正式)(?:に)?(?:承認|認証|検証|確認)(?:済|さ)',
        '100\\s?%\\s?(?:安全|確実|信頼|正確)',
        '(?:検証|確認)(?:は|の必要は)(?:不要|ありません)',
        '(?:공식(?:적으로)?) ?(?:승인|인증|검증|확인)',
        '100\\s?%\\s?(?:안전|신뢰|정확)',
      ),
    ],
  },
]
