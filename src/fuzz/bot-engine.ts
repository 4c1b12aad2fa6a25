import { reserveOf } from '../budget/admission.ts';
import type { Market } from '../domain/market.ts';
import { Engine } from '../engine/engine.ts';
import { DEFAULT_ENGINE_TIMES, DEFAULT_RECONCILIATION, type EngineSettings } from '../engine/engine-settings.ts';
import type { MirrorState } from '../engine/mirror-change.ts';
import { budgetTable } from '../exchange/budget-table.ts';
import { createRiskLimits } from '../execution/risk/create-risk-limits.ts';
import { planPolls } from '../scheduler/plan-polls.ts';
import { StrategyRunner } from '../strategy/runner.ts';
import { Dice } from './dice.ts';
import { WORKLOAD } from './workload.ts';

/** The first part of every id of the bot's orders. */
export const INSTANCE = 'bot';

/** From a question to its answer, in quiet times. */
const REPLY_MS = 200;

/** Polls come this many times more rarely than the limits would allow: what a run costs is mostly its requests. */
const LEISURE = 2;

export interface BotEngineOptions {
  readonly seed: number;
  readonly markets: readonly Market[];
}

/** The engine of one life, with a strategy on each market that wants anything. Of a seed it is the same in every life. */
export function createBotEngine(options: BotEngineOptions, state: MirrorState, nowMs: number): Engine {
  return new Engine(settingsOf(options), state, nowMs);
}

function settingsOf({ seed, markets }: BotEngineOptions): EngineSettings {
  const dice = Dice.of(seed, 'engine');
  const knownMarkets = new Set<string>(markets.map(({ symbol }) => symbol));
  const limits = createRiskLimits({
    maxOpenOrdersPerStrategy: dice.integer(4, 20),
    refuseSelfCrossing: dice.happens(0.5),
  });
  const seats = markets.map(({ symbol }, index) => ({
    runner: new StrategyRunner(WORKLOAD, {
      name: `chaos-${index}`,
      market: symbol,
      span: '1m',
      knownMarkets,
      params: { seed: dice.integer(0, 0xffff_ffff), activity: dice.logUniform(0.03, 0.5), everyMs: 8_000 },
    }),
    onError: 'stop' as const,
    pauseMs: 60_000,
    limits,
    capital: {},
  }));
  return {
    instance: INSTANCE,
    markets,
    seats,
    feeds: feedsOf(seats.map(({ runner }) => runner)),
    ...DEFAULT_ENGINE_TIMES,
    resendUnknown: dice.happens(0.5),
    reconciliation: DEFAULT_RECONCILIATION,
  };
}

function feedsOf(runners: readonly StrategyRunner[]): EngineSettings['feeds'] {
  const plan = planPolls({
    subscriptions: runners.flatMap(({ name, subscriptions }) =>
      subscriptions.map((subscription) => ({ strategy: name, subscription })),
    ),
    traded: runners.map(({ name, market }) => ({ strategy: name, market })),
    budgets: [...budgetTable().values()].map((budget) => ({ ...budget, reserve: reserveOf(budget) })),
    usesAccount: true,
    replyMs: REPLY_MS,
    restart: { orderPages: 1, tradePages: 1, lateArrivalMs: DEFAULT_ENGINE_TIMES.lateArrivalMs },
  });
  return plan.feeds.map((feed) => ({
    ...feed,
    intervalMs: feed.intervalMs * LEISURE,
    idleIntervalMs: feed.idleIntervalMs * LEISURE,
  }));
}
