import { MINUTE_MS } from '../domain/time-text.ts';
import type { Market } from '../domain/market.ts';
import type { SimulatedExchange } from '../simulator/exchange.ts';
import type { MarketState, Trader } from '../simulator/market-state.ts';
import { FaultPlan, type FaultRule, type FaultyAdapter } from '../simulator-server/fault-plan.ts';
import { SyntheticFlow } from '../simulator/synthetic-flow.ts';
import { InProcessVenue } from '../simulator-server/in-process-venue.ts';
import { readExchangeConfig } from '../simulator-server/exchange-config.ts';
import { createSimulation } from '../simulator-server/simulation.ts';
import type { RequestLog } from '../simulator-server/request-log.ts';
import { VirtualTime } from '../virtual/virtual-time.ts';
import type { HttpRequest, HttpResponse } from '../exchange/transport.ts';
import { Dice } from './dice.ts';
import { budgetTable } from '../exchange/client-options.ts';
import type { TestedVenue } from './tested-venue.ts';
import { hasOtherExchange, OtherExchange } from './other-exchange.ts';
import { SAME_ID, type IdBehind } from './checkers/exchange-truth.ts';
import { z } from 'zod';
import type { BarAnchors } from '../domain/candle.ts';
import { defineStrategy } from '../strategy/definition.ts';

/** The account that the bot shares with a person, and an account that moves markets. */
export const BOT_USER = 1;
export const WHALE_USER = 2;

export const BOT_NAME = 'bot';
export const BOT_PASSWORD = 'bot-password';
export const BOT_TOKEN = 'bot-token';

/** Markets priced in rial and in tether, with large and small prices. */
const MARKETS = [
  { symbol: 'BTCIRT', priceStep: '10', amountStep: '0.000001', initialPrice: '60000000000' },
  { symbol: 'BTCUSDT', priceStep: '0.01', amountStep: '0.000001', initialPrice: '65000' },
  { symbol: 'USDTIRT', priceStep: '10', amountStep: '0.01', initialPrice: '925000' },
] as const;

const HISTORY_MINUTES = 60;

const UNLIMITED = Object.fromEntries([...budgetTable().keys()].map((name) => [name, 'none' as const]));

interface FuzzWorldOptions {
  readonly seed: number;
  readonly startMs: number;
  /** Lead of the exchange's clock over all others, in ms. It stays: a step back would lengthen windows. */
  readonly clockSkewMs: number;
  /** The venue to test; null for the built-in one. */
  readonly tested: TestedVenue | null;
}

/** The exchange of one seed, with its time. */
export class FuzzWorld {
  readonly time: VirtualTime;
  readonly exchange: SimulatedExchange;
  readonly venue: InProcessVenue;
  readonly log: RequestLog;
  readonly standingBooks: StandingBooks;
  /** Rules of the markets at the start. */
  readonly rules: readonly Market[];
  readonly tested: TestedVenue | null;
  /** Another exchange, whose books the bot reads; null in most seeds. */
  readonly other: OtherExchange | null;
  private readonly seed: number;
  private readonly clockSkewMs: number;
  private readonly faulty: FaultyAdapter;
  private readonly flow: SyntheticFlow;
  private isTrading = true;
  private plans = 0;
  private stalledUntilMs = Number.NEGATIVE_INFINITY;

  constructor(options: FuzzWorldOptions) {
    const { seed, startMs, clockSkewMs, tested } = options;
    this.tested = tested;
    this.seed = seed;
    this.clockSkewMs = clockSkewMs;
    this.time = new VirtualTime(startMs);
    const exchangeStartMs = startMs + clockSkewMs;
    const simulation = createSimulation({
      config: readExchangeConfig({
        markets: [...MARKETS],
        users: [
          {
            username: BOT_NAME,
            id: BOT_USER,
            password: BOT_PASSWORD,
            tokens: [BOT_TOKEN],
            balances: { rls: '200000000000', usdt: '200000', btc: '3' },
          },
          {
            username: 'whale',
            id: WHALE_USER,
            balances: { rls: '9000000000000000', usdt: '9000000000', btc: '90000' },
          },
        ],
        trading: { recordVersions: true },
        // A tested venue has limits of its own, which the checker holds.
        ...(tested === null ? {} : { limits: { overrides: UNLIMITED } }),
      }),
      startMs: exchangeStartMs,
      seed,
      barAnchors: new Map(MARKETS.map(({ symbol }) => [symbol, drawnBarsOf(seed).anchors])),
    });
    this.exchange = simulation.exchange;
    this.log = simulation.adapter.log;
    this.faulty = simulation.faulty;
    this.flow = new SyntheticFlow({
      exchange: this.exchange,
      seed,
      startMs: exchangeStartMs,
      historyMinutes: HISTORY_MINUTES,
    });
    this.venue = new InProcessVenue({
      adapter: this.faulty,
      now: () => this.time.now(),
      sleep: async (durationMs) => this.time.sleep(durationMs),
      world: { advance: (timeMs) => this.moveTo(timeMs) },
    });
    this.standingBooks = new StandingBooks({ seed, markets: MARKETS.map(({ symbol }) => symbol) });
    this.rules = this.markets.map(({ rules }) => rules);
    this.other = hasOtherExchange(seed) ? this.createOther(startMs) : null;
    this.setFaults([]);
  }

  /** Advances the exchange to the present; returns its time. Call it before anything outside acts on it. */
  advance(): number {
    const { timeMs } = this.venue;
    this.moveTo(timeMs);
    return timeMs;
  }

  /** Replaces the faults of requests from now on. */
  setFaults(rules: readonly FaultRule[]): void {
    this.plans += 1;
    const seed = Math.imul(this.seed, 31) + this.plans;
    this.faulty.plan = new FaultPlan({ seed: seed >>> 0, rules, clockSkewMs: this.clockSkewMs });
  }

  /** Makes the exchange stand still, as a stopped process: later it handles what has arrived. */
  stall(durationMs: number): void {
    this.stalledUntilMs = Math.max(this.stalledUntilMs, this.time.now() + durationMs);
  }

  /** Remaining time of the standstill in ms; 0 if there is none. */
  get stallLeftMs(): number {
    return Math.max(0, this.stalledUntilMs - this.time.now());
  }

  /** Lowers a limit, or restores it (null); beyond it the exchange answers with a 429 that names it. */
  lowerLimit(budget: string, limit: number | null): void {
    this.exchange.services.limits.lower(budget, limit);
  }

  /** Turns the others' trading on or off; without it no price moves. */
  setTrading(isTrading: boolean): void {
    this.advance();
    this.isTrading = isTrading;
  }

  get markets(): readonly MarketState[] {
    return [...this.exchange.markets.values()];
  }

  get bot(): Trader {
    return this.exchange.trading.trader(BOT_USER);
  }

  /** Returns the exchange's id of an order or a trade that the bot knows by the venue's. */
  get idBehind(): IdBehind {
    return this.tested?.idBehind ?? SAME_ID;
  }

  private createOther(startMs: number): OtherExchange {
    const { time, seed } = this;
    const other = new OtherExchange({
      seed,
      startMs,
      now: () => time.now(),
      sleep: async (durationMs) => time.sleep(durationMs),
      market: { symbol: 'BTCUSDT', price: '65000' },
    });
    other.drawFaults(time);
    return other;
  }

  private moveTo(timeMs: number): void {
    if (this.isTrading) this.flow.advance(timeMs);
    this.exchange.advance(timeMs);
  }
}

const SHARE_OF_SEEDS = 0.2;
const MEAN_GAP_MS = 60 * MINUTE_MS;
const BOOK_PATH = /^\/v[23]\/orderbook\/([A-Z0-9]+)$/;

/**
 * Makes the book of one market stand still at times, like a cache of the exchange that is not renewed: every
 * caller gets what the first got. The list of all books goes on. The seed's own dice draw the times.
 */
class StandingBooks {
  isOn: boolean;
  private readonly dice: Dice;
  private readonly markets: readonly string[];
  private spell: { readonly market: string; readonly fromMs: number; readonly toMs: number } | null = null;
  private first: HttpResponse | null = null;

  constructor(of: { readonly seed: number; readonly markets: readonly string[] }) {
    this.dice = Dice.of(of.seed, 'standing books');
    this.markets = of.markets;
    this.isOn = this.dice.happens(SHARE_OF_SEEDS);
  }

  /** Returns the reply as it is seen at this time. */
  reply(request: Pick<HttpRequest, 'path'>, response: HttpResponse, nowMs: number): HttpResponse {
    const market = BOOK_PATH.exec(request.path)?.[1] ?? null;
    if (!this.isOn || market === null || market === 'all' || response.status !== 200) return response;
    const spell = this.spellAt(nowMs);
    if (spell.market !== market || nowMs < spell.fromMs) return response;
    this.first ??= response;
    return this.first;
  }

  private spellAt(nowMs: number): NonNullable<StandingBooks['spell']> {
    while (this.spell === null || nowMs >= this.spell.toMs) {
      const fromMs = (this.spell?.toMs ?? nowMs) + this.dice.exponential(MEAN_GAP_MS);
      const toMs = fromMs + this.dice.logUniform(1, 20) * MINUTE_MS;
      this.spell = { market: this.dice.pick(this.markets) ?? '', fromMs, toMs };
      this.first = null;
    }
    return this.spell;
  }
}

/** Share of the seeds with a strategy that reads long bars. */
const WATCHED_SHARE = 0.3;

/** Zones whose hours or days differ from those of UTC, and UTC. */
const ZONES = ['Asia/Tehran', 'Asia/Tehran', 'Asia/Kolkata', 'America/New_York', 'UTC'] as const;

/** Shortest timeframes that differ from UTC: a run shows this with hours, but seldom with 4 h or days. */
const SHORTEST = ['1h', '1h', '1h', '4h'] as const;

/** Anchors of the bars of a seed's exchange; `isWatched`: true if a strategy reads them. */
interface DrawnBars {
  readonly anchors: BarAnchors;
  readonly isWatched: boolean;
}

/** Draws the anchors; they are the same in every life of a seed. */
export function drawnBarsOf(seed: number): DrawnBars {
  const dice = Dice.of(seed, 'bars');
  const isWatched = dice.happens(WATCHED_SHARE);
  const zone = dice.pick(ZONES) ?? 'UTC';
  const from = dice.pick(SHORTEST) ?? '4h';
  return { anchors: { [from]: { zone, offsetMs: 0 } }, isWatched };
}

/** A strategy that reads bars of one hour and of four; the checker reads what the bot stores of them. */
export const BAR_WATCHER = defineStrategy({
  name: 'bar-watcher',
  params: z.strictObject({}),
  state: z.strictObject({ bars: z.number().default(0) }),
  data: ({ market }) => ({
    hours: market.candles('1h', { history: 2 }),
    long: market.candles('4h', { history: 2 }),
  }),
  on: {
    hours(ctx) {
      ctx.setState({ bars: ctx.state.bars + 1 });
    },
  },
});
