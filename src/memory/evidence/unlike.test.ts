import assert from 'node:assert/strict'
import { test } from 'node:test'
import { evidenceAfter } from '../../../test/support/judged-history.ts'
import { assess } from './rules.ts'

/** Pairs of texts of unlike meaning, 25 of each kind. `{one|other}` is the place where they differ; \n and \t are written out. */
const PAIRS: Record<string, string> = {
  negation: `
Do {not |}mix bleach with ammonia.
The driver {is|is not} thread safe.
This {does|does not} work on a standby.
You must {never|always} run it as root.
It {can|cannot} be undone.
The cache survives{| no} restarts.
Restart the node {after|before} the upgrade.
The flag is {on|off} by default.
Backups are {un|}encrypted.
The lock is released {with|without} a timeout.
Nobody {but|not even} the owner may read it.
The call {blocks|returns at once}.
Keys are case {|in}sensitive.
It is {safe|unsafe} to delete the journal.
Only {odd|even} versions are stable.
{All|No} requests are retried.
The patch {fixes|causes} the leak.
The index is used {only if|unless} the query has a limit.
Writes are {a|}synchronous.
{Enable|Disable} the firewall first.
Nicht {|un}bedingt nötig.
Ne faites {|pas }cela sur le serveur.
The value may {|not }be null.
Neither {both|one} of the replicas answers.
It {hardly|usually} ever fails.`,
  numbers: `
Brew it at {70|700} degrees.
Set lock_timeout to {'2s'|'0'}.
Use port {5432|5433}.
The limit is {1,000|10,000} rows.
It needs {2|4} GB.
Rotate after {30|90} days.
The offset is {-1|1}.
Divide by {0.5|5.0}.
The version is {1.10|1.1}.
Retry {3|30} times.
Take {1/2|1/4} of the dose.
The chance is {1e-6|1e6}.
chmod {600|666} key.pem
It was fixed in {2024|2025}.
Pool size {10|100} per node.
The mask is 0x{0F|F0}.
The ratio is {3:1|1:3}.
Wait {five|fifteen} minutes.
Use /{24|16} networks.
Row {²|³} is the last.
The budget is {١٠|١٠٠}.
Step {1|2} of 3.
Sleep {0.1|01} seconds.
It has {21|12} members.
Delay {10|1 0} ms.`,
  units: `
Take 5 {µg|mg} a day.
The disk has 10 {GB|GiB}.
The wait is 200 {ms|s}.
It draws 5 {W|kW}.
Heat it to 180 °{C|F}.
The link has 1 {Gbit/s|GB/s}.
Torque it to 20 {Nm|lb-ft}.
The trip is 30 {km|mi}.
Add 2 {tsp|tbsp} of salt.
It lasts 3 {d|h}.
Pressure: 2 {bar|psi}.
The area is 4 {m²|m³}.
Pay 20 {€|$}.
The resistor has 4.7 {kΩ|MΩ}.
A block is 8 {KB|Kb}.
The tide is 2 {m|ft}.
The rate is 5 {%|‰}.
The lens is 50 {mm|cm}.
The tank holds 40 {l|gal}.
It weighs 1 {g|kg}.
The clock is 3 {MHz|GHz}.
The file has 3 {lines|pages}.
It sends 10 requests per {second|minute}.
The angle is 1 {rad|deg}.
The dose is 1 {mL|μL}.`,
  operators: String.raw`
DELETE FROM users {WHERE id = 1;|; WHERE id = 1}
rm -rf build{/| /}
Use a {<|<=} b.
if (a {&&|\|\|} b) stop()
x {+=|=+} 1
ready {==|!=} true
rm {-i|-f} *.log
a {>>|>} log.txt
git reset {--soft|--hard} HEAD
find . {|! }-name '*.ts' -delete
{!|}ready && start()
kill {-9|-0} 1234
x = y {-|+} 1
tar {-x|-c}f a.tar
SELECT a FROM t WHERE b {IS NULL|= NULL}
a {**|*} 2
&{&|}x
curl {-k|-K} https://example.org
{#|}DROP TABLE t;
cp a{ b|b } c
echo "{\$HOME|\\$HOME}"
x{?.|.}y()
[1, 2{]|)}
cat a {<|>} b
a {->|<-} b`,
  indentation: String.raw`
for x in y:\n    a(x)\n{    |}b(x)
if ok:\n    go()\n{  |    }stop()
steps:\n  - a\n{  |    }- b
key:\n{  |}value: 1
def f():\n    return 1\n{    |        }x = 2
while True:\n    a()\n{    |}break
with lock:\n    a()\n{    |}b()
try:\n    a()\nfinally:\n    b()\n{    |}c()
- one\n{  |}- two
1. one\n{   |}2. two
a:\n{\t|}b
root\n{ |  }child
if x:\n{    |\t}y()
else:\n    a()\n{    |}return
jobs:\n  test:\n{    |  }steps: 3
Text\n\n{    |}rm -rf x
class A:\n    def b(self): pass\n{    |}def c(self): pass
for i in r:\n    s += i\n{    |}print(s)
case x:\n    a\n{    |  }b
{ |}a
quote\n{> |}said
let x =\n{  |}y
server {\n{  |    }listen 80
{\u00a0|}x
elif y:\n    z()\n{    |}w()`,
  links: `
See [the guide](https://example.{org|com}).
Download [it](http{s|}://example.org/a).
[here](/a{|?delete=1})
Clone git@{github|gitlab}.com:a/b
Mail a@{b.org|b.com}
![chart](chart-{1|2}.png)
[a]: https://a.example/{x|y}
Use https://example.org:{80|8080}/
https://{paypal|pаypal}.com/
ftp://host/{pub|priv}/a
<https://a.example/{#a|#b}>
[run](javascript:{a|b}())
See {#12|#13}.
doi:10.1000/{1|2}
https://a.example/?q={1&r=2|1%26r=2}
[x](a.md{|#danger})
pip install -i https://{pypi|pypl}.org x
npm i {left-pad|left_pad}
docker pull a/b:{1|latest}
wget https://a.example/{a.sh|b.sh}
ssh root@10.0.0.{1|2}
See RFC {9110|9111}.
https://a.example/{A|a}
//{cdn|cdm}.example/a.js
[good](https://good.example "{good|bad}")`,
  cells: String.raw`
\| a \| {1 \| 2|2 \| 1} \|
\| dose \| {5 \||\| 5} \|
\| x \| {yes \| no|no \| yes} \|
\| {a \| b|b \| a} \|\n\| - \| - \|\n\| 1 \| 2 \|
\| r1 \| {|1} \|\n\| r2 \| {1|} \|
\| max \| min \|\n\| {9 \| 1|1 \| 9} \|
a,{1,2|2,1}
k\t{v\tw|w\tv}
\| k \| {on|off} \|
\| {1|2} \| a \|\n\| {2|1} \| b \|
\| a \| b \|{| c \|}
a;{b;|;b}
\| t \| {10|100} °C \|
\| adult \| {2 \| child \| 1|1 \| child \| 2} \|
\| a \|\n\| {b|c} \|\n\| {c|b} \|
\| port \| {443 \| 80|80 \| 443} \|
\| left \| {:-|-:} \|
\| a \| ~~{b~~ \| c|b \| c~~} \|
x: {1, y: 2|2, y: 1}
\| safe \| {cmd1 \| unsafe \| cmd2|cmd2 \| unsafe \| cmd1} \|
A1={B1|B2}
\| min \| {0|1} \|
\| a \| {\`b\`|b} \|
\| from \| {a \| to \| b|b \| to \| a} \|
\| {|x} \| {x|} \|`,
  order: String.raw`
1. {Stop it.\n2. Copy it.|Copy it.\n2. Stop it.}
- {Lock the door.\n- Leave the house.|Leave the house.\n- Lock the door.}
{First acid. Then water.|First water. Then acid.}
{Add the water. Add the acid.|Add the acid. Add the water.}
{drain()\nupgrade()|upgrade()\ndrain()}
{Back up the store.\n\nUpgrade it.|Upgrade it.\n\nBack up the store.}
Step one is here.\n{Unplug it.\nOpen the case.|Open the case.\nUnplug it.}
{COMMIT;\nDELETE FROM t;|DELETE FROM t;\nCOMMIT;}
{Wash your hands.\nTouch the wound.|Touch the wound.\nWash your hands.}
{git pull\ngit push|git push\ngit pull}
{unset KEY\nrun it|run it\nunset KEY}
{BEGIN;\nUPDATE t;|UPDATE t;\nBEGIN;}
{export A=1\nsource env|source env\nexport A=1}
{mkdir a\ncd a|cd a\nmkdir a}
{Cool it. Cut it.|Cut it. Cool it.}
{Check the pressure.\nOpen the valve.|Open the valve.\nCheck the pressure.}
{Sign it. Read it.|Read it. Sign it.}
{allow 10.0.0.0/8\ndeny all|deny all\nallow 10.0.0.0/8}
{catch A:\ncatch B:|catch B:\ncatch A:}
{Warm up. Lift.|Lift. Warm up.}
{kill -15 it\nkill -9 it|kill -9 it\nkill -15 it}
{Freeze the tables.\nTake the snapshot.|Take the snapshot.\nFreeze the tables.}
{rm old\ncp new old|cp new old\nrm old}
{Test it. Ship it.|Ship it. Test it.}
Keep this.\n{Red is live. Black is neutral.|Black is neutral. Red is live.}`,
}

/** Both texts of a pair. */
function pairOf(line: string): [string, string] {
  const plain = line
    .replaceAll('\\n', '\n')
    .replaceAll('\\t', '\t')
    .replaceAll('\\u00a0', '\u00a0')
    .replaceAll('\\|', '\u0001')
  const side = (at: 1 | 2): string =>
    plain.replace(/\{([^{}|]*)\|([^{}|]*)\}/g, (...found: string[]) => found[at] ?? '').replaceAll('\u0001', '|')
  return [side(1), side(2)]
}

const AROUND = Array.from({ length: 9 }, (_, at) => `This is sentence ${at} of the text around it.`).join('\n')

for (const [kind, lines] of Object.entries(PAIRS)) {
  const pairs = lines.trim().split('\n').map(pairOf)
  test(`none of 25 changes of ${kind} keeps the support of the other text`, () => {
    assert.equal(pairs.length, 25)
    for (const pair of pairs) {
      for (const [one, other] of [pair, pair.toReversed() as [string, string]]) {
        assert.notEqual(one, other)
        const { standing } = assess(
          evidenceAfter({ content: `${AROUND}\n${one}` }, { verdict: 'SUPPORTED' }, { content: `${AROUND}\n${other}` }),
        )
        assert.ok(standing.state !== 'SUPPORTED' && standing.changed > 0, JSON.stringify([one, other, standing]))
      }
    }
  })
}

test('50 corrections of one word or number answer a contradiction at once, with and without a quote', () => {
  const corrections = [PAIRS.negation, PAIRS.numbers].flatMap(lines => (lines ?? '').trim().split('\n').map(pairOf))
  assert.equal(corrections.length, 50)
  for (const [wrong, right] of corrections) {
    for (const quote of [null, wrong]) {
      const { standing } = assess(
        evidenceAfter(
          { content: `${AROUND}\n${wrong}` },
          { verdict: 'CONTRADICTED', quote },
          { content: `${AROUND}\n${right}`, changeType: 'CORRECT', actor: 2 },
        ),
      )
      assert.equal(standing.state, 'ANSWERED', JSON.stringify([wrong, right, quote]))
    }
  }
})
