/** Warnings that the reader of the figures of a run must know first. */
export const ENGLISH_WARNINGS = {
  /** Words that nobody translates. */
  'warning.words': '{text}',
  'warning.gaps': '{market}: {bars} bars are missing between the others; nothing was traded in them',
  'warning.noDetail':
    '{market}: {bars} of {all} bars were walked whole: no bars of {timeframe} reach through them with the same open, high, low and close',
  'warning.unvalued': 'the account has {assets}, which no market of the run values: it counts for nothing',
  'warning.unvaluedAsset': 'no recorded market values {asset} in {quote}: it counts for nothing',
  'warning.emptyUniverse': '{universe}: no market passed in {rankings} rankings; at the last one {why}',
  'warning.somePassed': 'some did',
  'warning.finePlan':
    'the plan looks at the {what} of {market} every {every}, but it was recorded about every {gap}: the bot sees the same again and again, and what happened between is not known',
  'warning.book': 'book',
  'warning.tape': 'tape',
  'warning.oldBooks':
    "books of {market} were recorded about every {gap}, but {strategy} may only trade on books of at most {most} by the exchange's time: most of its orders are refused; set its {setting} higher",
  'warning.signalsOutside': '{outside} of {all} signals are outside of the run',
  'warning.noSignals': '{strategy} declares signals, and was given none: {option} names a file of them',
  'warning.nothingTraded': 'nothing was traded: the mirror has no fill within the range',
  'warning.unknownOrders': {
    one: 'of {count} order it is not known whether the exchange has it',
    other: 'of {count} orders it is not known whether the exchange has it',
  },
  'warning.short':
    'no figure of a year (CAGR, volatility, Sharpe, Sortino, Calmar) is shown: the run is {length} long, and less than 30 days say nothing of a year',
  'warning.stopped': '{strategy} on {market} stopped before the end: {reason}',
  'warning.sold':
    '{strategy} sold {amount} on {market} that no buy of it had brought in this run; such sales are in no trade.',
  'warning.soldByOther':
    'Another hand sold {amount} on {market} that no buy of it had brought in this run; such sales are in no trade.',
  'warning.moreLocks': '{more} more locks held than the {listed} that are listed',
  'warning.moreMembers':
    '{more} more markets entered or left universes than the {listed} changes that are listed',
  'warning.fewBars':
    '{percent} % of the time has no bars: volatility, Sharpe and Sortino are annualised by the {bars} bars there are, and what happened in a gap is one return',
  'warning.noIntent': '{strategy} placed no order: it had no intent',
  'warning.noOrder': '{strategy} placed no order: it made {intents}, none of which became an order',
  'warning.allRefused': '{strategy} placed no order: it made {intents}, and was refused: {reasons}',
  'warning.oneIntent': '{number} intent',
  'warning.intents': '{number} intents',
  'warning.refused':
    '{strategy}: {refused} of {attempts} orders that it wanted were refused ({percent} %): {reasons}',
  'warning.notTold': '{strategy} was not told: {reasons}',
  'warning.reason': '{number} {what} by {check} ({time}: {example})',
  'warning.moreReasons': 'and {number} more reasons',
  'warning.then': '{one}; {other}',
  'warning.and': '{one} and {other}',
} as const;
