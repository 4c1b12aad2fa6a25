import type { CandleColumns } from '../../domain/candle-columns.ts';
import { present } from '../../domain/invariant.ts';
import { createRandom } from '../../domain/random.ts';
import { parseMarket } from '../../exchange/market-names.ts';
import type { PreparedStudy } from '../prepare-study.ts';
import { finding } from '../texts/study-fact.ts';
import { botConfigOf } from '../trials/trial-setup.ts';
import { blockOfBars } from './block-of-bars.ts';
import { paidCosts } from './doubled-costs.ts';
import { randomEntryPlan } from './random-entry-plan.ts';
import type { StressBasis } from './stored-stress.ts';
import type { RanReport } from './stress-task.ts';

/** Returns the common inputs of a trial's runs, and the reasons some cannot be run. */
export function stressBasis(
  study: PreparedStudy,
  { again, draws }: { readonly again: RanReport; readonly draws: number },
): StressBasis {
  const { data, setup, settings } = study;
  const { fees } = botConfigOf(setup.overrides).paper;
  const { markets, universe } = settings;
  const quotes = new Set([
    ...markets.map((market) => parseMarket(market).quote),
    ...(universe === undefined ? [] : [universe.quote]),
  ]);
  const { trials } = data;
  return {
    draws,
    ...(trials.fidelity === 'candles' ? drawnOf(trials.candles, { settings, again }) : NOT_DRAWN),
    paid: paidCosts({ fees, fill: setup }, [...quotes]),
  };
}

const NOT_DRAWN = {
  meanBlock: { missing: finding('lack.candles') },
  positions: { missing: finding('lack.places') },
};

type DrawnBasis = Pick<StressBasis, 'meanBlock' | 'positions'>;

function drawnOf(
  bars: readonly CandleColumns[],
  { settings, again }: Pick<PreparedStudy, 'settings'> & { readonly again: RanReport },
): DrawnBasis {
  const fromMs = settings.from ?? null;
  return {
    meanBlock: settings.detail === undefined ? blockOf(bars, fromMs) : { missing: finding('lack.detail') },
    positions: positionsOf(bars, { again, fromMs }),
  };
}

function blockOf(bars: readonly CandleColumns[], fromMs: number | null): StressBasis['meanBlock'] {
  const block = blockOfBars(bars, fromMs);
  return block.kind === 'known' ? block.value : { missing: block.lack };
}

function positionsOf(
  bars: readonly CandleColumns[],
  { again, fromMs }: { readonly again: RanReport; readonly fromMs: number | null },
): StressBasis['positions'] {
  const { held } = present(again.trades, 'the trades of the trial');
  if (held === null) return { missing: finding('lack.oneCurrency') };
  // Whether there is one plan is the same for every draw.
  const plan = randomEntryPlan(held, { bars, fromMs, random: createRandom(1) });
  return plan.kind === 'unknown'
    ? { missing: plan.lack }
    : held.reduce((sum, { positions }) => sum + positions.length, 0);
}
