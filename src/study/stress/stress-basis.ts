import { present } from '../../domain/invariant.ts';
import { createRandom } from '../../domain/random.ts';
import { parseMarket } from '../../exchange/market-names.ts';
import type { PreparedStudy } from '../prepare-study.ts';
import { botConfigOf } from '../trials/trial-setup.ts';
import { blockOfBars } from './block-of-bars.ts';
import { paidCosts } from './doubled-costs.ts';
import { randomEntryPlan } from './random-entry-plan.ts';
import type { StressBasis } from './stored-stress.ts';
import type { RanReport } from './stress-task.ts';

/** What all runs of a trial are made of, and what can not be run. */
export function stressBasis(
  study: PreparedStudy,
  { again, draws }: { readonly again: RanReport; readonly draws: number },
): StressBasis {
  const { bars, setup, settings } = study;
  const { fees } = botConfigOf(setup.overrides).paper;
  const quotes = [...new Set(settings.markets.map((market) => parseMarket(market).quote))];
  const block = blockOfBars(bars.trials, settings.from ?? null);
  return {
    draws,
    meanBlock: block.kind === 'known' ? block.value : { missing: block.message },
    positions: positionsOf(study, again),
    paid: paidCosts({ fees, rules: setup.rules }, quotes),
  };
}

function positionsOf({ bars, settings }: PreparedStudy, again: RanReport): StressBasis['positions'] {
  const { held } = present(again.trades, 'the trades of the trial');
  if (held === null) return { missing: 'expected markets priced in one currency, found two' };
  // Whether there is one plan is the same for every draw.
  const plan = randomEntryPlan(held, {
    bars: bars.trials,
    fromMs: settings.from ?? null,
    random: createRandom(1),
  });
  return plan.kind === 'unknown'
    ? { missing: plan.message }
    : held.reduce((sum, { positions }) => sum + positions.length, 0);
}
