import { HOUR_MS, MINUTE_MS } from '../domain/time-text.ts';
import { Dice } from './dice.ts';
import { type Disturbance, EXCHANGE_EVENTS } from './exchange-events.ts';
import { drawSlowMachine, type SlowMachine } from './slow-machine.ts';
import { watchdogPlanOf, type WatchdogPlan } from './watchdog-run.ts';
import { drawWrongReplies, type WrongReplies } from './reply-mutator.ts';
import { priceUnits } from '../domain/market.ts';
import type { Side } from '../domain/order.ts';
import { UNITS_PER_ONE, type Price } from '../domain/money.ts';
import { type MarketState, NO_PRICE } from '../simulator/market-state.ts';
import { BOT_USER, type FuzzWorld } from './world.ts';
import type { EndpointName } from '../exchange/endpoints.ts';
import { FAULT_KINDS, type FaultRule } from '../simulator-server/fault-plan.ts';

/** Points in a step of the bot at which its process can die. */
const CRASH_POINTS = ['before the commit', 'after the commit', 'amid the requests', 'at an answer'] as const;

export type CrashPoint = (typeof CRASH_POINTS)[number];

/** Everything that will go wrong in one run, drawn before it begins. Times are in ms since its beginning. */
export interface Swarm {
  readonly seed: number;
  readonly runMs: number;
  /** Lead of the exchange's clock over all others, in ms. */
  readonly clockSkewMs: number;
  readonly episodes: readonly FaultEpisode[];
  /** Plan for falsified replies and false refusals; null in a run without them. */
  readonly wrongReplies: WrongReplies | null;
  /** Times at which the mirror is copied, and at which that copy is restored; null in most runs. */
  readonly putBack: { readonly copiedAtMs: number; readonly atMs: number } | null;
  readonly disturbances: readonly { readonly disturbance: Disturbance; readonly meanMs: number }[];
  /** Probability of a death at each point of a step with requests; and times of other deaths. */
  readonly crashes: Readonly<Record<CrashPoint, number>>;
  readonly crashesAtMs: readonly number[];
  /** Range of the bot's downtime after a crash in ms, drawn for each. */
  readonly restartMs: readonly [least: number, most: number];
  /** Times at which the process stands still for `STOP_MS`. */
  readonly stopsAtMs: readonly number[];
  /** Times at which the exchange stands still; afterwards it handles what has arrived meanwhile. */
  readonly stalls: readonly { readonly atMs: number; readonly forMs: number }[];
  /** Times at which the exchange lowers limits. */
  readonly crowding: readonly CrowdedSpell[];
  readonly clockSteps: readonly { readonly atMs: number; readonly byMs: number }[];
  /** True if the bot logs in for tokens of a few hours, instead of having a permanent token. */
  readonly logsIn: boolean;
  /** Times at which the exchange loses money of the account without a report: the books must then differ. */
  readonly lossesAtMs: readonly number[];
  /** Acts of an operator. */
  readonly controls: readonly {
    readonly atMs: number;
    readonly kind: 'halt' | 'resume' | 'accept-balances';
  }[];
  readonly tradeHabits: TradeHabits;
  /** Slowness of the bot's machine; null for a quick one. */
  readonly slowMachine: SlowMachine | null;
  /** Watchdog beside the bot, and the bot's absences for it; null in a run without one. */
  readonly watchdog: WatchdogPlan | null;
}

/** Length of a stop of the process, in ms. */
export const STOP_MS = 90_000;

const PUT_BACK_SHARE = 0.2;

const SHORTEST_STALL_MS = 1_000;
const LONGEST_STALL_MS = 600_000;

/** Ranges of the probability of a death: every change has a commit, most requests are only readings. */
const CRASH_SHARES: Readonly<Record<CrashPoint, readonly [least: number, most: number]>> = {
  'before the commit': [0.000_5, 0.01],
  'after the commit': [0.000_5, 0.01],
  'amid the requests': [0.000_2, 0.004],
  'at an answer': [0.000_2, 0.004],
};

function drawCrashes(dice: Dice): Swarm['crashes'] {
  const none = { 'before the commit': 0, 'after the commit': 0, 'amid the requests': 0, 'at an answer': 0 };
  if (!dice.happens(0.7)) return none;
  const points = dice.some(CRASH_POINTS, 0.6);
  return {
    ...none,
    ...Object.fromEntries(points.map((point) => [point, dice.logUniform(...CRASH_SHARES[point])])),
  };
}

/**
 * Draws the acts of an operator, who accepts the balances 20 to 60 minutes after a loss: a bot that stays
 * stopped would make the rest of the run useless.
 */
function drawControls(dice: Dice, runMs: number, lossesAtMs: readonly number[]): Swarm['controls'] {
  const polls = lossesAtMs.map((atMs) => ({
    atMs: atMs + Math.round(dice.between(20, 60) * MINUTE_MS),
    kind: 'accept-balances' as const,
  }));
  const halts = dice.happens(0.3) ? dice.times(runMs, 3 * HOUR_MS) : [];
  const controls = halts.flatMap((atMs) => [
    { atMs, kind: 'halt' as const },
    { atMs: atMs + Math.round(dice.logUniform(0.1, 30) * MINUTE_MS), kind: 'resume' as const },
  ]);
  return [...controls, ...polls].toSorted((left, right) => left.atMs - right.atMs);
}

/** Draws standstills of the exchange with their own dice, so that other draws of a seed stay the same. */
function drawStalls(dice: Dice, runMs: number): Swarm['stalls'] {
  if (!dice.happens(0.5)) return [];
  // Many are short, and some outlast every time-out and window.
  const isLong = dice.happens(0.5);
  return dice.times(runMs, dice.logUniform(0.2, 2) * HOUR_MS).map((atMs) => ({
    atMs,
    forMs: Math.round(
      isLong
        ? dice.between(SHORTEST_STALL_MS, LONGEST_STALL_MS)
        : dice.logUniform(SHORTEST_STALL_MS, LONGEST_STALL_MS),
    ),
  }));
}

/** Draws the restore of a mirror from a copy that is minutes to hours old; null in most seeds. */
function drawPutBack(dice: Dice, runMs: number): Swarm['putBack'] {
  if (!dice.happens(PUT_BACK_SHARE)) return null;
  const copiedAtMs = Math.round(dice.between(0.1, 0.6) * runMs);
  const latestMs = Math.max(copiedAtMs + 2 * MINUTE_MS, runMs * 0.95);
  return { copiedAtMs, atMs: Math.round(dice.between(copiedAtMs + MINUTE_MS, latestMs)) };
}

/** Draws the faults of a seed in `hours`. The same seed and hours give the same faults. */
export function drawSwarm(seed: number, hours: number): Swarm {
  const runMs = hours * HOUR_MS;
  const dice = Dice.of(seed, 'swarm');
  const isLong = hours >= 24;
  const lossesAtMs = dice.happens(0.2) ? dice.times(runMs, runMs / 2) : [];
  return {
    seed,
    runMs,
    clockSkewMs: dice.happens(0.5) ? 0 : dice.integer(-3_000, 3_000),
    episodes: drawEpisodes(Dice.of(seed, 'faults'), runMs),
    wrongReplies: drawWrongReplies(Dice.of(seed, 'wrong replies')),
    putBack: drawPutBack(Dice.of(seed, 'put back'), runMs),
    disturbances: dice
      .some([...SECOND_HAND, ...EXCHANGE_EVENTS], dice.between(0.2, 0.8))
      .map((disturbance) => ({ disturbance, meanMs: Math.round(dice.logUniform(2, 120) * MINUTE_MS) })),
    crashes: drawCrashes(dice),
    crashesAtMs: dice.happens(0.6) ? dice.times(runMs, dice.logUniform(0.3, 6) * HOUR_MS) : [],
    restartMs: dice.happens(0.5) ? [50, 2_000] : [1_000, 300_000],
    stopsAtMs: dice.happens(0.4) ? dice.times(runMs, dice.logUniform(0.5, 4) * HOUR_MS) : [],
    stalls: drawStalls(Dice.of(seed, 'stalls'), runMs),
    crowding: drawCrowding(Dice.of(seed, 'crowding'), runMs),
    clockSteps: dice.happens(0.4)
      ? dice.times(runMs, 2 * HOUR_MS).map((atMs) => ({ atMs, byMs: dice.integer(-20_000, 20_000) }))
      : [],
    logsIn: isLong || dice.happens(0.3),
    lossesAtMs,
    controls: drawControls(dice, runMs, lossesAtMs),
    tradeHabits: drawTradeHabits(Dice.of(seed, 'trade habits'), runMs),
    slowMachine: drawSlowMachine(seed, runMs),
    watchdog: watchdogPlanOf(seed, runMs),
  };
}

/** A range of a run in which the exchange has lowered a limit. Times are since the run's beginning. */
interface CrowdedSpell {
  readonly fromMs: number;
  readonly toMs: number;
  readonly budget: string;
  readonly limit: number;
}

/** Budgets that a bot uses the most. */
const BUDGETS = ['v2/orderbook', 'orders/list', 'trades/list'] as const;

/** Range of the lowered limits: a bot at its usual slow pace exceeds them, and can go on. */
const LEAST_LIMIT = 2;
const MOST_LIMIT = 6;

const MOST_SPELLS = 3;
const SHARE_OF_SEEDS = 0.4;
const SHORTEST_MS = 20 * 60_000;

/** Draws the times in which the exchange lowers limits, and which ones. Most seeds have none. */
function drawCrowding(dice: Dice, runMs: number): readonly CrowdedSpell[] {
  if (!dice.happens(SHARE_OF_SEEDS)) return [];
  return Array.from({ length: dice.integer(1, MOST_SPELLS) }, () => {
    const fromMs = Math.round(dice.between(0, 0.7) * runMs);
    const toMs = fromMs + SHORTEST_MS + Math.round(dice.exponential(runMs / 2));
    const budget = BUDGETS[dice.integer(0, BUDGETS.length - 1)] ?? 'orders/list';
    return { fromMs, toMs, budget, limit: dice.integer(LEAST_LIMIT, MOST_LIMIT) };
  });
}

/** Range of the value of a manual order, as a multiple of its market's minimum order value. */
const LEAST_WORTH = 2;
const MOST_WORTH = 40;
/** Largest distance of a manual order from the last price, as a share of it: behind or through the market. */
const FARTHEST = 0.01;
/** Largest share of a wallet in one withdrawal, so that something is left to trade with. */
const LARGEST_WITHDRAWAL = 0.1;

/** Returns the last price in public steps. */
const lastPriceOf = (market: MarketState): number =>
  Math.max(1, Math.round(market.lastPrice / market.priceFactor));

function amountWorth(market: MarketState, price: number, times: number): number {
  const { rules } = market;
  const value = (rules.minOrderValue * BigInt(Math.round(times * 100))) / 100n;
  const units = (value * UNITS_PER_ONE) / priceUnits(rules, price as Price);
  return Math.max(1, Number(units / rules.amountStep));
}

function placeByHand(world: FuzzWorld, dice: Dice, timeMs: number): void {
  const market = dice.pick(world.markets);
  const side: Side = dice.happens(0.5) ? 'buy' : 'sell';
  if (market === null) return;
  const execution = dice.happens(0.25) ? 'market' : 'limit';
  const price = Math.max(1, Math.round(lastPriceOf(market) * dice.between(1 - FARTHEST, 1 + FARTHEST)));
  world.exchange.trading.place(
    BOT_USER,
    {
      market: market.rules.symbol,
      side,
      execution,
      mode: 'default',
      amount: amountWorth(market, price, dice.logUniform(LEAST_WORTH, MOST_WORTH)),
      price: execution === 'market' ? null : price,
      stopPrice: null,
      stopLimitPrice: null,
      clientOrderId: dice.happens(0.3) ? `by-hand-${dice.integer(1, 1_000_000)}` : null,
      pro: true,
    },
    timeMs,
  );
}

/** Places an order like one of the bot's, so that the exchange considers one of them a repetition. */
function repeatByHand(world: FuzzWorld, dice: Dice, timeMs: number): void {
  const order = dice.pick(world.bot.open.values());
  if (order === null || order.pair !== null || order.registeredPrice === NO_PRICE) return;
  const { market } = order;
  world.exchange.trading.place(
    BOT_USER,
    {
      market: market.rules.symbol,
      side: order.side,
      execution: order.execution,
      mode: 'default',
      amount: Math.floor(order.amount / market.amountFactor),
      price: Math.round(order.registeredPrice / market.priceFactor),
      stopPrice: order.stopPrice === NO_PRICE ? null : Math.round(order.stopPrice / market.priceFactor),
      stopLimitPrice: null,
      clientOrderId: null,
      pro: true,
    },
    timeMs,
  );
}

function cancelByHand(world: FuzzWorld, dice: Dice, timeMs: number): void {
  const order = dice.pick(world.bot.open.values());
  if (order !== null) world.exchange.trading.cancel(order, timeMs);
}

function deposit(world: FuzzWorld, dice: Dice, timeMs: number): void {
  const { accounts } = world.exchange;
  const wallet = dice.pick(accounts.walletsOf(BOT_USER));
  if (wallet === null) return;
  const units = wallet.total / BigInt(dice.integer(20, 200)) + BigInt(dice.integer(1, 1_000_000));
  accounts.post(wallet, 'outside', { units, description: 'Deposit', timeMs });
}

function withdraw(world: FuzzWorld, dice: Dice, timeMs: number): void {
  const { accounts, trading } = world.exchange;
  const wallet = dice.pick(accounts.walletsOf(BOT_USER));
  if (wallet === null) return;
  const millionths = BigInt(Math.round(dice.between(0.001, LARGEST_WITHDRAWAL) * 1_000_000));
  const units = (wallet.total * millionths) / 1_000_000n;
  trading.cancelUntilCovered(BOT_USER, wallet.currency, { needed: units, timeMs });
  if (units === 0n || wallet.free < units) return;
  accounts.post(wallet, 'outside', { units: -units, description: 'Withdrawal', timeMs });
}

/** Acts of a person who also uses the bot's account. */
export const SECOND_HAND: readonly Disturbance[] = [
  { name: 'order by hand', act: placeByHand },
  { name: 'order repeated by hand', act: repeatByHand },
  { name: 'cancel by hand', act: cancelByHand },
  { name: 'deposit', act: deposit },
  { name: 'withdrawal', act: withdraw },
];

/** A range of a run in which some faults are likely. Times are since the beginning of the run. */
interface FaultEpisode {
  readonly fromMs: number;
  readonly toMs: number;
  readonly rules: readonly FaultRule[];
}

const LONGEST_BACK_OFF_S = 86_400;
/** Length of a run from which on limits may lock the bot out for their full time, in ms. */
const LONG_RUN_MS = 24 * 3_600_000;

/** Requests that change the exchange, where a fault does the most harm. */
const CHANGING: readonly EndpointName[] = ['addOrder', 'updateOrderStatus'];
const LISTS: readonly EndpointName[] = ['ordersList', 'tradesList', 'orderStatus'];
/** Endpoints that may answer without a result, and similar lists. A change that says ok was made. */
const RESULTLESS: readonly EndpointName[] = ['walletsList', 'wallets', ...LISTS];

/** Range of the probability of each kind of fault, for each request. Those that lock out are rare. */
const PROBABILITIES: Readonly<Record<FaultRule['kind'], readonly [least: number, most: number]>> = {
  delay: [0.005, 0.4],
  late: [0.005, 0.3],
  lost: [0.005, 0.3],
  'reply-lost': [0.01, 0.4],
  reset: [0.005, 0.3],
  'server-error': [0.005, 0.3],
  'bad-gateway': [0.005, 0.3],
  truncated: [0.005, 0.3],
  forbidden: [0.000_03, 0.000_3],
  'too-many-requests': [0.000_1, 0.003],
  unauthorized: [0.000_03, 0.000_5],
  'lagging-lists': [0.05, 1],
  'shuffled-trades': [0.05, 1],
  'missing-fields': [0.01, 0.5],
  'unknown-fields': [0.05, 1],
  'no-result': [0.01, 0.5],
};

/** Draws all details of one kind of fault. */
function drawRule(dice: Dice, kind: FaultRule['kind'], runMs: number): FaultRule {
  const [least, most] = PROBABILITIES[kind];
  const aim = dice.pick<readonly EndpointName[] | null>([null, null, CHANGING, LISTS]);
  return {
    kind,
    probability: dice.logUniform(least, most),
    ...(aim === null || kind === 'lagging-lists' || kind === 'shuffled-trades' ? {} : { endpoints: aim }),
    ...(kind === 'no-result' ? { endpoints: RESULTLESS } : {}),
    ...(kind === 'delay' || kind === 'late' ? { delayMs: Math.round(dice.logUniform(500, 100_000)) } : {}),
    ...(kind === 'lagging-lists'
      ? { lagMs: Math.round(dice.logUniform(500, 20_000)), isUneven: dice.happens(0.5) }
      : {}),
    ...(kind === 'reset' || kind === 'server-error' || kind === 'bad-gateway'
      ? { isHandled: dice.happens(0.5) }
      : {}),
    ...(kind === 'too-many-requests'
      ? { backOff: Math.round(dice.logUniform(5, runMs >= LONG_RUN_MS ? LONGEST_BACK_OFF_S : 600)) }
      : {}),
  };
}

/**
 * Draws the faults of a run: a seed's own subset of the kinds, in episodes with quiet phases between. Since
 * most seeds lack most kinds, a fault that hides another is absent in half of the seeds, which finds more
 * than all kinds at once.
 */
function drawEpisodes(dice: Dice, runMs: number): readonly FaultEpisode[] {
  const kinds = dice.some(FAULT_KINDS, dice.between(0.15, 0.6));
  const episodes: FaultEpisode[] = [];
  const meanMs = runMs / dice.integer(4, 24);
  let fromMs = dice.between(0, 10 * MINUTE_MS);
  while (fromMs < runMs) {
    const toMs = Math.min(runMs, fromMs + MINUTE_MS + dice.exponential(meanMs));
    const rules = dice.some(kinds, 0.7).map((kind) => drawRule(dice, kind, runMs));
    if (rules.length > 0) episodes.push({ fromMs, toMs, rules });
    fromMs = toMs + dice.exponential(meanMs / 2);
  }
  return episodes;
}

/** Undocumented behaviour of a deployment's list of own trades. */
interface TradeHabits {
  /** Times at which every trade gets another id, since the beginning of the run. */
  readonly renumberedAtMs: readonly number[];
  /** Period covered by the list, in ms; null for the exchange's default. */
  readonly listedMs: number | null;
}

const RENUMBERED_SHARE = 0.25;
const MOST_TIMES = 3;

/** Share of the seeds with a short list, and its range: minutes stand for a deployment's days. */
const SHORT_SHARE = 0.25;
const SHORTEST_MINUTES = 2;
const LONGEST_MINUTES = 30;

function drawTradeHabits(dice: Dice, runMs: number): TradeHabits {
  const times = dice.happens(RENUMBERED_SHARE) ? dice.integer(1, MOST_TIMES) : 0;
  const renumberedAtMs = Array.from({ length: times }, () => Math.round(dice.between(0.05, 0.95) * runMs));
  const isShort = dice.happens(SHORT_SHARE);
  const listedMs = isShort
    ? Math.round(dice.logUniform(SHORTEST_MINUTES, LONGEST_MINUTES) * MINUTE_MS)
    : null;
  return { renumberedAtMs, listedMs };
}
