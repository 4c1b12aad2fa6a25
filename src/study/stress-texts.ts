import { finding } from './study-fact.ts';
import { studyVoice, type StudyVoice } from './study-voice.ts';
import type { TrialMetrics } from './objectives.ts';
import type { TradeOrderRisk } from '../statistics/trade-order-risk.ts';
import type { Tested } from './validation/tested.ts';
import type { EntryFindings } from './stress/entry-findings.ts';
import type { RedrawnFindings } from './stress/redrawn-findings.ts';
import type { StressFindings } from './stress-findings.ts';

/** One condition as people read it. */
interface StressText {
  readonly title: string;
  /** Null where it was not tested. */
  readonly figure: string | null;
  /** Reason it was not tested; null if it was. */
  readonly missing: string | null;
}

/** The best trial under other conditions. */
export function stressTexts(
  findings: StressFindings,
  voice: StudyVoice = studyVoice('en'),
): readonly StressText[] {
  const { tradeOrder, redrawn, entries } = findings;
  const { say } = voice;
  const textOf = textIn(voice);
  return [
    ...costTexts(findings, voice),
    textOf(say('conditions.reorder'), tradeOrder.reorder, orderText),
    textOf(say('conditions.resample'), tradeOrder.resample, drawText),
    textOf(say('conditions.redrawn'), redrawn, redrawnText),
    textOf(say('conditions.entries'), entries, entryText),
  ];
}

function costTexts({ costs: { all, each, paid } }: StressFindings, voice: StudyVoice): readonly StressText[] {
  const { say, tell } = voice;
  const textOf = textIn(voice);
  const which = paid.map(({ cost, from, to }) =>
    say('conditions.paid', { cost: say(`cost.${cost}`), from: tell(from), to: tell(to) }),
  );
  const title =
    which.length === 0
      ? say('conditions.costs')
      : say('conditions.costsOf', { which: which.join(voice.language === 'fa' ? '؛ ' : '; ') });
  return [
    textOf(title, all, figuresText),
    ...each.map(({ cost, result }) =>
      textOf(say('conditions.cost', { cost: say(`cost.${cost}`) }), result, figuresText),
    ),
  ];
}

const FIGURES = ['totalReturn', 'sharpe', 'maxDrawdown', 'trades'];

const figuresText = (metrics: TrialMetrics, { say, metric, figure, list }: StudyVoice): string =>
  list(
    FIGURES.map((name) => say('conditions.metric', { metric: metric(name), figure: figure(name, metrics) })),
  );

const orderText = (
  { drawdown, observedDrawdown, asDeep, runs }: TradeOrderRisk,
  { say, tell, percent }: StudyVoice,
): string =>
  say('conditions.order', {
    median: percent(drawdown.p50),
    deep: percent(drawdown.p95),
    found: percent(observedDrawdown),
    share: percent(asDeep),
    runs: tell(finding('count.runs', { count: runs })),
  });

const drawText = (
  { finalEquity, lossShare, runs }: TradeOrderRisk,
  { say, tell, metric, percent }: StudyVoice,
): string =>
  say('conditions.draw', {
    metric: metric('totalReturn'),
    low: percent(finalEquity.p05 - 1),
    median: percent(finalEquity.p50 - 1),
    high: percent(finalEquity.p95 - 1),
    loss: percent(lossShare),
    runs: tell(finding('count.runs', { count: runs })),
  });

const redrawnText = (of: RedrawnFindings, voice: StudyVoice): string => {
  const { say, tell, metric, percent, number } = voice;
  const { histories, meanBlock, lossShare, beatsHolding, totalReturn, failed } = of;
  const text = say('conditions.histories', {
    metric: metric('totalReturn'),
    low: percent(totalReturn.p05),
    median: percent(totalReturn.p50),
    high: percent(totalReturn.p95),
    loss: percent(lossShare),
    runs: tell(finding('count.histories', { count: histories })),
    more: percent(beatsHolding),
    block: number(meanBlock),
  });
  return withFailed(text, failed, voice);
};

const entryText = (of: EntryFindings, voice: StudyVoice): string => {
  const { say, tell, metric, figure, percent, chance } = voice;
  const { controls, metric: name, found, values, asGood, pValue, failed } = of;
  const shown = (value: number): string => figure(name, { [name]: value });
  const text = say('conditions.controls', {
    metric: metric(name),
    low: shown(values.p05),
    median: shown(values.p50),
    high: shown(values.p95),
    found: shown(found),
    share: percent(asGood),
    runs: tell(finding('count.controls', { count: controls })),
    pValue: chance(pValue),
  });
  return withFailed(text, failed, voice);
};

const withFailed = (text: string, failed: number, { say }: StudyVoice): string =>
  failed === 0 ? text : say('conditions.failed', { text, failed });

function textIn(voice: StudyVoice) {
  return <Value>(
    title: string,
    of: Tested<Value>,
    text: (value: Value, voice: StudyVoice) => string,
  ): StressText =>
    of.kind === 'tested'
      ? { title, figure: text(of.value, voice), missing: null }
      : { title, figure: null, missing: voice.tell(of.message) };
}
