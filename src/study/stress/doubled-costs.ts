import type { FillRules } from '../../backtest/run-setup.ts';
import type { BotConfig } from '../../daemon/create-bot-config.ts';
import { formatRatePercent, ratesOf, type FeeRates } from '../../domain/fee-schedule.ts';
import type { Currency } from '../../domain/market-symbol.ts';
import type { BarRules } from '../../venues/bar-rules.ts';
import type { PollRules } from '../../venues/poll-rules.ts';
import { inDigits } from '../../language/fact.ts';
import { finding, type StudyFinding } from '../study-fact.ts';
import { COSTS, type Cost } from './stress-task.ts';

/** Costs of a run: fees to the exchange, and those of how its orders fill. */
export interface RunCosts {
  readonly fees: BotConfig['paper']['fees'];
  readonly fill: FillRules;
}

/** A cost that a study has, and what is there when it is doubled. */
export interface PaidCost {
  readonly cost: Cost;
  readonly from: StudyFinding;
  readonly to: StudyFinding;
}

/** The same costs, with some of them twice as high. */
export function doubledCosts({ fees, fill }: RunCosts, doubled: readonly Cost[]): RunCosts {
  return {
    fees: doubledFees(fees, doubled),
    fill:
      fill.fidelity === 'candles'
        ? { fidelity: 'candles', rules: doubledBarRules(fill.rules, doubled) }
        : { fidelity: 'poll', rules: doubledPollRules(fill.rules, doubled) },
  };
}

export function doubledFees(fees: RunCosts['fees'], doubled: readonly Cost[]): RunCosts['fees'] {
  const { rls, usdt } = fees;
  return doubled.includes('fees') ? { rls: doubledRates(rls), usdt: doubledRates(usdt) } : fees;
}

export function doubledBarRules(rules: BarRules, doubled: readonly Cost[]): BarRules {
  const { spreadBps, slippage } = rules;
  return {
    ...rules,
    spreadBps: doubled.includes('spread') ? 2 * spreadBps : spreadBps,
    slippage: doubled.includes('slippage') ? doubledSlippage(slippage) : slippage,
  };
}

export function doubledPollRules(rules: PollRules, doubled: readonly Cost[]): PollRules {
  const { latency } = rules;
  if (!doubled.includes('latency') || latency.kind !== 'constant') return rules;
  return { ...rules, latency: { ...latency, outMs: 2 * latency.outMs, backMs: 2 * latency.backMs } };
}

/** The costs that are not 0; `quotes`: currencies of the markets that are traded. */
export function paidCosts(costs: RunCosts, quotes: readonly Currency[]): readonly PaidCost[] {
  const doubled = doubledCosts(costs, COSTS);
  return COSTS.flatMap((cost) => {
    const from = costOf(cost, costs, quotes);
    return from === null ? [] : [{ cost, from, to: costOf(cost, doubled, quotes) ?? from }];
  });
}

/** Null where it is 0, or no cost of such a run. */
function costOf(cost: Cost, { fees, fill }: RunCosts, quotes: readonly Currency[]): StudyFinding | null {
  if (cost === 'fees') return feesOf(quotes.map((quote) => ratesOf(fees, quote)));
  return fill.fidelity === 'candles' ? barCostOf(cost, fill.rules) : pollCostOf(cost, fill.rules);
}

function barCostOf(cost: Cost, { spreadBps, slippage }: BarRules): StudyFinding | null {
  if (cost === 'spread') return spreadBps === 0 ? null : bpsOf(spreadBps);
  if (cost !== 'slippage') return null;
  if (slippage.kind === 'bps') return slippage.bps === 0 ? null : bpsOf(slippage.bps);
  return slippage.millionths === 0
    ? null
    : finding('paid.range', { percent: inDigits(slippage.millionths / 10_000) });
}

function pollCostOf(cost: Cost, { latency }: PollRules): StudyFinding | null {
  if (cost !== 'latency' || latency.kind !== 'constant') return null;
  const { outMs, backMs } = latency;
  return outMs + backMs === 0
    ? null
    : finding('paid.latency', { out: inDigits(outMs), back: inDigits(backMs) });
}

function feesOf(rates: readonly FeeRates[]): StudyFinding | null {
  if (rates.every(({ maker, taker }) => maker === 0 && taker === 0)) return null;
  const paid = rates.map(({ maker, taker }) =>
    maker === taker ? rateOf(taker) : finding('paid.rates', { maker: rateOf(maker), taker: rateOf(taker) }),
  );
  const different = new Map(paid.map((one) => [JSON.stringify(one), one]));
  return finding('paid.list', { costs: [...different.values()] });
}

const doubledRates = ({ maker, taker }: FeeRates): FeeRates => ({ maker: 2 * maker, taker: 2 * taker });

function doubledSlippage(slippage: BarRules['slippage']): BarRules['slippage'] {
  return slippage.kind === 'bps'
    ? { kind: 'bps', bps: 2 * slippage.bps }
    : { kind: 'range', millionths: 2 * slippage.millionths };
}

const bpsOf = (bps: number): StudyFinding => finding('paid.bps', { bps: inDigits(bps) });

const rateOf = (rate: number): StudyFinding =>
  finding('paid.percent', { percent: { digits: formatRatePercent(rate) } });
