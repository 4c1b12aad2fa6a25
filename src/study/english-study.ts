import { ENGLISH_MISSING_REASONS } from '../statistics/estimate.ts';
import { z } from 'zod';
import { factsOf, type Fact, type FactFigure } from '../language/fact.ts';

/** A finding of a study as data, to be written in either language. */
export type StudyFinding = Fact<keyof typeof ENGLISH_FINDINGS>;

export const finding = factsOf<typeof ENGLISH_FINDINGS>();

/** Makes a finding of a text that is never translated, such as an error message. */
export const said = (text: string): StudyFinding => finding('said', { text });

const isKey = (key: unknown): key is StudyFinding['fact'] =>
  typeof key === 'string' && Object.hasOwn(ENGLISH_FINDINGS, key);

/** True if a value among other data is a finding. */
export const isFinding = (value: unknown): value is StudyFinding =>
  typeof value === 'object' &&
  value !== null &&
  'fact' in value &&
  'figures' in value &&
  isKey(value.fact) &&
  Object.keys(value).length === 2;

const figure: z.ZodType<FactFigure> = z.lazy(() =>
  z.union([
    z.number(),
    z.string(),
    z.strictObject({ digits: z.string() }),
    z.strictObject({ value: z.number().nullable() }),
    z.strictObject({ share: z.number().nullable() }),
    z.strictObject({ atMs: z.number() }),
    z.strictObject({ lengthMs: z.number() }),
    z.strictObject({ metric: z.string() }),
    findingSchema,
    z.array(figure),
  ]),
);

/** Schema of a finding as it is stored in a file. */
export const findingSchema: z.ZodType<StudyFinding> = z.strictObject({
  fact: z.custom<StudyFinding['fact']>(isKey),
  figures: z.record(z.string(), figure),
});

/** Schema of a stored finding that also reads older files, which hold plain text. */
export const storedFinding: z.ZodType<StudyFinding> = z.union([z.string().transform(said), findingSchema]);

/** English sentences of a study's findings: its outcome, its notes, and why tests were not made. */
export const ENGLISH_FINDINGS = {
  ...ENGLISH_MISSING_REASONS,
  /** Text that is never translated, such as an error message. */
  said: '{text}',
  /** Another text as a sentence that begins with a capital. */
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
    'No figure of a year ({metrics} and others) is shown: the trials saw {length}, and less than 30 days say nothing of a year. Trials are still ranked by such figures.',
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

/** English texts of commands and the report on a study, except the charts. */
export const ENGLISH_STUDY = {
  ...ENGLISH_FINDINGS,
  nothing: 'n/a',
  notTested: 'not tested',
  notTestedWhy: 'not tested: {why}',

  title: 'Study {name}',
  header: 'Study of {strategy} on {markets}, {data}, trials from {from} to {to} UTC',
  'header.candles': 'candles of {timeframe}',
  'header.books': 'recorded books',
  theme: 'Theme',
  footer: 'Made by sarraf on {day}. Studies are explained in {studies}, figures in {metrics}; times are UTC.',
  toKnow: 'To know',

  verdict: 'Verdict',
  'verdict.of': 'Verdict on trial {trial}, the best one',
  'verdict.none': 'No trial has values.',
  'verdict.luck': 'Luck',
  'verdict.stable': 'Stable',
  'verdict.stress': 'Under stress',
  'verdict.untested': 'Nobody has tested',

  'tile.maximized': '{metric}, maximized',
  'tile.minimized': '{metric}, minimized',
  'tile.noValues': 'no trial has values',
  'tile.inSample': 'in sample, of trial {trial}',
  'tile.trials': 'Trials',
  'tile.done': '{done} of {wanted}',
  'tile.failed': '{failed} failed, {broken} broke a constraint',
  'tile.onData': 'On this data',
  'tile.studies': 'trials ever, in {studies}',
  'tile.sampler': 'Sampler',
  'tile.seed': 'seed {seed}',
  'tile.holdout': 'Hold-out',
  'tile.closed': 'closed',
  'tile.opened': 'opened',
  'tile.none': 'none',
  'tile.from': 'from {time}',
  'tile.allSeen': 'all of the data was seen',

  'luck.title': 'How much of it is luck',
  'luck.note':
    'Statistics of {days} of trial {trial}, and of {trials} tested together. {page} says what misleads in each.',
  'statistic.probabilisticSharpe': 'probabilistic Sharpe ratio',
  'statistic.probabilisticSharpe.what':
    'chance that the true Sharpe ratio is above 0, were it the only trial',
  'statistic.minimumTrackRecord': 'minimum track record',
  'statistic.minimumTrackRecord.what':
    'days until such a result is more than chance at 5 %, were it the only trial',
  'statistic.deflatedSharpeOfStudy': 'deflated Sharpe ratio, trials of this study',
  'statistic.deflatedSharpeOfStudy.what':
    'chance that the best trial is better than the best of so many by luck',
  'statistic.deflatedSharpeOfData': 'deflated Sharpe ratio, trials on this data',
  'statistic.deflatedSharpeOfData.what': 'the same, with all trials ever run on this data by the register',
  'statistic.deflatedSharpeEffective': 'deflated Sharpe ratio, effective trials',
  'statistic.deflatedSharpeEffective.what':
    'the same, with trials of this study that are nearly alike as one',
  'statistic.overfittingProbability': 'probability of overfitting',
  'statistic.overfittingProbability.what':
    'how often the best trial of half of the days is at most average in the others, by CSCV',
  'statistic.realityCheck': 'reality check, p value',
  'statistic.realityCheck.what': 'how often the best of all would look this good if none beat cash',
  'statistic.superiorPredictiveAbility': 'superior predictive ability, p value',
  'statistic.superiorPredictiveAbility.what':
    'the same, by own deviations and without trials that are clearly worse',
  'statistic.dayOrder': 'drawdown in another order of days',
  'statistic.dayOrder.what':
    'what one order of the same days in twenty exceeds; the trial had the one behind it',
  'statistic.against': '{figure}, found {found}',
  'statistic.ofTrials': '{figure}, {trials}',

  'conditions.title': 'Trial {trial} under stress',
  'conditions.costs': 'costs doubled',
  'conditions.costsOf': 'costs doubled ({which})',
  'conditions.paid': '{cost} {from} to {to}',
  'conditions.cost': '{cost} alone doubled',
  'conditions.reorder': 'trades in another order',
  'conditions.resample': 'trades drawn anew',
  'conditions.redrawn': 'redrawn candles',
  'conditions.entries': 'random entries',
  'conditions.metric': '{metric} {figure}',
  'conditions.order':
    'drawdown {median} (median), {deep} (one of twenty is deeper), found {found}; {share} of {runs} as deep',
  'conditions.draw': '{metric} {low} (5 %), {median} (median), {high} (95 %); a loss in {loss} of {runs}',
  'conditions.histories':
    '{metric} {low} (5 %), {median} (median), {high} (95 %); a loss in {loss} of {runs}, more than holding in {more}; blocks of {block} candles',
  'conditions.controls':
    '{metric} {low} (5 %), {median} (median), {high} (95 %), found {found}; {share} of {runs} as good, p value {pValue}',
  'conditions.failed': '{text}; {failed} failed',

  'best.title': 'Best trials',
  'best.trial': 'trial',
  'best.all': 'All {all} trials with values. A row marks its trial in every chart.',
  'best.some':
    'The {shown} best of {all} trials with values; {file} has all. A row marks its trial in every chart.',
  'best.front':
    'All {all} trials that no other one is better than in every objective. A row marks its trial in every chart.',
  'best.someOfFront':
    'The {shown} best of {all} trials that no other one is better than in every objective; {file} has all. A row marks its trial in every chart.',
  'best.broken': 'breaks constraints',

  'failures.title': 'Failed trials',
  'failures.note': '{failed} of {done} trials have no values.',
  'failures.kind': 'Kind',
  'failures.meaning': 'Meaning',
  'failures.trials': 'Trials',
  'failures.first': 'First',
  'failures.reason': 'Reason',
  'failures.others': 'other reasons',
  'failure.refused': 'refused',
  'failure.stopped': 'stopped',
  'failure.threw': 'threw',
  'failure.no trade': 'no trade',
  'failure.no value': 'no value',
  'failure.died': 'died',
  'failure.too long': 'too long',
  'meaning.refused': 'the strategy refuses these params',
  'meaning.stopped': 'the strategy threw on the way, and stopped',
  'meaning.threw': 'the run itself could not be made',
  'meaning.no trade': 'nothing was traded',
  'meaning.no value': 'an objective has no value',
  'meaning.died': 'the thread that ran it ended, twice',
  'meaning.too long': 'it did not end in time',

  'charts.noScript': 'The charts need JavaScript; {file} beside this page has the same.',
  'charts.sample':
    "Of {all} trials the charts have {shown}: {drawn} drawn by the study's id, and the best ones. {file} has all.",
  'key.best': 'best trial',
  'key.near': 'its neighbours',
  'key.plateau': 'where neighbours may be',
  'key.other': 'other trials',
  'key.broken': 'breaks constraints',
  'key.failed': 'failed, on the floor',
  'key.chosen': 'the one that you choose',
  'key.bestByFirst': 'best by the first objective',
  'key.front': 'on the front',
  'slices.title': 'Each param by itself',
  'slices.figure': 'Figure',
  'slices.note': 'Every dot is a trial: point at it for its params, click to mark it everywhere.',
  'pareto.title': 'Pareto front',
  'pareto.across': 'Across',
  'pareto.up': 'Up',
  'pareto.note': 'No other trial is better than those on the front in one objective and worse in none.',
  'heat.title': 'Two params together:',
  'heat.across': 'Param across',
  'heat.up': 'Param up',
  'heat.note':
    'The median of the trials in each cell, of those that hold every constraint; the stronger the colour, the better. An empty cell has none.',
  'heat.noteOfSample':
    "The median of the trials that the study's id drew in each cell, of those that hold every constraint; the stronger the colour, the better. An empty cell has none.",
  'parallel.title': 'All params together:',
  'parallel.label': 'All params together',
  'parallel.note': 'Every line is a trial. The best tenth is drawn stronger, the best trial strongest.',
  'cell.range': '{from} to {to}',

  'walk.title': 'Walk-forward',
  'walk.unknown': 'One was run, and can not be shown here: {reason}',
  'walk.account': 'Walk-forward: the account, out of sample',
  'walk.note':
    '{windows} {kind} windows. One account trades each of them with what was chosen ({choice}) before it: bands are windows, the dashed line is what it began with.',
  'plan.rolling': 'rolling',
  'plan.anchored': 'anchored',
  'choice.best': 'best',
  'choice.plateau': 'plateau',
  'walk.hash': 'Hash {hash}',
  'account.begins': 'begins with',
  'account.ends': 'ends with',
  'account.efficiency': 'efficiency, growth out of over in sample',
  'against.title': 'In sample against out of sample',
  'against.figure': 'Figure of the walk-forward',
  'against.note':
    'Every dot is a window. On the line it did as well out of sample as in its train window; below the line less.',
  'windows.title': 'Windows',
  'windows.note': 'Each was chosen in its train window, and traded in its test window. Times are UTC.',
  'window.number': 'window',
  'window.train': 'train',
  'window.test': 'test',
  'window.range': '{from} to {to}',
  'window.trial': 'trial',
  'window.kept': 'as before',
  'window.inSample': '{metric} in',
  'window.outOfSample': 'out',
  'window.efficiency': 'efficiency',
  'window.position': 'position',
  'window.takenOver': 'taken over',
  'window.noPosition': 'none',
  'drift.title': 'How params moved',
  'drift.note':
    'From window to window. A param that jumps back and forth decides little, or was fitted to noise.',
  'drift.param': 'param',
  'drift.changed': 'changed',
  'drift.ofBorders': '{changes} of {borders}',
  'drift.mean': 'mean change, of its range',
  'drift.values': 'values',
  'drift.none': 'none',
  growth: 'growth a day',
  'metric.maxDrawdownMs': 'maxDrawdownMs',

  'holdout.title': 'Hold-out',
  'holdout.note':
    'Trial {trial} on {from} to {to}, opened on {time} UTC after {trials}. It is spent: what is chosen after a look at it was not tested on new data.',
  'holdout.notRun': 'Its run did not end: "{command}" runs it.',
  'holdout.failed': 'Its run failed: {reason}',
  'holdout.figure': 'Figure',
  'holdout.inTrials': 'In the trials',
  'holdout.inHoldout': 'In the hold-out',

  'asked.title': 'What was asked',
  'asked.study': 'Study',
  'asked.hash': 'Hash of it with all trials',
  'asked.code': 'Code of the strategy',
  'asked.version': 'Version of sarraf',
  'asked.data': '{rows} {kind} of {market}, {from} to {to}',
  'asked.candles': '{rows} candles of {timeframe} of {market}, {from} to {to}',
  'asked.signals': {
    one: '{count} signal, {from} to {to}',
    other: '{count} signals, {from} to {to}',
  },
  'asked.noSignals': 'A file of signals, none of which came in its time',
  'asked.file': 'File',
  'asked.settings': 'Settings',
  'data.candles': 'candles',
  'data.books': 'books',
  'data.trades': 'trades',
  'data.statistics': 'statistics',
} as const;
