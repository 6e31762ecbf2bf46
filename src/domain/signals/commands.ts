import type { Group } from './pattern.ts'

/** A path that covers a whole machine: the root, a home, a directory of the system, or a variable that may be unset. */
const WIDE =
  '["\']?(?:(?:/|~|\\$\\{?HOME\\}?|\\$\\{?USERPROFILE\\}?|%USERPROFILE%|\\$env:USERPROFILE|[A-Za-z]:\\\\)/?(?:\\*|\\.\\*|\\.\\[!?\\^?\\.\\]\\*)?|\\$\\{?\\w{1,40}\\}?["\']?/\\*?|/(?:bin|boot|dev|etc|home|lib|lib64|opt|root|sbin|srv|sys|usr|var|mnt|media|Users|Library|System|Applications)/?\\*?|~/(?:\\.ssh|\\.gnupg|\\.aws|Documents|Desktop|\\.config)/?\\*?)["\']?(?=$|[\\s;&|`\'")\\],<]|\\.(?![\\w-]))'

const FETCH = '(?:curl|wget2?|fetch|aria2c|lynx|axel|Invoke-WebRequest|iwr|irm|Invoke-RestMethod)(?:\\.exe)?'
const SHELL = '(?:/(?:usr/)?(?:local/)?bin/(?:env[ \\t]+)?)?(?:ba|z|k|da|fi|a|c|tc|pw)?sh'
/** Words after which a sentence continues. */
const ON = '(?:and|then|or|to|in|on|as|with|which|from|for|at|so|is|before|after|when|while)'
/** A shell without a script or a command: it runs its standard input. */
const SHELL_ALONE = `${SHELL}(?![\\w.=/-])(?![ \\t]+(?:-[a-z]*c\\b|(?!${ON}\\b)[\\w./~]))`
/** Commands that may precede the shell, such as sudo and env, with options and assignments. */
const AS_ANOTHER =
  '(?:(?:sudo|doas|env|exec|nohup|time|command)[ \\t]+(?:(?:-[\\w-]{1,20}|\\w{1,30}=[^\\s|]{0,60})[ \\t]+){0,4}){0,3}'
/** A shell, or an interpreter that reads its program from standard input. */
const RUNS = `["'\`]?${AS_ANOTHER}(?:${SHELL_ALONE}|(?:python[0-9.]{0,5}|perl|ruby|node|php|bun|lua|osascript|deno run)(?:[ \\t]+-)?(?=[ \\t]*(?:$|[;&|"'\`)#<]))|iex\\b|Invoke-Expression\\b|powershell\\b|pwsh\\b|source[ \\t]+/dev/stdin|\\.[ \\t]+/dev/stdin|xargs[ \\t]+(?:-\\S{1,10}[ \\t]+){0,3}(?:ba)?sh[ \\t]+-c)`

/** Commands that destroy a system or its data, and commands that run unread code. */
export const COMMANDS: readonly Group[] = [
  // Files are removed, or opened to all users.
  {
    signal: 'DESTRUCTIVE_COMMAND',
    over: 'text',
    needs: ['remove'],
    patterns: [
      new RegExp(
        `\\brm[ \\t]+(?=[^\\n;|&]{0,60}(?:-[a-zA-Z]{0,6}[rR]|--recursive))(?:-{1,2}[\\w=-]{0,30}[ \\t]+){0,6}${WIDE}`,
        'm',
      ),
      new RegExp(`\\brm[ \\t]+${WIDE}[ \\t]+-{1,2}(?:[a-zA-Z]{0,4}[rR]|recursive)`, 'm'),
      new RegExp(
        `\\b(?:chmod|chown|chgrp|setfacl)[ \\t]+(?=[^\\n;|&]{0,60}(?:-[a-zA-Z]{0,6}R|--recursive))(?:[^\\s;|&]{1,60}[ \\t]+){1,5}${WIDE}`,
        'm',
      ),
      new RegExp(
        `\\bfind[ \\t]+${WIDE}[^\\n;|]{0,120}(?:-delete\\b|-exec(?:dir)?[ \\t]+(?:sudo[ \\t]+)?(?:rm|shred)\\b)`,
        'm',
      ),
      new RegExp(`\\bmv[ \\t]+${WIDE}[ \\t]+/dev/null`, 'm'),
      /\brm[ \t]+-[a-z]*r[a-z]*[ \t]+(?:[\w./-]{0,40}\/)?\.git(?=$|[\s;&|`])/m,
      new RegExp(
        `\\bcd[ \\t]+${WIDE}[ \\t]*(?:&&|;)[ \\t]*(?:sudo[ \\t]+)?rm[ \\t]+(?=[^\\n;|&]{0,40}-[a-zA-Z]{0,6}[rR])[^\\n;|&]{1,40}?[ \\t](?:\\.?/?\\*|\\./?)(?=$|[\\s;&|\`'")])`,
        'm',
      ),
      /\b(?:Get-ChildItem|gci|dir|ls)[ \t]+[^\n|;]{0,40}(?:[a-z]:\\(?:windows|users)?\\?\*?|~|\$HOME|\$env:USERPROFILE)(?=[\s|])[^\n|;]{0,80}\|[^\n;]{0,80}Remove-Item\b[^\n;|]{0,60}-Recurse/i,
      /\bRemove-Item\b(?=[^\n|;]{0,120}-Recurse)[^\n|;]{0,120}?[ \t"'](?:[a-z]:\\(?=$|[\s"'`*])|[a-z]:\\(?:windows|users)\b|\/(?=$|[\s"'`*])|~|\$HOME\b|\$env:(?:USERPROFILE|SystemRoot|windir))/im,
      /\b(?:shutil\.rmtree|fs\.rm(?:Sync|dirSync)?|FileUtils\.rm_rf|os\.removedirs|File\.deleteRecursively)\([ \t]*(?:["'`](?:\/|~|[A-Za-z]:\\\\?)\*?["'`]|os\.path\.expanduser\(["']~|os\.homedir\(\)|Path\.home\(\))/,
    ],
  },
  // Disks, volumes, and the files of accounts.
  {
    signal: 'DESTRUCTIVE_COMMAND',
    over: 'text',
    needs: ['disks'],
    patterns: [
      /\bmkfs(?:\.\w{1,10})?[ \t]+[^\n]{0,60}\/dev\/\w/,
      /\bdd[ \t]+[^\n]{0,120}\bof=["']?\/dev\/(?:(?:sd|hd|vd|xvd)[a-z]\d?\b|nvme\d|r?disk\d|mmcblk\d|mapper\/|md\d)/,
      /[^>0-9&]>[ \t]*\/dev\/(?:(?:sd|hd|vd|xvd)[a-z]\d?\b|nvme\d|mmcblk\d)/,
      /\S[ \t]+>[ \t]*\/etc\/(?:passwd|shadow|sudoers|fstab)(?![\w<./-])/,
      /\b(?:wipefs|blkdiscard|shred|badblocks)[ \t]+[^\n]{0,60}\/dev\/(?:sd|hd|vd|nvme|mmcblk|disk)[a-z0-9]/,
      /\b(?:zpool[ \t]+destroy|zfs[ \t]+destroy[ \t]+-[rRf]+|lvremove[ \t]+(?:-f|--force|-y)|vgremove|pvremove|sgdisk[ \t]+(?:--zap-all|-Z)|cryptsetup[ \t]+(?:-q[ \t]+)?(?:luksErase|erase|luksFormat)[ \t]+\/dev)[ \t]+\S|\bdiskutil[ \t]+(?:eraseDisk|eraseVolume|zeroDisk|secureErase)\b|\bparted[ \t]+[^\n;|]{0,40}\/dev\/\w+[ \t]+[^\n;|]{0,20}mklabel|\bdiskpart\b[^\n]{0,80}\bclean\b/,
      /\b(?:Format-Volume[ \t]+[^\n;|]{0,60}-DriveLetter|Clear-Disk[ \t]+[^\n;|]{0,60}-RemoveData|Remove-Partition\b[^\n;|]{0,60}-DriveLetter|reg(?:\.exe)?[ \t]+delete[ \t]+["']?HK(?:LM|EY_LOCAL_MACHINE)[^\n;|]{0,120}\/f\b)/i,
      /\b(?:shred|srm)[ \t]+[^\n;|]{0,40}(?:~|\$HOME)\//,
    ],
  },
  // Databases, branches, volumes.
  {
    signal: 'DESTRUCTIVE_COMMAND',
    over: 'text',
    needs: ['wipes'],
    patterns: [
      /\bDROP[ \t]+(?:DATABASE|SCHEMA)[ \t]+(?:IF[ \t]+EXISTS[ \t]+)?[`"[\w]/,
      /\bdrop[ \t]+(?:database|schema)[ \t]+(?:if[ \t]+exists[ \t]+)?[`"[]?[\w$]{1,60}[`"\]]?[ \t]*(?:cascade[ \t]*)?;/i,
      /;[ \t]*(?:drop|truncate)[ \t]+table[ \t]+[`"\w]{1,60}[ \t]*;?[ \t]*--/i,
      /\bgit[ \t]+push[ \t]+(?=[^\n;|&]{0,80}(?:--force(?![-\w])|[ \t]-f\b|[ \t]\+))(?=[^\n;|&]{0,120}(?:\b(?:main|master|trunk|production|release)\b|--all\b|--mirror\b))/,
      /\bformat[ \t]+[cC]:(?=[ \t]*(?:$|[/"'`]))/im,
      /\b(?:del|erase)[ \t]+(?:\/[a-z][ \t]+){1,4}["']?(?:[a-z]:\\(?:\*|windows|users)|%(?:systemroot|windir|userprofile)%)/i,
      /\b(?:rd|rmdir)[ \t]+(?:\/[a-z][ \t]+){1,3}["']?(?:[a-z]:\\?(?=$|[\s"'`])|[a-z]:\\(?:windows|users)|%(?:systemroot|windir|userprofile)%)/im,
      /\b(?:vssadmin[ \t]+delete[ \t]+shadows|wbadmin[ \t]+delete[ \t]+catalog|cipher[ \t]+\/w:[a-z]:|bcdedit[ \t]+\/set[^\n]{0,40}recoveryenabled[ \t]+no)/i,
      /\bkubectl[ \t]+delete[ \t]+[^\n;|&]{0,40}--all\b/,
    ],
  },
  // Whole servers of data, histories, accounts of a cloud, partitions.
  {
    signal: 'DESTRUCTIVE_COMMAND',
    over: 'text',
    needs: ['services'],
    patterns: [
      /\bdropDatabase\(\)|\bredis-cli\b[^\n|;]{0,80}\bFLUSHALL\b|\bdropdb[ \t]+(?:-{1,2}[\w-]{1,20}[ \t]+){0,3}(?=[a-z$"'])(?!or\b|and\b|is\b|\S{0,40}(?:test|tmp|temp|scratch|demo|example))[\w$"'{}-]+[ \t]*(?=$|[\n;&|`])|\bmysqladmin[ \t]+[^\n;|]{0,80}\bdrop[ \t]+\w/im,
      /\b(?:psql|mysql|mariadb|sqlite3|sqlcmd)\b[^\n]{0,120}["'](?:[^"'\n]{0,80};[ \t]*)?(?:DROP[ \t]+TABLE|TRUNCATE|DELETE[ \t]+FROM[ \t]+[`\w.]{1,60}[ \t]*;?["'])/i,
      /-X[ \t]*DELETE\b[^\n]{0,80}:9200\/(?:_all|\*)|:9200\/(?:_all|\*)[^\n]{0,40}-X[ \t]*DELETE\b|\betcdctl[ \t]+del[ \t]+(?:""|''|\/)[ \t]+--prefix/,
      /\b(?:terraform|tofu|terragrunt|pulumi)[ \t]+(?:[\w-]+[ \t]+)?(?:destroy|down)[ \t]+[^\n;|&]{0,60}(?:-auto-approve|--yes|-y\b|--non-interactive|--terragrunt-non-interactive)/,
      /\baws[ \t]+s3[ \t]+(?:rb|rm)[ \t]+[^\n;|&]{0,120}(?:--force|--recursive)|\baws[ \t]+(?:rds|dynamodb|ec2|kms|iam|cloudformation|eks)[ \t]+(?:delete-db-\w+|delete-table|terminate-instances|schedule-key-deletion|delete-stack|delete-cluster)[ \t]+--/,
      /\bgsutil[ \t]+(?:-m[ \t]+)?rm[ \t]+-[a-z]*r[a-z]*[ \t]+gs:|\bgcloud[ \t]+(?:projects|sql[ \t]+instances|container[ \t]+clusters|storage[ \t]+buckets)[ \t]+delete\b|\baz[ \t]+group[ \t]+delete\b/,
      /\bdocker[ \t]+(?:system|volume)[ \t]+prune[ \t]+(?=[^\n;|]{0,40}(?:-[a-z]*f|--force))(?=[^\n;|]{0,60}(?:--volumes|-[a-z]*a|--all))|\bdocker[ \t]+(?:volume[ \t]+)?(?:rm|rmi)[ \t]+[^\n;|$`]{0,20}(?:\$\(|`)[ \t]*docker[ \t]+(?:ps|volume|images?)\b/,
      /\bgit[ \t]+push[ \t]+[^\n;|&]{0,60}(?:--delete[ \t]+|[ \t]:)(?:main|master|trunk|production|release)\b|\bgh[ \t]+repo[ \t]+delete\b[^\n;|]{0,80}--yes\b/,
      /\bkubectl[ \t]+delete[ \t]+(?:ns|namespaces?)[ \t]+(?!-)(?=\S{0,40}(?:prod|kube-system|default))\S+|\bcrontab[ \t]+-r(?=$|[\s;&|`])|\bkubectl[ \t]+delete[ \t]+[^\n;|&]{0,60}(?:--all-namespaces|-A\b)/m,
    ],
  },
  // Processes without end.
  {
    signal: 'DESTRUCTIVE_COMMAND',
    over: 'text',
    needs: ['forks'],
    patterns: [
      /:\(\)[ \t]*\{[ \t]*:[ \t]*\|[ \t]*:[ \t]*&[ \t]*\}[ \t]*;[ \t]*:/,
      /\bwhile[ \t(]+(?:True|1|true)\)?[ \t]*:?[\s{]{0,20}(?:os\.)?fork\(\)|%0\|%0/,
    ],
  },
  // Downloaded or decoded code is run at once.
  {
    signal: 'PIPE_TO_SHELL',
    over: 'text',
    needs: ['fetches'],
    patterns: [
      new RegExp(
        `\\b${FETCH}[ \\t]+(?=[^\\n|]{0,400}[-$.:/{<])[^\\n|]{1,400}(?:\\|(?!\\|)[^\\n|]{0,120}){0,4}\\|(?!\\|)&?[ \\t]*${RUNS}`,
        'im',
      ),
      new RegExp(
        `\\b(?:base64|base32|xxd|openssl[ \\t]+enc|uudecode|gunzip|zcat)\\b[^\\n|]{0,200}\\|[ \\t]*(?:(?:gunzip|zcat|xz)[^\\n|]{0,20}\\|[ \\t]*)?${AS_ANOTHER}(?:${SHELL_ALONE}|(?:python[0-9.]{0,5}|perl|ruby|node|php)(?=[ \\t]*-?[ \\t]*(?:$|[;&|"'\`)])))`,
        'm',
      ),
      new RegExp(
        `(?:${SHELL}|source|eval|\\.|python[0-9.]{0,5}|node|perl|ruby)[ \\t]+(?:-{1,2}[a-z-]{1,12}[ \\t]+){0,3}<[ \\t]?\\([ \\t]*${FETCH}\\b`,
        'im',
      ),
      new RegExp(
        `(?:${SHELL}|python[0-9.]{0,5}|ruby|perl|node|php|eval|exec|source|iex|Invoke-Expression)[ \\t]+(?:-{1,2}[a-z-]{1,12}[ \\t]+){0,3}["'(&]{0,3}[ \\t]*(?:\\$\\(|\`|\\()[ \\t]*(?:sudo[ \\t]+)?(?:${FETCH}\\b|base64[ \\t]+-{1,2}d|echo[^\\n)]{1,200}\\|[ \\t]*base64[ \\t]+-{1,2}d)`,
        'im',
      ),
      /\b(?:curl|wget)[ \t]+[^\n|]{1,300}(?:&&|;)[ \t]*(?:chmod[ \t]+[^\n;&|]{1,60}(?:&&|;)[ \t]*)?(?:sudo[ \t]+)?(?:(?:ba|z|da)?sh|source|\.|python3?|perl)[ \t]+[-./~$\w]/m,
      /\b(?:iex|Invoke-Expression)\b[^\n]{0,80}(?:DownloadString|DownloadData|Net\.WebClient|Invoke-WebRequest|\biwr\b|\birm\b|FromBase64String)/i,
      /(?:DownloadString|Invoke-WebRequest|\biwr\b|\birm\b)[^\n]{0,200}\|[ \t]*(?:iex\b|Invoke-Expression\b)/i,
      /\bpowershell(?:\.exe)?[ \t]+[^\n]{0,80}-e(?:nc|ncodedcommand)?[ \t]+[A-Za-z0-9+/=]{40}/i,
      /\b(?:exec|eval|execfile|Function|runInThisContext|loadstring|instance_eval)[ \t]*\([^\n]{0,80}(?:urlopen|requests\.get|httpx\.get|b64decode|fromhex|decompress|atob\(|Buffer\.from\(|file_get_contents\([ \t]*["']https?:|URI\.open|open\([ \t]*["']https?:|await[ \t]+\(?(?:await[ \t]+)?fetch)/i,
      /\bfetch\([ \t]*["'`]https?:[^\n]{1,300}\.then\([^\n]{0,200}\b(?:eval|Function|exec|runInThisContext)\b|\bhttps?\.get\([^\n]{1,300}\b(?:eval|runInThisContext)\(|\beval[ \t]+(?:\(?get|URI\.open|open)\b[ \t(]*["']https?:/i,
      /\b(?:npx|bunx|pnpm[ \t]+dlx|yarn[ \t]+dlx|uvx|pipx[ \t]+run)[ \t]+(?:-{1,2}[\w-]{1,20}[ \t]+){0,4}["']?(?:git\+)?https?:|\bdeno[ \t]+run[ \t]+(?:-{1,2}\S{1,40}[ \t]+){0,8}["']?https?:|\b(?:mshta|msiexec[ \t]+[^\n]{0,20}\/i|regsvr32[ \t]+[^\n]{0,40}\/i:)[ \t]*["']?https?:/i,
      /\b(?:curl|wget)[ \t]+[^\n|]{1,300}(?:&&|;)[ \t]*(?:sudo[ \t]+)?chmod[ \t]+(?:[ugoa]*\+r?x|[0-7]{3,4})[ \t]+["']?(\S{1,80}?)["']?[ \t]*(?:&&|;)[ \t]*(?:sudo[ \t]+)?(?:\.\/)?["']?\1(?![\w.-])/,
      /\b(?:Invoke-WebRequest|iwr|curl(?:\.exe)?|Start-BitsTransfer|certutil(?:\.exe)?[ \t]+-urlcache|bitsadmin)\b[^\n|]{1,300}?([\w-]{1,60}\.(?:ps1|exe|bat|cmd|msi|vbs))["']?[ \t]*(?:;|&&?)[ \t]*(?:&[ \t]*|Start-Process[ \t]+|start[ \t]+|powershell[^\n;]{0,60}[ \t])?["']?(?:\.?[\\/]|[^\s;"']{0,60}[\\/])?\1/i,
      /\[scriptblock\]::Create\([^\n]{0,80}(?:\birm\b|\biwr\b|Invoke-RestMethod|Invoke-WebRequest|DownloadString)/i,
      /\b(?:exec|eval)\([ \t]*(?:compile\([ \t]*)?(?:requests\.get|urllib|urlopen|__import__\(['"](?:urllib|requests|base64)|base64\.b64decode|atob\(|await[ \t]+\(?(?:await[ \t]+)?fetch|Buffer\.from\([^\n]{0,200}base64|codecs\.decode|zlib\.decompress)/i,
      />&?[ \t]*\/dev\/tcp\/|\bn(?:et)?cat?[ \t]+[^\n]{0,60}-[ec]{1,2}[ \t]+\/bin\/(?:ba)?sh/,
    ],
  },
]
