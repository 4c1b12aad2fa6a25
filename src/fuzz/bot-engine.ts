import { reserveOf } from '../budget/admission.ts';
import type { Market } from '../domain/market.ts';
import { NO_UNITS, parseUnits, type Units } from '../domain/money.ts';
import { Engine } from '../engine/engine.ts';
import {
  DEFAULT_ENGINE_TIMES,
  DEFAULT_RECONCILIATION,
  type ApprovalSettings,
  type EngineSettings,
  type StrategyInstanceSettings,
} from '../engine/engine-settings.ts';
import type { MirrorState } from '../engine/mirror-change.ts';
import { budgetTable } from '../exchange/client-options.ts';
import { createRiskLimits } from '../engine/risk-limits.ts';
import { planPolls } from '../scheduler/plan-polls.ts';
import { INTERFACE_PROFILE } from '../venues/interface-profile.ts';
import { StrategyRunner } from '../strategy/runner.ts';
import type { StrategyPort } from '../strategy/strategy-port.ts';
import { BAR_WATCHER, drawnBarsOf } from './world.ts';
import { Dice } from './dice.ts';
import type { TestedVenue } from './tested-venue.ts';
import { unservedSubscriptions } from '../scheduler/plan-problems.ts';
import { WEEKDAYS, MINUTE_MS } from '../domain/time-text.ts';
import type { LockRule } from '../engine/lock.ts';
import type { TradingCalendar } from '../engine/trading-calendar.ts';
import { createVandal, type VandalAct } from './vandal.ts';
import type { CheckedUniverse } from './checkers/position-checker.ts';
import { LISTENER, ROAMER, RULE_FOLLOWER, TREASURER } from './workload/roamer.ts';
import { WORKLOAD } from './workload/workload.ts';
import { MARKET_NAMES, parseMarket } from '../exchange/market-names.ts';
import { z } from 'zod';
import { createRandom } from '../domain/random.ts';
import { defineStrategy, type StrategyDefinition } from '../strategy/definition.ts';
import { FOLLOWER, hasOtherExchange, OTHER_FACTS } from './other-exchange.ts';
import { FAR, NEAR } from './workload/order-actions.ts';

/** Range of the time that the spender's orders rest, in ms: others can use the money in between. */
const LEAST_REST_MS = 5_000;
const MOST_REST_MS = 60_000;

/** Probability that the spender requests two orders in one call. */
const TWICE = 0.15;

/**
 * A strategy that orders with most of the money or coins that it may spend, for a short time. Two of them in
 * one market would spend the same money if they saw the same balance.
 */
const SPENDER = defineStrategy({
  name: 'spender',
  params: z.strictObject({ seed: z.int(), activity: z.number().positive().max(1), everyMs: z.int() }),
  state: z.strictObject({ random: z.number().nullable().default(null) }),
  data: ({ market, params }) => ({ book: market.book({ everyMs: params.everyMs, maxAgeMs: 120_000 }) }),
  on: {
    book(ctx, { bestBid, bestAsk }) {
      const random = createRandom(ctx.state.random ?? ctx.params.seed);
      const dice = new Dice(Math.floor(random.next() * 0x1_0000_0000));
      ctx.setState({ random: random.state });
      if (bestBid === null || bestAsk === null || !dice.happens(ctx.params.activity)) return;
      const isBuy = dice.happens(0.5);
      // Of two in one call the second is more than there is left, which a handler does not see.
      for (let orders = dice.happens(TWICE) ? 2 : 1; orders > 0; orders -= 1) {
        const part = dice.between(0.55, 1);
        const away = dice.logUniform(NEAR * 4, FAR);
        const expireAfterMs = dice.integer(LEAST_REST_MS, MOST_REST_MS);
        const [value, amount] = [ctx.freeQuote * part, ctx.freeBase * part];
        if (isBuy && value > 0) ctx.buy({ value, price: bestBid.price * (1 - away), expireAfterMs });
        else if (!isBuy && amount > 0) ctx.sell({ amount, price: bestAsk.price * (1 + away), expireAfterMs });
      }
    },
  },
});

/** First part of every id of the bot's orders. */
export const INSTANCE = 'bot';

/** Usual time from a request to its answer, in ms. */
const REPLY_MS = 200;

/** Share of the bots that poll as often as the limits allow; others poll more rarely, as runs cost. */
const EARLY_SHARE = 0.1;
const LEAST_LEISURE = 2;
const MOST_LEISURE = 8;

/** Share of the seeds with position limits, and the usual order amounts that these are multiples of. */
const LIMITED = 0.6;
const MIDDLING_BTC = 0.002;
const MIDDLING_USDT = 60;
const MIDDLING_RIALS = 40_000_000;

/** Share of the seeds without position limits in which strategies share all their money. */
const SPENDER_SHARE = 0.7;

/** Share of the seeds with a strategy that moves money between the wallets. */
const TREASURER_SHARE = 0.6;

/** Share of the seeds with a hostile strategy. */
const HOSTILE_SHARE = 0.4;

/** Share of the seeds with lock rules. */
const RULED_SHARE = 0.6;

/** Share of the seeds with a strategy that receives signals. */
const LISTENER_SHARE = 0.5;

/** Share of the seeds in which entries of one strategy wait for a person, and range of their wait in ms. */
const APPROVED_SHARE = 0.5;
const APPROVED_WITHIN_MS = [20_000, 600_000] as const;

/** Share of the seeds with approvals in which small entries need none. */
const ABOVE_SHARE = 0.3;

/** Share of the seeds with a strategy of rules. */
const RULES_SHARE = 0.3;

/** Share of the seeds with a strategy that has a universe. */
const ROAMER_SHARE = 0.45;

interface BotEngineOptions {
  readonly seed: number;
  readonly markets: readonly Market[];
  /** Called with each act of a hostile strategy. */
  readonly onVandal: (act: VandalAct) => void;
  readonly tested: TestedVenue | null;
}

/** Draws the position limit of each market, in coins, from the usual order amount; none in some seeds. */
export function positionLimitsOf(seed: number): Readonly<Record<string, Units>> {
  const dice = Dice.of(seed, 'position limits');
  if (!dice.happens(LIMITED)) return {};
  const times = dice.logUniform(1, 6);
  return {
    btc: parseUnits((MIDDLING_BTC * times).toFixed(6)),
    usdt: parseUnits((MIDDLING_USDT * times).toFixed(2)),
  };
}

/** Makes the engine of one life, with a strategy on each market. Its settings are those of the seed. */
export const createBotEngine = (options: BotEngineOptions, state: MirrorState, nowMs: number): Engine =>
  new Engine(settingsOf(options), state, nowMs);

/** Returns the amounts of coins given to a seed's strategies, by strategy and coin. */
export function givenCoins(options: BotEngineOptions): ReadonlyMap<string, Units> {
  return new Map(
    settingsOf(options).instances.flatMap(({ runner, capital, inventory = {} }) =>
      Object.entries({ ...capital, ...inventory }).map(
        ([asset, amount]) => [`${runner.name} ${asset}`, amount ?? NO_UNITS] as const,
      ),
    ),
  );
}

function settingsOf({ seed, markets, onVandal, tested }: BotEngineOptions): EngineSettings {
  const venue = tested?.profile ?? INTERFACE_PROFILE;
  const dice = Dice.of(seed, 'engine');
  const knownMarkets = new Set<string>(markets.map(({ symbol }) => symbol));
  const limits = createRiskLimits({
    maxOpenOrdersPerStrategy: dice.integer(4, 20),
    refuseSelfCrossing: dice.happens(0.5),
    maxPosition: positionLimitsOf(seed),
  });
  const of: Drawn = { seed, markets, onVandal, tested, limits, knownMarkets };
  const chaos = markets.map(({ symbol }, index) => {
    const params = {
      seed: dice.integer(0, 0xffff_ffff),
      activity: dice.logUniform(0.05, 0.8),
      everyMs: 8_000,
    };
    return instanceOf(of, WORKLOAD, { name: `chaos-${index}`, market: symbol, params });
  });
  // The hostile one comes first: what it spoils of a book the others see.
  const all = [
    ...hostileInstance(of),
    ...chaos,
    ...roamerInstance(of),
    ...spenderInstances(of),
    ...treasurerInstance(of),
    ...ruleInstance(of),
    ...followerInstance(of),
    ...(hasListener(seed)
      ? [instanceOf(of, LISTENER, { market: 'BTCUSDT', params: { everyMs: 8_000 } })]
      : []),
  ]
    .map((instance) => withInventory(instance, seed, positionLimitsOf(seed)))
    .map((instance) => {
      const approval = drawnApproval(seed);
      return instance.runner.name === approval?.strategy
        ? { ...instance, approval: approval.settings }
        : instance;
    })
    .concat(
      drawnBarsOf(seed).isWatched
        ? [instanceOf({ ...of, limits: createRiskLimits() }, BAR_WATCHER, { market: 'BTCUSDT', params: {} })]
        : [],
    )
    .filter(({ runner }) => unservedSubscriptions(runner.subscriptions, venue).length === 0);
  return {
    instance: INSTANCE,
    venue,
    markets,
    instances: all,
    locks: lockRulesOf(seed),
    feeds: feedsOf(
      all.map(({ runner }) => runner),
      { leisure: dice.happens(EARLY_SHARE) ? 1 : dice.logUniform(LEAST_LEISURE, MOST_LEISURE), tested },
    ),
    ...DEFAULT_ENGINE_TIMES,
    resendUnknown: dice.happens(0.5),
    reconciliation: DEFAULT_RECONCILIATION,
    figures: { budgets: () => [] },
  };
}

/** Draws the strategy whose entries need an approval, and its settings; null in some seeds. */
export function drawnApproval(
  seed: number,
): { readonly strategy: string; readonly settings: ApprovalSettings } | null {
  const dice = Dice.of(seed, 'approval');
  if (!dice.happens(APPROVED_SHARE)) return null;
  const strategy = `chaos-${dice.integer(0, 2)}`;
  const times = dice.logUniform(0.5, 2);
  const small = {
    rls: parseUnits((MIDDLING_RIALS * times).toFixed(0)),
    usdt: parseUnits((MIDDLING_USDT * times).toFixed(2)),
  };
  const above = dice.happens(ABOVE_SHARE) ? small : {};
  const expiresAfterMs = Math.round(dice.logUniform(...APPROVED_WITHIN_MS));
  return { strategy, settings: { above, expiresAfterMs, slippageBps: dice.integer(0, 200) } };
}

/** Draws the rules of a seed's universe; null for seeds without one. */
export function drawnUniverse(seed: number): CheckedUniverse | null {
  const dice = Dice.of(seed, 'universe');
  if (!dice.happens(ROAMER_SHARE)) return null;
  const rankBy = dice.pick(['spread', 'spread', 'spread', 'change'] as const) ?? 'spread';
  const hysteresis = dice.happens(0.8) ? 0 : 0.5;
  return { strategy: ROAMER.name, key: `${ROAMER.name}/members`, rankBy, quote: 'rls', hysteresis };
}

/** Drawn settings of a seed's strategies. */
interface Drawn extends BotEngineOptions {
  readonly limits: StrategyInstanceSettings['limits'];
  readonly knownMarkets: ReadonlySet<string>;
}

function instanceOf(
  { limits, knownMarkets }: Drawn,
  definition: StrategyDefinition,
  setup: {
    readonly name?: string;
    readonly market: string;
    readonly params: Readonly<Record<string, unknown>>;
  },
): StrategyInstanceSettings {
  const usual = { marketNames: MARKET_NAMES, timeframe: '1m', knownMarkets } as const;
  const runner = new StrategyRunner(definition, { ...usual, ...setup });
  return { runner, onError: 'stop', pauseMs: 60_000, limits, capital: {} };
}

/** Draws the strategy that moves between the markets of its universe; none in some seeds. */
function roamerInstance(of: Drawn): readonly StrategyInstanceSettings[] {
  const universe = drawnUniverse(of.seed);
  if (universe === null) return [];
  const { rankBy, hysteresis, quote } = universe;
  const dice = Dice.of(of.seed, 'roamer');
  const drawnParams = { seed: dice.integer(0, 0xffff_ffff), activity: dice.logUniform(0.05, 0.5) };
  const params = { ...drawnParams, rankBy, refreshMs: 60_000, hysteresis };
  return [instanceOf(of, ROAMER, { market: MARKET_NAMES.symbolIn('usdt', quote), params })];
}

/**
 * Draws two strategies that would spend the same money; none in some seeds. Their orders are far above the
 * position limits, so seeds with limits have none.
 */
function spenderInstances(of: Drawn): readonly StrategyInstanceSettings[] {
  const dice = Dice.of(of.seed, 'spenders');
  if (Object.keys(positionLimitsOf(of.seed)).length > 0 || !dice.happens(SPENDER_SHARE)) return [];
  return [0, 1].map((index) => {
    const params = {
      seed: dice.integer(0, 0xffff_ffff),
      activity: dice.logUniform(0.05, 0.4),
      everyMs: 8_000,
    };
    const setup = { name: `spender-${index}`, market: 'BTCUSDT', params };
    return instanceOf({ ...of, limits: createRiskLimits() }, SPENDER, setup);
  });
}

/** Draws the strategy that follows the price of another exchange; none in some seeds. */
function followerInstance(of: Drawn): readonly StrategyInstanceSettings[] {
  if (!hasOtherExchange(of.seed)) return [];
  const dice = Dice.of(of.seed, 'follower');
  const params = { seed: dice.integer(0, 0xffff_ffff), activity: dice.logUniform(0.1, 0.8) };
  return [instanceOf(of, FOLLOWER, { market: 'BTCUSDT', params })];
}

/** Draws the strategy of rules; none in some seeds. */
function ruleInstance(of: Drawn): readonly StrategyInstanceSettings[] {
  const dice = Dice.of(of.seed, 'rules');
  if (!dice.happens(RULES_SHARE)) return [];
  const fast = dice.integer(1, 5);
  const stopPercent = dice.happens(0.5) ? dice.integer(1, 10) / 10 : null;
  const market = dice.pick(of.markets)?.symbol ?? 'BTCUSDT';
  const value = dice.logUniform(1, 3) * (market.endsWith('USDT') ? MIDDLING_USDT : MIDDLING_RIALS);
  const params = { fast, slow: fast + dice.integer(1, 15), value, stopPercent };
  return [instanceOf(of, RULE_FOLLOWER, { market, params })];
}

/** Draws the strategy that moves money between the spot and the margin wallets; none in some seeds. */
function treasurerInstance(of: Drawn): readonly StrategyInstanceSettings[] {
  const dice = Dice.of(of.seed, 'treasurer');
  if (!dice.happens(TREASURER_SHARE)) return [];
  const params = { seed: dice.integer(0, 0xffff_ffff), activity: dice.logUniform(0.1, 0.8), everyMs: 8_000 };
  const setup = { market: MARKET_NAMES.symbolIn('usdt', 'rls'), params };
  return [instanceOf({ ...of, limits: createRiskLimits() }, TREASURER, setup)];
}

/** Draws a hostile strategy for each of the policies for errors; none in some seeds. */
function hostileInstance(of: Drawn): readonly StrategyInstanceSettings[] {
  const dice = Dice.of(of.seed, 'hostile strategy');
  const market = dice.pick(of.markets);
  if (market === null || !dice.happens(HOSTILE_SHARE)) return [];
  const params = { seed: dice.integer(0, 0xffff_ffff), everyMs: 8_000 };
  const setup = { name: 'vandal', market: market.symbol, params };
  const instance = instanceOf(of, createVandal(of.onVandal), setup);
  // Mostly it goes on after a pause, since a stopped strategy does no more harm.
  const onError = dice.pick(['pause', 'pause', 'pause', 'stop', 'cancel'] as const) ?? 'pause';
  return [{ ...instance, onError, pauseMs: dice.integer(1_000, 60_000) }];
}

/** True if a seed has signals. */
export const hasListener = (seed: number): boolean => Dice.of(seed, 'listener').happens(LISTENER_SHARE);

/** Draws the lock rules of a seed: short ones, so that many locks come and go. */
export function lockRulesOf(seed: number): readonly LockRule[] {
  const dice = Dice.of(seed, 'lock rules');
  if (!dice.happens(RULED_SHARE)) return [];
  const shared = (name: string) =>
    ({ name, strategy: null, entries: dice.happens(0.7) ? 'cancel' : 'keep' }) as const;
  const minutes = (least: number, most: number): number =>
    Math.round(dice.logUniform(least, most) * MINUTE_MS);
  const rules: LockRule[] = [
    { ...shared('cooldown'), kind: 'cooldown', forMs: minutes(0.5, 10) },
    {
      ...shared('stops'),
      kind: 'stops',
      stops: dice.integer(1, 2),
      withinMs: minutes(30, 300),
      forMs: minutes(2, 20),
      reach: dice.pick(['market', 'strategy', 'all'] as const) ?? 'market',
    },
    {
      ...shared('low-profit'),
      kind: 'low-profit',
      belowMillionths: 0,
      trades: dice.integer(1, 4),
      withinMs: minutes(30, 300),
      forMs: minutes(2, 20),
      reach: dice.pick(['market', 'strategy', 'all'] as const) ?? 'market',
    },
    {
      ...shared('drawdown'),
      kind: 'drawdown',
      fallMillionths: Math.round(dice.logUniform(20, 2_000)),
      withinMs: minutes(10, 300),
      forMs: minutes(2, 20),
      reach: dice.happens(0.5) ? 'all' : 'strategy',
    },
    { ...shared('hours'), kind: 'hours', calendar: hoursOf(dice), text: 'outside of the hours of the seed' },
  ];
  return dice.some(rules, 0.5);
}

/** Draws trading hours: open most of the day, with breaks of some minutes. */
function hoursOf(dice: Dice): TradingCalendar {
  const everyMinutes = dice.integer(40, 180);
  const openMinutes = everyMinutes - dice.integer(2, 20);
  const sessions = Array.from({ length: Math.floor(1_440 / everyMinutes) }, (_, index) => ({
    fromMinute: index * everyMinutes,
    toMinute: index * everyMinutes + openMinutes,
  }));
  return { sessions, weekdays: WEEKDAYS.map(() => true), closed: [] };
}

function feedsOf(
  runners: readonly StrategyPort[],
  { leisure, tested }: { readonly leisure: number; readonly tested: TestedVenue | null },
): EngineSettings['feeds'] {
  const plan = planPolls({
    subscriptions: runners.flatMap(({ name, subscriptions }) =>
      subscriptions.map((subscription) => ({ strategy: name, subscription })),
    ),
    traded: runners.map(({ name, market }) => ({ strategy: name, market })),
    budgets: [
      ...(tested?.limits ?? budgetTable()).values(),
      ...[...OTHER_FACTS.values()].map(({ limit }) => limit),
    ].map((budget) => ({
      ...budget,
      reserve: reserveOf(budget),
    })),
    venue: { ...(tested?.profile ?? INTERFACE_PROFILE), others: OTHER_FACTS },
    usesAccount: true,
    replyMs: REPLY_MS,
    restart: { orderPages: 1, tradePages: 1, arrivedAfterMs: DEFAULT_ENGINE_TIMES.lateArrivalMs },
  });
  return plan.feeds.map((feed) => ({
    ...feed,
    intervalMs: Math.round(feed.intervalMs * leisure),
    idleIntervalMs: Math.round(feed.idleIntervalMs * leisure),
  }));
}

/** Share of the strategies that get coins at the start; the others sell what they have bought. */
const GIVEN_SHARE = 0.7;

/** Range of the coins given to one strategy; together all get less than the account has. */
const LEAST = { btc: 0.02, usdt: 500 } as const;
const MOST = { btc: 0.4, usdt: 25_000 } as const;

/** Range of the coins given to one strategy with a position limit, as a share of it. */
const LEAST_OF_LIMIT = 0.1;
const MOST_OF_LIMIT = 0.9;

type Coin = keyof typeof LEAST;

const isCoin = (asset: string): asset is Coin => asset in LEAST;

/** Draws the amount of a coin given to a strategy; the same in every life of a seed. */
function drawn(
  seed: number,
  strategy: string,
  { asset, limit }: { readonly asset: string; readonly limit: Units | undefined },
): Units {
  const dice = Dice.of(seed, `inventory of ${strategy}`);
  if (!isCoin(asset) || !dice.happens(GIVEN_SHARE)) return NO_UNITS;
  const amount =
    limit === undefined
      ? dice.logUniform(LEAST[asset], MOST[asset])
      : (Number(limit) / 1e10) * dice.between(LEAST_OF_LIMIT, MOST_OF_LIMIT);
  return parseUnits(amount.toFixed(6));
}

/** Adds the given coins of its market to a strategy; tether counts as capital. */
function withInventory(
  instance: StrategyInstanceSettings,
  seed: number,
  limits: Readonly<Record<string, Units>>,
): StrategyInstanceSettings {
  const { name, market } = instance.runner;
  const { base } = parseMarket(market);
  const given = drawn(seed, name, { asset: base, limit: limits[base] });
  if (given === 0n) return instance;
  return base === 'usdt'
    ? { ...instance, capital: { usdt: given } }
    : { ...instance, inventory: { [base]: given } };
}
