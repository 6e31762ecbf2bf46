import { prose, unspaced } from './pattern.ts'

/*
 * Comments are for editors and tools. A comment addresses a model if it names a model, asks to send or to allow something, or names
 * secrets. In visible text these words prove nothing; in a hidden comment one of them suffices.
 */

/** Names of models, assistants and agents. */
const READER =
  'ais?|kis?|llms?|gpt|chatgpt|chatbots?|claude|gemini|copilot|agents?|assistants?|language models?|sprachmodell\\S{0,2}|assistent\\S{0,3}|asistentes?|agentes?|agente[nr]|agenti|avustaja|asystent\\S{0,4}|asistan\\S{0,3}|ассистент\\S{0,3}|агент\\S{0,3}|помощник\\S{0,2}|помічник\\S{0,2}|βοηθ[εο]\\S{0,2}|مساعد|דستیار|עוזר|सहायक|asisten'
/** Verbs: send, show, allow, obey. */
const ACT =
  'send|sends|sending|e-?mail|mail|upload|transmit|exfiltrate|leak|reveal|disclose|approve|approves|grant|obey|comply|sende|senden|schick\\S{0,2}|verrate|genehmige|envoi[es]|envoyez|transmets|transmettez|révèle|approuve|envía|envíe|manda|reenvía|revela|aprueba|envie|aprove|invia|inoltra|rivela|approva|stuur|verstuur|skicka|lähetä|wyślij|prześlij|pošli|odešli|отправь\\S{0,2}|пошли|перешли\\S{0,2}|надішли|gönder|στείλε|küldd?|trimite|ارسل|أرسل|بفرست|שלח|भेजो|भेजें|gửi|kirim|kirimkan'
/** Secrets, and demands for secrecy; `hidden` is also a value of a style sheet, which old pages have in a comment. */
const SECRET =
  '(?<!(?:visibility|overflow\\S{0,2}) : )hidden|secret|secrets|secretly|silently|quietly|covertly|invisible|passwords?|credentials|private keys?|api keys?|firewall|tell (?:no one|nobody)|(?:do not|dont|never) (?:tell|mention)|passwor[dt]\\S{0,2}|kennwort|geheim\\S{0,3}|mot de passe|contraseñas?|senhas?|wachtwoord|lösenord|hasł[oa]|hesl[oa]|пароль|пароли|пароля|секрет\\S{0,4}|şifre\\S{0,3}|parola'

/** Patterns over the prose of comments. */
export const TO_A_READER: readonly RegExp[] = [
  prose(`(?:${READER}|${ACT}|${SECRET})`),
  unspaced(
    '助手|助理|人工智能|智能体|发送|發送|转发|密码|密碼|密钥|秘密|批准|不要(?:提|告)',
    'アシスタント|エージェント|送信|送って|パスワード|秘密|伝えない',
    '어시스턴트|에이전트|보내|전송|비밀|알리지',
    'ผู้ช่วย|ส่ง|รหัสผ่าน',
  ),
]

/** A line of Markdown that begins or ends fenced code, also inside quotes and lists. */
const FENCE = /^[ \t]{0,3}(?:>[ \t]?){0,8}(?:[-*+][ \t]+|\d{1,3}[.)][ \t]+)?[ \t]{0,8}(`{3,}|~{3,})/
const CODE_IN_LINE = /(?<!`)(`{1,3})(?!`)[^`\n]+\1(?!`)/g

/** A link definition without a target: its title is used as a comment. */
const TITLE = /^ {0,3}\[[^\]\n]{1,99}\]:[ \t]{0,9}(?:#|<>)[ \t]{1,9}([("'].*)$/gm

/** The comments of Markdown outside of code, which the page does not show. The last HTML comment may lack its end. */
export function commentsOf(content: string): string[] {
  if (!content.includes('<!--') && !content.includes(']:')) return []
  const text = withoutCode(content)
  const comments = Array.from(text.matchAll(TITLE), ([, title = '']) => title)
  for (let at = text.indexOf('<!--'); at >= 0; ) {
    const end = text.indexOf('-->', at + 4)
    comments.push(text.slice(at + 4, end < 0 ? undefined : end))
    at = end < 0 ? end : text.indexOf('<!--', end)
  }
  return comments
}

/** Markdown without fenced code and inline code. */
function withoutCode(content: string): string {
  const kept: string[] = []
  let fence: string | undefined
  for (const line of content.split('\n')) {
    const mark = FENCE.exec(line)?.[1]
    if (fence === undefined) {
      if (mark === undefined) kept.push(line.replace(CODE_IN_LINE, ''))
      else fence = mark
    } else if (mark?.startsWith(fence) === true) fence = undefined
  }
  return kept.join('\n')
}
