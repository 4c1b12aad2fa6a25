import type { BotConfig } from '../../daemon/settings/create-bot-config.ts';
import { formatRatePercent, ratesOf, type FeeRates } from '../../domain/fee-schedule.ts';
import type { Currency } from '../../domain/market-symbol.ts';
import type { BarRules } from '../../venues/bars/bar-rules.ts';
import { COSTS, type Cost } from './stress-task.ts';

/** What a run on bars pays. */
export interface RunCosts {
  readonly fees: BotConfig['paper']['fees'];
  readonly rules: BarRules;
}

/** A cost that a study has, and what is there when it is doubled: in words. */
export interface PaidCost {
  readonly cost: Cost;
  readonly from: string;
  readonly to: string;
}

/** The same costs, with some of them twice as high. */
export function doubledCosts({ fees, rules }: RunCosts, doubled: readonly Cost[]): RunCosts {
  const { rls, usdt } = fees;
  const { spreadBps, slippage } = rules;
  return {
    fees: doubled.includes('fees') ? { rls: doubledRates(rls), usdt: doubledRates(usdt) } : fees,
    rules: {
      ...rules,
      spreadBps: doubled.includes('spread') ? 2 * spreadBps : spreadBps,
      slippage: doubled.includes('slippage') ? doubledSlippage(slippage) : slippage,
    },
  };
}

/** The costs that are not 0; `quotes`: currencies of the markets that are traded. */
export function paidCosts(costs: RunCosts, quotes: readonly Currency[]): readonly PaidCost[] {
  const doubled = doubledCosts(costs, COSTS);
  return COSTS.flatMap((cost) => {
    const from = costText(cost, costs, quotes);
    return from === null ? [] : [{ cost, from, to: costText(cost, doubled, quotes) ?? from }];
  });
}

/** Null where it is 0. */
function costText(cost: Cost, { fees, rules }: RunCosts, quotes: readonly Currency[]): string | null {
  const { spreadBps, slippage } = rules;
  if (cost === 'fees') return feesText(quotes.map((quote) => ratesOf(fees, quote)));
  if (cost === 'spread') return spreadBps === 0 ? null : `${spreadBps} bps`;
  if (slippage.kind === 'bps') return slippage.bps === 0 ? null : `${slippage.bps} bps`;
  return slippage.millionths === 0 ? null : `${slippage.millionths / 10_000} % of the range`;
}

function feesText(rates: readonly FeeRates[]): string | null {
  if (rates.every(({ maker, taker }) => maker === 0 && taker === 0)) return null;
  const texts = rates.map(({ maker, taker }) =>
    maker === taker ? rateText(taker) : `${rateText(maker)} and ${rateText(taker)}`,
  );
  return [...new Set(texts)].join(', ');
}

const doubledRates = ({ maker, taker }: FeeRates): FeeRates => ({ maker: 2 * maker, taker: 2 * taker });

function doubledSlippage(slippage: BarRules['slippage']): BarRules['slippage'] {
  return slippage.kind === 'bps'
    ? { kind: 'bps', bps: 2 * slippage.bps }
    : { kind: 'range', millionths: 2 * slippage.millionths };
}

const rateText = (rate: number): string => `${formatRatePercent(rate)} %`;
