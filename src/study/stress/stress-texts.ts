import { numberText, percentText } from '../../backtest/report/value-text.ts';
import { countText } from '../../domain/money-text.ts';
import { figureText } from '../figure-text.ts';
import type { TrialMetrics } from '../goals/objectives.ts';
import type { TradeOrderRisk } from '../statistics/trade-order-risk.ts';
import type { Tested } from '../validation/tested.ts';
import type { EntryFindings } from './entry-findings.ts';
import type { RedrawnFindings } from './redrawn-findings.ts';
import type { StressFindings } from './stress-findings.ts';

/** One condition as people read it. */
export interface StressText {
  readonly title: string;
  /** Null where it was not tested. */
  readonly figure: string | null;
  /** Why not; null where it was. */
  readonly missing: string | null;
}

/** The best trial under other conditions. */
export function stressTexts(findings: StressFindings): readonly StressText[] {
  const { tradeOrder, redrawn, entries } = findings;
  return [
    ...costTexts(findings),
    textOf('trades in another order', tradeOrder.reorder, orderText),
    textOf('trades drawn anew', tradeOrder.resample, drawText),
    textOf('redrawn candles', redrawn, redrawnText),
    textOf('random entries', entries, entryText),
  ];
}

function costTexts({ costs: { all, each, paid } }: StressFindings): readonly StressText[] {
  const what = paid.map(({ cost, from, to }) => `${cost} ${from} to ${to}`).join('; ');
  return [
    textOf(`costs doubled${what === '' ? '' : ` (${what})`}`, all, figuresText),
    ...each.map(({ cost, result }) => textOf(`${cost} alone doubled`, result, figuresText)),
  ];
}

const FIGURES = ['totalReturn', 'sharpe', 'maxDrawdown', 'trades'];

const figuresText = (metrics: TrialMetrics): string =>
  FIGURES.map((name) => `${name} ${figureText(name, metrics)}`).join(', ');

const orderText = ({ drawdown, observedDrawdown, asDeep, runs }: TradeOrderRisk): string =>
  `drawdown ${percentText(drawdown.p50)} (median), ${percentText(drawdown.p95)} (one of twenty is deeper), found ${percentText(observedDrawdown)}; ${percentText(asDeep)} of ${countText(runs, 'run')} as deep`;

const drawText = ({ finalEquity, lossShare, runs }: TradeOrderRisk): string =>
  `totalReturn ${percentText(finalEquity.p05 - 1)} (5 %), ${percentText(finalEquity.p50 - 1)} (median), ${percentText(finalEquity.p95 - 1)} (95 %); a loss in ${percentText(lossShare)} of ${countText(runs, 'run')}`;

const redrawnText = ({
  histories,
  meanBlock,
  lossShare,
  beatsHolding,
  totalReturn,
  failed,
}: RedrawnFindings): string =>
  `totalReturn ${percentText(totalReturn.p05)} (5 %), ${percentText(totalReturn.p50)} (median), ${percentText(totalReturn.p95)} (95 %); a loss in ${percentText(lossShare)} of ${countText(histories, 'history', 'histories')}, more than holding in ${percentText(beatsHolding)}; blocks of ${numberText(meanBlock)} candles${failedText(failed)}`;

const entryText = ({ controls, metric, found, values, asGood, pValue, failed }: EntryFindings): string => {
  const text = (value: number): string => figureText(metric, { [metric]: value });
  return `${metric} ${text(values.p05)} (5 %), ${text(values.p50)} (median), ${text(values.p95)} (95 %), found ${text(found)}; ${percentText(asGood)} of ${countText(controls, 'control')} as good, p value ${pValue.toFixed(3)}${failedText(failed)}`;
};

const failedText = (failed: number): string => (failed === 0 ? '' : `; ${failed} failed`);

function textOf<Value>(title: string, of: Tested<Value>, text: (value: Value) => string): StressText {
  return of.kind === 'tested'
    ? { title, figure: text(of.value), missing: null }
    : { title, figure: null, missing: of.message };
}
