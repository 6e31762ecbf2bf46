import { type Group, gap, prose, unspaced } from './pattern.ts'

/** Text in languages other than English that revokes instructions, assigns its reader a role, or withholds something from its user. */
export const INSTRUCTIONS_ELSEWHERE: readonly Group[] = [
  // German, Dutch, Swedish, Danish, Norwegian.
  {
    signal: 'INSTRUCTION_LIKE',
    over: 'prose',
    needs: ['germanic'],
    patterns: [
      prose(
        `(?:ignorier\\S{0,3}|missachte\\S{0,2}|vergiss|vergessen sie|negeer|vergeet|ignorera|glöm|ignorer|glem) ${gap(4)}(?:anweisung|instruktion|vorgabe|befehl|regel|prompt|instructie|opdracht|instruksj|anvisning|instruktion)\\S{0,4}`,
        `(?:sag|sage|sagen sie|erzähl|erzähle|verrate|verraten sie|teile|vertel|vertel het|zeg|berätta|säg|fortæl|fortell) (?:es |dies |das |dit |niets aan |det )?(?:inte |ikke )?(?:dem|der|den|de|för|til|aan de|aan het)? ?(?:nutzer|benutzer|anwender|user|gebruiker|användaren|brugeren|brukeren)`,
        `du bist (?:jetzt|nun|ab jetzt|ab sofort|fortan) (?:ein|eine|kein|der|die) ${gap(3)}(?:ki|assistent|agent|modell|chatbot|hacker|dan)\\S{0,4}`,
        `als (?:ki|ki-\\S{1,20}|sprachmodell|assistent) (?:musst|sollst|müssen|sollen|moet) (?:du|sie|je)`,
      ),
    ],
  },
  // French, Spanish, Italian, Portuguese, Catalan, Romanian.
  {
    signal: 'INSTRUCTION_LIKE',
    over: 'prose',
    needs: ['romance'],
    patterns: [
      prose(
        `(?:ignor\\S{1,4}|oubli\\S{1,3}|olvid\\S{1,3}|dimentic\\S{1,3}|esqueç\\S{1,2}|desconsider\\S{1,2}|ne (?:tiens|tenez) pas compte|ne suis plus|haz caso omiso|no hagas caso|no sigas|descarta) ${gap(5)}(?:instructions?|consignes?|directives?|règles|instrucciones|indicaciones|órdenes|reglas|istruzioni|direttive|regole|instruções|ordens|regras|diretrizes|instructiunile|instruccions) ${gap(1)}(?:précédentes?|antérieures?|ci-dessus|reçues|anteriores|previas|recibidas|precedenti|prévias|acima|système|sistema|anterioare)`,
        `(?:ignor\\S{1,4}|oubli\\S{1,3}|olvid\\S{1,3}|dimentic\\S{1,3}|esqueç\\S{1,2}) (?:(?:toutes?|tous|todas?|todos?|tutte|tutti|le|les|las|los|as|os|gli) ){0,2}(?:tes|vos|tus|sus|tue|vostre|suas|précédentes?|antérieures?|anteriores|previas|precedenti) ${gap(1)}(?:instructions?|consignes?|directives?|instrucciones|indicaciones|órdenes|istruzioni|direttive|instruções|ordens|regras)`,
        `(?:ne (?:le )?(?:dis|dites|révèle|révélez|mentionne|mentionnez|informe|informez) (?:pas|rien|jamais)|n(?:en )?informe pas|no (?:le |se lo |lo )?(?:digas|diga|informes|menciones|reveles|cuentes)|non (?:lo )?(?:dire|dirlo|informare|rivelare|menzionare)|não (?:o )?(?:diga|conte|informe|mencione|revele)) ${gap(4)}(?:utilisateur|lutilisateur|à lutilisateur|usuario|utente|allutente|usuário|utilizador|ao usuário)`,
        `(?:tu es|vous êtes|ahora eres|eres ahora|a partir de ahora eres|ora sei|sei ora|da ora sei|agora você é|você agora é|tu és agora) (?:maintenant |désormais |ora )?(?:un|une|una|uno|um|uma) ${gap(3)}(?:ia|assistante?|asistente|assistente|agente?|modèle|modelo|modello|chatbot|hacker|dan|pirate)`,
        `(?:en tant que?|in quanto|como|come) (?:modèle|ia|assistant|modelo|asistente|modello|assistente|agent|agente) ${gap(4)}(?:tu dois|vous devez|debes|deves?|devi|você deve)`,
      ),
    ],
  },
  // Slavic languages, Turkish, Indonesian, Vietnamese.
  {
    signal: 'INSTRUCTION_LIKE',
    over: 'prose',
    needs: ['eastern'],
    patterns: [
      prose(
        `(?:игнорируй(?:те)?|проигнорируй(?:те)?|забудь(?:те)?|не следуй(?:те)?|ігноруй(?:те)?|zignoruj|ignoruj(?:te)?|zapomnij|zapomeň) ${gap(4)}(?:инструкц|указани|команд|правил|приказ|промпт|інструкці|вказівк|instrukcj|polece|instrukc|pokyn|příkaz)\\S{0,5}`,
        `(?:не (?:говори|сообщай|рассказывай|упоминай|раскрывай)(?:те)?|не кажи|nie (?:mów|informuj)|neříkej) ${gap(4)}(?:пользовател|користувач|użytkownik|uživatel)\\S{0,5}`,
        `(?:ты|вы) (?:теперь|отныне|сейчас) ${gap(2)}(?:ии|ассистент|агент|бот|модель|хакер)\\S{0,3}`,
        `как (?:ии|языковая модель|ассистент|ии-\\S{1,12}) ${gap(2)}(?:ты|вы) (?:должен|должна|должны|обязан|обязаны)`,
        `önceki ${gap(3)}(?:talimat|komut|yönerge|kural)\\S{0,8} ${gap(2)}(?:yok say|görmezden gel|unut|dikkate alma)\\S{0,4}`,
        `kullanıcıya ${gap(3)}(?:söyleme|bahsetme|bildirme)\\S{0,3}`,
        `(?:abaikan|lupakan) ${gap(3)}(?:instruksi|perintah|petunjuk|arahan) ${gap(2)}(?:sebelumnya|di atas)`,
        `jangan ${gap(1)}(?:beri tahu|beritahu|katakan|sebutkan) ${gap(3)}pengguna`,
        `(?:bỏ qua|phớt lờ|quên) ${gap(4)}(?:hướng dẫn|chỉ thị|lệnh|chỉ dẫn|quy tắc) ${gap(2)}(?:trước|trên|trước đó|trước đây)`,
        `(?:đừng|không được) ${gap(2)}(?:nói|báo|tiết lộ|cho) ${gap(3)}người dùng`,
      ),
    ],
  },
  // Arabic, Persian, Hebrew, Hindi.
  {
    signal: 'INSTRUCTION_LIKE',
    over: 'prose',
    needs: ['southern'],
    patterns: [
      prose(
        `(?:تجاهل|انس|اهمل|لا تتبع) ${gap(3)}(?:التعليمات|الاوامر|الأوامر|الإرشادات|تعليماتك|القواعد) ${gap(1)}(?:السابقة|اعلاه|أعلاه|الأصلية)`,
        `لا (?:تخبر|تقل|تبلغ|تذكر) ${gap(3)}(?:المستخدم|للمستخدم)`,
        `(?:دستورهای|دستورات|دستورالعمل(?: ?های)?) ${gap(2)}(?:قبلی|پیشین|بالا) ${gap(2)}(?:نادیده|فراموش)`,
        `התעלם ${gap(3)}(?:מההוראות|מההנחיות|הוראות) ${gap(1)}(?:הקודמות|שלמעלה)`,
        `(?:पिछले|पहले के|ऊपर के|पूर्व) ${gap(2)}(?:निर्देश|निर्देशों|आदेश|आदेशों) ${gap(2)}(?:अनदेखा|नज़रअंदाज़|नजरअंदाज|भूल|उपेक्षा)`,
        `(?:उपयोगकर्ता|यूज़र) को ${gap(3)}(?:मत|न|नहीं) (?:बताएं|बताना|बताओ|कहना)`,
      ),
    ],
  },
  // Chinese, Japanese, Korean, Thai.
  {
    signal: 'INSTRUCTION_LIKE',
    over: 'prose',
    needs: ['unspaced'],
    patterns: [
      unspaced(
        '(?:忽略|无视|無視|忘记|忘掉|忘記|不要理会|不要遵守|不再遵循|不必理会)[^。\\n]{0,12}(?:指令|指示|提示词|提示詞|提示|规则|規則|命令|说明|設定|设定|要求)',
        '(?:不要|别|請勿|请勿|不得|切勿|勿)[^。\\n]{0,3}(?:告诉|告知|告訴|透露|提醒|通知)[^。\\n]{0,6}(?:用户|用戶|使用者|人类)',
        '(?:你现在是|你現在是|从现在起你|从现在开始你|从现在开始,?你|從現在起)[^。\\n]{0,12}(?:助手|助理|模型|ai|机器人|黑客|dan|代理)',
        '(?:输出|显示|泄露|重复|打印|告诉我|發送|发送)[^。\\n]{0,8}(?:系统提示|系統提示|系统指令)',
        '(?:作为|身为)(?:一个|一名)?(?:ai|人工智能|语言模型|助手|智能体)[^。\\n]{0,6}(?:你必须|必须|应当|你应该|请务必)',
        '(?:以前|これまで|上記|前|すべて|今まで|先ほど|元)の[^。\\n]{0,8}(?:指示|命令|プロンプト|ルール|指令)[^。\\n]{0,6}(?:無視|忘れ|従わない|破棄)',
        'ユーザー(?:に|には|へ)[^。\\n]{0,10}(?:言わない|言うな|知らせない|知らせるな|伝えない|伝えるな|教えない|教えるな|話さない)',
        'あなたは(?:今|これ)から[^。\\n]{0,14}(?:です|アシスタント|ai|エージェント)',
        'システムプロンプトを[^。\\n]{0,8}(?:表示|出力|教え|開示|明か|送信)',
        '(?:이전|위의?|앞의?|기존|모든|지금까지의) ?[^.\\n]{0,14}(?:지시|명령|프롬프트|지침|규칙)[^.\\n]{0,8}(?:무시|잊)',
        '사용자(?:에게|한테)[^.\\n]{0,12}(?:말하지|알리지|언급하지|밝히지|전하지)',
        '(?:너는|당신은) (?:이제|지금부터)[^.\\n]{0,16}(?:ai|어시스턴트|비서|에이전트|모델|해커|dan)',
        '(?:เพิกเฉย|ไม่สนใจ|ละเว้น|ลืม)[^\\n]{0,12}(?:คำสั่ง|คำแนะนำ)[^\\n]{0,6}(?:ก่อนหน้า|ข้างต้น|เดิม)',
        'อย่าบอก[^\\n]{0,4}ผู้ใช้',
      ),
    ],
  },
]
