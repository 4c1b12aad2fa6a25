import { numberText } from '../backtest/value-text.ts';
import { groupedText } from '../domain/money.ts';
import { studyVoice, type StudyVoice } from './study-voice.ts';
import { finding, type StudyFinding } from './english-study.ts';
import type { LuckStatistics, LuckStatisticName, Tested } from './validation/luck-statistics.ts';
import type { StatisticNote, StudyValidation } from './study-validation.ts';
import type { TrialMetrics, RunRange } from './objectives.ts';
import type { TradeOrderRisk } from '../statistics/trade-order-risk.ts';
import type { EntryFindings, RedrawnFindings, StressFindings } from './stress-findings.ts';
import { decimalText } from '../domain/decimal-text.ts';
import type { Currency } from '../domain/market-symbol.ts';
import type { WalkForwardResult } from './walk-forward-result.ts';

/** Texts of one statistic. */
export interface StatisticText extends StatisticNote {
  readonly name: LuckStatisticName;
  /** Text of the figure; null if the statistic was not tested. */
  readonly figure: string | null;
  /** Reason that it was not tested; null if it was. */
  readonly missing: string | null;
}

type Writers = {
  readonly [Name in LuckStatisticName]: (
    value: Extract<LuckStatistics[Name], { readonly kind: 'tested' }>['value'],
  ) => string;
};

/** Returns the texts of all statistics of a study. Formula and source are the same as in the docs. */
export function statisticTexts(
  { statistics: found }: StudyValidation,
  voice: StudyVoice = studyVoice('en'),
): readonly StatisticText[] {
  const writers = writersIn(voice);
  const written = (name: LuckStatisticName): StatisticText => {
    const { formula, source } = found[name];
    const result: Tested<never> = found[name].result as Tested<never>;
    const isTested = result.kind === 'tested';
    return {
      name,
      title: voice.t(`statistic.${name}`),
      what: voice.t(`statistic.${name}.what`),
      formula,
      source,
      figure: isTested ? writers[name](result.value) : null,
      missing: isTested ? null : voice.format(result.message),
    };
  };
  return NAMES.map(written);
}

const NAMES: readonly LuckStatisticName[] = [
  'probabilisticSharpe',
  'minimumTrackRecord',
  'deflatedSharpeOfStudy',
  'deflatedSharpeOfData',
  'deflatedSharpeEffective',
  'overfittingProbability',
  'realityCheck',
  'superiorPredictiveAbility',
  'dayOrder',
];

function writersIn({ t, format, chance, digits, count, percent }: StudyVoice): Writers {
  const probability = (of: { readonly probability: number }): string => chance(of.probability);
  const pValue = (of: { readonly pValue: number }): string => chance(of.pValue);
  const deflation = (of: { readonly probability: number; readonly trials: number }): string =>
    t('statistic.ofTrials', {
      figure: chance(of.probability),
      trials: format(finding('count.trials', { count: of.trials })),
    });
  return {
    probabilisticSharpe: probability,
    minimumTrackRecord: ({ needed, found }) =>
      t('statistic.against', {
        figure: digits(needed >= 1e6 ? numberText(needed) : groupedText(String(Math.ceil(needed)))),
        found: count(found),
      }),
    deflatedSharpeOfStudy: deflation,
    deflatedSharpeOfData: deflation,
    deflatedSharpeEffective: deflation,
    overfittingProbability: probability,
    realityCheck: pValue,
    superiorPredictiveAbility: pValue,
    dayOrder: ({ drawdown, observedDrawdown }) =>
      t('statistic.against', { figure: percent(drawdown.p95), found: percent(observedDrawdown) }),
  };
}

/** Returns the note that only a sample of the trials was tested together; null if all were. */
export const sampleFinding = ({ sampled, ran }: StudyValidation['basis']): StudyFinding | null =>
  sampled === ran ? null : finding('luck.sample', { sampled, ran: finding('count.trials', { count: ran }) });

/** Texts of one condition of stress. */
interface StressText {
  readonly title: string;
  /** Text of the figure; null if it was not tested. */
  readonly figure: string | null;
  /** Reason that it was not tested; null if it was. */
  readonly missing: string | null;
}

/** Returns the texts of the best trial's results under other conditions. */
export function stressTexts(
  findings: StressFindings,
  voice: StudyVoice = studyVoice('en'),
): readonly StressText[] {
  const { tradeOrder, redrawn, entries } = findings;
  const { t } = voice;
  const textOf = textIn(voice);
  return [
    ...costTexts(findings, voice),
    textOf(t('conditions.reorder'), tradeOrder.reorder, orderText),
    textOf(t('conditions.resample'), tradeOrder.resample, drawText),
    textOf(t('conditions.redrawn'), redrawn, redrawnText),
    textOf(t('conditions.entries'), entries, entryText),
  ];
}

function costTexts({ costs: { all, each, paid } }: StressFindings, voice: StudyVoice): readonly StressText[] {
  const { t, format } = voice;
  const textOf = textIn(voice);
  const which = paid.map(({ cost, from, to }) =>
    t('conditions.paid', { cost: t(`cost.${cost}`), from: format(from), to: format(to) }),
  );
  const title =
    which.length === 0
      ? t('conditions.costs')
      : t('conditions.costsOf', { which: which.join(voice.language === 'fa' ? '؛ ' : '; ') });
  return [
    textOf(title, all, figuresText),
    ...each.map(({ cost, result }) =>
      textOf(t('conditions.cost', { cost: t(`cost.${cost}`) }), result, figuresText),
    ),
  ];
}

const CONDITION_METRICS = ['totalReturn', 'sharpe', 'maxDrawdown', 'trades'];

const figuresText = (metrics: TrialMetrics, { t, metric, figure, list }: StudyVoice): string =>
  list(
    CONDITION_METRICS.map((name) =>
      t('conditions.metric', { metric: metric(name), figure: figure(name, metrics) }),
    ),
  );

const orderText = (
  { drawdown, observedDrawdown, asDeep, runs }: TradeOrderRisk,
  { t, format, percent }: StudyVoice,
): string =>
  t('conditions.order', {
    median: percent(drawdown.p50),
    deep: percent(drawdown.p95),
    found: percent(observedDrawdown),
    share: percent(asDeep),
    runs: format(finding('count.runs', { count: runs })),
  });

const drawText = (
  { finalEquity, lossShare, runs }: TradeOrderRisk,
  { t, format, metric, percent }: StudyVoice,
): string =>
  t('conditions.draw', {
    metric: metric('totalReturn'),
    low: percent(finalEquity.p05 - 1),
    median: percent(finalEquity.p50 - 1),
    high: percent(finalEquity.p95 - 1),
    loss: percent(lossShare),
    runs: format(finding('count.runs', { count: runs })),
  });

const redrawnText = (of: RedrawnFindings, voice: StudyVoice): string => {
  const { t, format, metric, percent, number } = voice;
  const { histories, meanBlock, lossShare, beatsHolding, totalReturn, failed } = of;
  const text = t('conditions.histories', {
    metric: metric('totalReturn'),
    low: percent(totalReturn.p05),
    median: percent(totalReturn.p50),
    high: percent(totalReturn.p95),
    loss: percent(lossShare),
    runs: format(finding('count.histories', { count: histories })),
    more: percent(beatsHolding),
    block: number(meanBlock),
  });
  return withFailed(text, failed, voice);
};

const entryText = (of: EntryFindings, voice: StudyVoice): string => {
  const { t, format, metric, figure, percent, chance } = voice;
  const { controls, metric: name, found, values, asGood, pValue, failed } = of;
  const shown = (value: number): string => figure(name, { [name]: value });
  const text = t('conditions.controls', {
    metric: metric(name),
    low: shown(values.p05),
    median: shown(values.p50),
    high: shown(values.p95),
    found: shown(found),
    share: percent(asGood),
    runs: format(finding('count.controls', { count: controls })),
    pValue: chance(pValue),
  });
  return withFailed(text, failed, voice);
};

const withFailed = (text: string, failed: number, { t }: StudyVoice): string =>
  failed === 0 ? text : t('conditions.failed', { text, failed });

function textIn(voice: StudyVoice) {
  return <Value>(
    title: string,
    of: Tested<Value>,
    text: (value: Value, voice: StudyVoice) => string,
  ): StressText =>
    of.kind === 'tested'
      ? { title, figure: text(of.value, voice), missing: null }
      : { title, figure: null, missing: voice.format(of.message) };
}

/** Column of a table as text; words are aligned left, numbers right. */
export interface WalkColumn {
  readonly title: string;
  readonly isWord: boolean;
  /** Cells, one for each row. */
  readonly cells: readonly string[];
}

/** Metrics of the account that are shown besides the objectives. */
const WINDOW_METRICS = ['totalReturn', 'sharpe', 'maxDrawdown', 'trades', 'profitFactor', 'buyAndHoldReturn'];

/** Returns the columns of all windows, a row for each: the choice, and its results in and out of sample. */
export function windowTexts(
  { windows, objectives }: WalkForwardResult,
  voice: StudyVoice = studyVoice('en'),
): readonly WalkColumn[] {
  const { t, digits, number, metric, figure, param } = voice;
  const figures = [...new Set([...objectives.slice(0, 1).map(({ metric }) => metric), 'totalReturn'])];
  const names = [...new Set(windows.flatMap(({ params }) => Object.keys(params)))];
  const column = (
    title: string,
    text: (row: WalkForwardResult['windows'][number]) => string,
    isWord = false,
  ): WalkColumn => ({ title, isWord, cells: windows.map(text) });
  return [
    column(t('window.number'), (row) => digits(String(row.number))),
    column(t('window.train'), ({ train }) => rangeSpanText(train, voice), true),
    column(t('window.test'), ({ test }) => rangeSpanText(test, voice), true),
    column(t('window.trial'), ({ trial }) => (trial === null ? t('window.kept') : digits(String(trial)))),
    ...figures.flatMap((name) => [
      column(t('window.inSample', { metric: metric(name) }), ({ inSample }) => figure(name, inSample)),
      column(t('window.outOfSample'), ({ outOfSample }) => figure(name, outOfSample)),
    ]),
    column(t('window.efficiency'), ({ efficiency }) => number(efficiency)),
    column(
      t('window.position'),
      ({ beganExposed }) => t(beganExposed ? 'window.takenOver' : 'window.noPosition'),
      true,
    ),
    ...names.map((name) => column(voice.foreign(name), ({ params }) => param(params[name]))),
  ];
}

/** Returns the columns of the params, a row for each: how it changes from window to window. */
export function driftTexts(
  { drift, windows }: WalkForwardResult,
  { t, digits, percent, foreign }: StudyVoice = studyVoice('en'),
): readonly WalkColumn[] {
  const borders = windows.length - 1;
  return [
    { title: t('drift.param'), isWord: true, cells: drift.map(({ parameter }) => foreign(parameter)) },
    {
      title: t('drift.changed'),
      isWord: false,
      cells: drift.map(({ changes }) =>
        t('drift.ofBorders', { changes: digits(String(changes)), borders: digits(String(borders)) }),
      ),
    },
    {
      title: t('drift.mean'),
      isWord: false,
      cells: drift.map(({ meanChange }) => percent(meanChange)),
    },
  ];
}

/** Returns the metrics of the account over all windows. `quote`: its currency, if it is to be named. */
export function accountTexts(
  { account, objectives, efficiency }: WalkForwardResult,
  voice: StudyVoice = studyVoice('en'),
  quote: Currency | null = null,
): readonly (readonly [name: string, text: string])[] {
  const { t, digits, number, metric, figure } = voice;
  const figures = [...new Set([...objectives.map((objective) => objective.metric), ...WINDOW_METRICS])];
  const money = (equity: string): string => {
    const text = digits(groupedText(decimalText(Number(equity).toFixed(2))));
    return quote === null ? text : voice.inUnit(text, quote);
  };
  return [
    [t('account.begins'), money(account.initialEquity)],
    [t('account.ends'), money(account.finalEquity)],
    ...figures.map((name) => [metric(name), figure(name, account.metrics)] as const),
    [t('account.efficiency'), number(efficiency)],
  ];
}

/** Converts columns to rows of cells. */
export const textRows = (columns: readonly WalkColumn[]): readonly (readonly string[])[] =>
  (columns[0]?.cells ?? []).map((_, row) => columns.map(({ cells }) => cells[row] ?? ''));

const rangeSpanText = ({ fromMs, toMs }: RunRange, { t, minute }: StudyVoice): string =>
  t('window.range', { from: minute(fromMs), to: minute(toMs) });
