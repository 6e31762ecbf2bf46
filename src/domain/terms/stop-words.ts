/** Function words, folded: of English, and the most frequent ones of German, French, Spanish and Russian. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  `a about after again against all also although always am an and another any are aren arent around as at be because been before being
  below between both but by came can cannot cant come comes could couldn couldnt did didn didnt do does doesn doesnt doing don dont
  done during each either else etc ever every few for from further gave get gets getting give given gives goes going gone got had hadn hadnt
  has hasn hasnt have haven havent having he her here hers herself hes hi him himself his how however i id if ill im in instead into is isn isnt it its itself
  ive just know like ll may me might mine more most much must my myself need needs neither no nor not now of off often on once
  one only onto or other others our ours ourselves out over per please quite rather re really s same see seem seems shall she should
  shouldn shouldnt since so some somehow someone something such t take than thanks that thats the their theirs them themselves then there
  theres therefore these they theyre this those though through thus to together too toward towards under until up upon us use used
  uses using ve very via want wants was wasn wasnt way we well were weren werent what whatever whats when whenever where wherever
  whether which while who whole whom whose why will with within without won wont would wouldn wouldnt yet you your youre yours
  yourself yourselves tell show explain anyone anybody everyone thing things
  der das dem den des ein eine einem einen einer und oder ist sind wird werden nicht von zu zum zur auf im am fur bei aus wie wenn
  dass sich ich wir sie es er auch nur noch nach uber kann wo warum welche welcher welches wieso
  le la les un une et ou est sont dans pour par sur avec ne pas que qui ce cette ces comment pourquoi quel quelle quels quelles du au aux en je il elle nous vous
  el los las unos unas y o es del al con por para como que cual cuales cuando donde su sus se lo no
  и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по ее мне было вот от меня о из ему теперь когда даже ну
  ли если или ни быть был него до вас уж вам ведь там потом себя ей они тут где есть для мы их чем была сам чтоб без чего кто этот
  того потому этого какой ним здесь этом чтобы нее сейчас были куда зачем при после это эта эти можно почему`.split(
    /\s+/,
  ),
)
