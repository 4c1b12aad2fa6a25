import { ENGLISH_LACKS } from '../../statistics/estimate.ts';

/** Findings of a study as sentences: its outcome, its notes, and the reasons tests were not made. */
export const ENGLISH_FINDINGS = {
  ...ENGLISH_LACKS,
  /** Words that nobody translates, such as those of an error. */
  said: '{text}',
  /** Another text as a sentence: it begins with a capital. */
  sentence: '{text}.',
  'lack.figure': 'no figure',
  'lack.numbers': 'expected params that are numbers, found choices alone',
  'lack.neighbours':
    'expected at least {least} trials within a quarter of the range of {params} around the best one, found {found}',
  'lack.wholeSample': 'expected at most {most} trials of {days} days, was {found}',
  'lack.costs': 'expected fees, a spread or slippage to double, found none',
  'lack.candles': 'books are not redrawn: they need candles',
  'lack.detail': 'candles with a detail are not redrawn: the finer ones would no longer agree with them',
  'lack.places': 'expected candles to put positions at other places of, found books',
  'lack.oneCurrency': 'expected markets priced in one currency, found two',
  'lack.valueOfMetric': 'expected a value of {metric}, found none',
  'lack.controls': 'expected at least {least} controls with a value, was {found}',
  'lack.histories': 'expected a run of most histories, was {found} of {all}: {reason}',

  'count.days': { one: '{count} day', other: '{count} days' },
  'count.trials': { one: '{count} trial', other: '{count} trials' },
  'count.studies': { one: '{count} study', other: '{count} studies' },
  'count.otherStudies': { one: '{count} other study', other: '{count} other studies' },
  'count.runs': { one: '{count} run', other: '{count} runs' },
  'count.histories': { one: '{count} history', other: '{count} histories' },
  'count.redrawn': { one: '{count} redrawn history', other: '{count} redrawn histories' },
  'count.controls': { one: '{count} control', other: '{count} controls' },
  'count.nearest': { one: 'the {count} nearest trial', other: 'the {count} nearest trials' },

  'luck.likely luck': 'likely luck',
  'luck.perhaps luck': 'perhaps luck',
  'luck.unlikely luck': 'unlikely luck',
  'luck.not tested': 'not tested, too little to tell',
  'luck.deflated':
    'The best of {trials} trials without skill would have a daily Sharpe ratio (of daily returns, for a year) of {expected}, this one has {found}: it is better than luck with a probability of {probability}. The figure `sharpe` of a trial is of the returns of bars, and need not be this one.',
  'luck.ability': 'If no trial were better than cash, the best would look this good in {share} of histories.',
  'luck.overfitting':
    'Chosen by half of the days, the best trial is at most average in the other half in {average} of cases, and loses in {loss}.',
  'luck.fewTrades': 'Expected at least {least} closed trades, was {found}.',
  'luck.entries': 'Random entries with the same exposure do as well.',
  'luck.heldLess': 'Holding the market earned less: {held}, the best trial {earned}.',
  'luck.heldMore': 'Holding the market earned as much or more: {held}, the best trial {earned}.',
  'luck.sample':
    "{sampled} of {ran} were tested together, drawn by the study's id; the deflated Sharpe ratio counts all.",

  'stable.plateau': 'plateau',
  'stable.peak': 'peak',
  'stable.not tested': 'not tested',
  'stable.failed': 'half of {near} or more failed or break constraints',
  'stable.values': '{metric} is {best}, in {near} {median} (median), in the worst tenth {worst}',
  'stable.kept': '{near} keep {kept} (median) of the {metric} that the best trial has above the worst tenth',

  'stress.holds': 'holds',
  'stress.breaks': 'breaks',
  'stress.not tested': 'not tested',
  'stress.earns': 'With doubled costs it still earns: {earned}.',
  'stress.loses': 'With doubled costs it loses: {earned}.',
  'stress.trades':
    'Its trades drawn anew lose in {loss} of runs. In another order they fall by more than {drawdown} in one run of twenty.',
  'stress.candles': 'In {histories} it loses in {loss}, and earns more than holding in {more}.',
  'stress.better':
    'It is better than random entries with the same exposure: {share} of {controls} do as well.',
  'stress.noBetter':
    'It is no better than random entries with the same exposure: {share} of {controls} do as well.',
  'condition.costs': 'doubled costs',
  'condition.trades': 'order of trades',
  'condition.candles': 'redrawn candles',
  'condition.entries': 'random entries',

  'untested.noHoldout': 'hold-out (there is none)',
  'untested.closedHoldout': 'hold-out (closed: "{command}" runs the best trial on it)',
  'untested.walk': 'walk-forward (params were chosen once, with all days in view: "{command}" runs one)',
  'untested.books': 'books (candles alone: no queue, no depth, no latency)',
  'untested.condition': '{condition} ({why})',
  'untested.stress': '{condition} ("{command}" runs it)',

  'note.trials': '{trials} on this data in {studies}: the best of so many is good by luck alone, too.',
  'note.noHoldout': 'No hold-out: the trials saw all of the data, so nothing here was tested on new data.',
  'note.short':
    'No figure of a year ({metrics} and others) is shown: the trials saw {length}, and less than 30 days say nothing of a year. They are compared by it all the same.',
  'note.closed': 'The hold-out is closed: no trial has seen it.',
  'note.closedHere': 'The hold-out is closed: no trial of this study has seen it.',
  'note.opened': 'The hold-out was opened on {time} UTC.',
  'note.openedSince': 'The hold-out was opened on {time} UTC. {trials} came after it.',
  'note.seen': 'It is not new: {trials} of other studies on this data ran on candles of this hold-out.',
  'note.otherHoldouts': 'The hold-outs of {studies} on this data were opened.',
  'note.broken': 'No trial holds every constraint: the best one breaks them the least.',
  'note.walked': 'Its walk-forward made {earned}, out of sample.',
  'note.heldOut': 'In the hold-out trial {trial} made {earned}.',
  'note.holdoutFailed': 'The run of trial {trial} on the hold-out failed: {reason}',
  'earned.alone': '{earned}',
  'earned.held': '{earned}, where holding made {held}',

  'walk.trials': '{trials} in {windows} windows; {onData} on this data in {studies}.',
  'walk.holdout': 'The hold-out is in no window.',
  'walk.noHoldout': 'No hold-out: a plan that was changed after a look at this was not tested on new data.',
  'walk.kept': {
    one: 'No trial has values in window {windows}: the params of the window before went on.',
    other: 'No trial has values in windows {windows}: the params of the window before went on.',
  },
  'walk.broken': {
    one: 'What was chosen breaks constraints in window {windows}.',
    other: 'What was chosen breaks constraints in windows {windows}.',
  },
  'walk.stopped': 'The strategy stopped on the way, until the next window: {reason}',

  'cost.fees': 'fees',
  'cost.spread': 'spread',
  'cost.slippage': 'slippage',
  'cost.latency': 'latency',
  'paid.list': '{costs}',
  'paid.bps': '{bps} bps',
  'paid.percent': '{percent} %',
  'paid.rates': '{maker} and {taker}',
  'paid.range': '{percent} % of the range',
  'paid.latency': '{out} ms out and {back} ms back',
} as const;
