import type { LimitOverrides } from '../domain/rate-limit.ts';
import { timeframeMs } from '../domain/candle.ts';
import { BudgetLedger } from '../budget/ledger.ts';
import { MemoryLockouts } from '../budget/lockouts.ts';
import { RequestLimiter } from '../budget/limiter.ts';
import { SarrafError } from '../domain/errors.ts';
import { priceUnits } from '../domain/market.ts';
import { parseMarket } from '../exchange/market-names.ts';
import { formatUnits, parseUnits, UNITS_PER_ONE, type Price } from '../domain/money.ts';
import { ExchangeClient } from '../exchange/client.ts';
import { ReplayFlow, seedReplay } from '../simulator/replay-flow.ts';
import { SyntheticFlow } from '../simulator/synthetic-flow.ts';
import { InProcessVenue } from '../simulator-server/in-process-venue.ts';
import { readExchangeConfig, type ExchangeConfig } from '../simulator-server/exchange-config.ts';
import { createSimulation, type Simulation, type World } from '../simulator-server/simulation.ts';
import { createVirtualLimiter } from '../virtual/virtual-executor.ts';
import { VirtualTime, type Timeline } from '../virtual/virtual-time.ts';
import { INTERFACE_PROFILE } from './interface-profile.ts';
import type { Venue, WrapTransport } from './venue.ts';
import { MachineTimeline } from './machine-timeline.ts';
import { replayStart, type ReplayFile } from './replay-file.ts';
import { createVenueCaller } from './venue-caller.ts';

/** The bot's token and user. */
const BOT_TOKEN = 'embedded-bot-token';
const BOT_NAME = 'embedded-bot';
const BOT_USER = 8_000_001;

/** Longest bars that get the fastest polls; those of longer bars are slower in proportion. */
const BAR_FOR_FASTEST_POLLS_MS = 900_000;

export interface EmbeddedVenueOptions {
  readonly config: ExchangeConfig | null;
  readonly balances: Readonly<Record<string, string>>;
  readonly seed: number;
  readonly speed: number | 'max';
  readonly replay: ReplayFile | null;
  /** Traded markets, in which the bot's user owns coins, too. */
  readonly traded: readonly string[];
  readonly limits: LimitOverrides;
  readonly headroom: number;
  /** Opening time of a market of synthetic traders; wall-clock time if left out. A recording has its own. */
  readonly startMs?: number;
  readonly wrap?: WrapTransport;
}

/** An exchange in this process, and its simulation. */
export interface EmbeddedVenue extends Venue {
  readonly simulation: Simulation;
}

/** Creates the exchange in this process. Throws `INVALID_MARKET` for a market that it does not have. */
export function createEmbeddedVenue(options: EmbeddedVenueOptions): EmbeddedVenue {
  const { replay, speed, seed, limits, headroom, wrap = (inner) => inner } = options;
  const startMs = replay === null ? (options.startMs ?? Date.now()) : replayStart(replay).startMs;
  const time = speed === 'max' ? new VirtualTime(startMs) : new MachineTimeline({ startMs, speed });
  const simulation = simulate(options, startMs);
  const world = createWorld(simulation, { replay, seed, startMs });
  const barMs = replay === null || replay.timeframe === null ? 0 : timeframeMs(replay.timeframe);
  const { exchange } = simulation;
  const route = new InProcessVenue({
    adapter: simulation.faulty,
    now: () => time.now(),
    sleep: (durationMs) => time.sleep(durationMs),
    world: {
      advance(timeMs) {
        world.advance(timeMs);
        exchange.advance(timeMs);
      },
    },
  });
  const client = new ExchangeClient({
    transport: wrap(route, () => time.now()),
    credentials: { kind: 'token', token: BOT_TOKEN },
    nowMs: () => time.now(),
    limits,
    headroom,
  });
  const budgets = [...client.budgets.values()];
  const ledger = new BudgetLedger(budgets);
  const lockouts = new MemoryLockouts();
  return {
    simulation,
    profile: INTERFACE_PROFILE,
    time,
    caller: createVenueCaller(client),
    limiter: createLimiter({ time, speed, budgets, ledger, lockouts }),
    limiterMs: () => time.now(),
    namedLimits: () => ledger.namedLimits(time.now()),
    mostOccupied: () => new Map(ledger.usage().map(({ budget, most }) => [budget.name, most])),
    budgets: client.budgets,
    ownBudgets: () => ledger.inUse(time.now()),
    canLogIn: false,
    accountReader: null,
    ledgerSubjects: [],
    markets: [...exchange.markets.values()].map(({ rules }) => rules),
    isNew: true,
    pollStretch: Math.max(1, barMs / BAR_FOR_FASTEST_POLLS_MS),
    isOver: () => world.isOver(),
    ledgerFile: null,
    close: async () => client.close(),
  };
}

/** Creates an exchange by the configuration, with the bot as one of its users. */
function simulate(
  { config, balances, seed, replay, traded }: EmbeddedVenueOptions,
  startMs: number,
): Simulation {
  const base = config ?? readExchangeConfig(replay === null ? {} : { markets: [{ ...replay.market }] });
  const bot = { username: BOT_NAME, id: BOT_USER, tokens: [BOT_TOKEN], balances };
  const others = config === null ? [] : base.users.filter(({ username }) => username !== BOT_NAME);
  const users = [...others, ...readExchangeConfig({ users: [bot] }).users];
  const simulation = createSimulation({
    config: { ...base, users },
    startMs,
    seed,
    ...(replay === null || replay.barAnchors === null
      ? {}
      : { barAnchors: new Map([[replay.market.symbol, replay.barAnchors]]) }),
  });
  for (const symbol of new Set(traded)) {
    const state = simulation.exchange.markets.get(parseMarket(symbol).symbol);
    if (state === undefined) {
      const known = [...simulation.exchange.markets.keys()].join(', ');
      throw new SarrafError('INVALID_MARKET', `expected one of the embedded markets ${known}, was ${symbol}`);
    }
    giveCoins(simulation, { symbol, balances, timeMs: startMs });
  }
  return simulation;
}

/** Gives the bot coins worth its money in a market, if it has none, so that it can quote both sides. */
function giveCoins(
  { exchange }: Simulation,
  of: {
    readonly symbol: string;
    readonly balances: Readonly<Record<string, string>>;
    readonly timeMs: number;
  },
): void {
  const state = exchange.markets.get(parseMarket(of.symbol).symbol);
  if (state === undefined) return;
  const { base, quote } = state.rules;
  const money = of.balances[quote];
  if (of.balances[base] !== undefined || money === undefined) return;
  const wallet = exchange.accounts.ensure(BOT_USER, base);
  if (wallet.total > 0n) return;
  const price = priceUnits(state.grid, state.lastPrice as Price);
  const units = (parseUnits(money) * UNITS_PER_ONE) / price;
  exchange.accounts.post(wallet, 'outside', {
    units,
    description: `Deposit ${formatUnits(units)}`,
    timeMs: of.timeMs,
  });
}

function createWorld(
  { exchange }: Simulation,
  of: { readonly replay: ReplayFile | null; readonly seed: number; readonly startMs: number },
): World & { isOver(): boolean } {
  const { replay, seed, startMs } = of;
  if (replay === null) {
    const flow = new SyntheticFlow({ exchange, seed, startMs });
    return { advance: (timeMs) => flow.advance(timeMs), isOver: () => false };
  }
  const { symbol } = replay.market;
  const { warmUpRows } = replayStart(replay);
  seedReplay({ exchange, market: symbol, rows: replay.rows.slice(0, warmUpRows) });
  const flow = new ReplayFlow({
    exchange,
    market: symbol,
    rows: replay.rows.slice(warmUpRows).values(),
    seed,
  });
  return { advance: (timeMs) => flow.advance(timeMs), isOver: () => flow.isDone };
}

/** Creates a limiter: with Bottleneck at the speed of the wall clock, and else without its timers. */
function createLimiter(options: {
  readonly time: Timeline;
  readonly speed: number | 'max';
  readonly budgets: ConstructorParameters<typeof RequestLimiter>[0]['budgets'];
  readonly ledger: BudgetLedger;
  readonly lockouts: MemoryLockouts;
}): RequestLimiter {
  const { time, speed, budgets, ledger, lockouts } = options;
  if (speed !== 1) return createVirtualLimiter({ time, budgets, ledger, lockouts });
  return new RequestLimiter({ budgets, ledger, lockouts, nowMs: () => time.now() });
}
