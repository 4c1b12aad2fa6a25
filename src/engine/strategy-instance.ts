import { SarrafError } from '../domain/errors.ts';
import type { Currency, MarketNames } from '../domain/market-symbol.ts';
import type { Timeframe } from '../domain/candle.ts';
import { groupedText, addUnits, LEAST_UNITS, NO_UNITS, subtractUnits, type Units } from '../domain/money.ts';
import type { FillRecord } from '../records/fill.ts';
import type { PnlViews, PnlView } from './risk/risk-view.ts';
import { AssetLedger, type AssetLedgerOptions, type MovedCoins } from '../portfolio/asset-ledger.ts';
import type { PnlTrack, PriceOf } from '../portfolio/holding.ts';
import { type StrategyPort, type StrategyLogLine, ownMarketsOf } from '../strategy/strategy-port.ts';
import { marketsOfSubscription } from '../strategy/subscriptions.ts';
import { nextDueMs } from '../strategy/check-subscriptions.ts';
import type { StrategyInstanceSettings } from './engine-settings.ts';
import { IntentTally } from './intent-tally.ts';
import type { StrategyRecord } from '../records/rows.ts';
import { readInstance, writeInstance } from './strategy-instance-record.ts';
import type { Sentence } from '../language/sentence.ts';

/** Planning times that are kept: as far back as the checks look. */
const PLANNED_RETAINED_MS = 3_600_000;
const MOST_PLANNED = 10_000;

/** Lines of its log that are kept here; the mirror has more of them. */
const MOST_LOGGED = 1_000;

const COMPLAINS_EVERY_MS = 60_000;

interface Timer {
  readonly name: string;
  readonly cron: string;
  nextMs: number;
}

/** A line of a strategy's own log, and when it was written, of the run's time. */
export type LoggedLine = StrategyLogLine & { readonly atMs: number };

/** One strategy at its place: its runner, what it holds and has made, and what it has spent on it. */
export class StrategyInstance {
  readonly settings: StrategyInstanceSettings;
  readonly runner: StrategyPort;
  readonly name: string;
  readonly timers: readonly Timer[];
  status: StrategyRecord['status'] = 'running';
  reason: Sentence | null = null;
  resumesAtMs = Number.POSITIVE_INFINITY;
  /** True if the exchange no longer lists one of its markets: it pauses until it does. */
  isMarketMissing = false;
  /** True if a person has paused it: it gets no events, and its indicators are fed. */
  isPausedByHand = false;
  /** True if it was notified of its start, in this life. */
  hasBegun = false;
  /** Times its orders were planned, rising. */
  readonly plannedAtMs: number[] = [];
  /** Requests that its orders have cost, and fills that these have brought. */
  requests = 0;
  fills = 0;
  orders = 0;
  /** Paid so far, by currency: purchases pay in the coin, sales in the quote currency. */
  readonly fees = new Map<string, bigint>();
  isDirty = true;
  /** The last lines that it logged, oldest first. */
  readonly log: LoggedLine[] = [];
  private unkept = 0;
  readonly tally = new IntentTally();
  private complainedAtMs = Number.NEGATIVE_INFINITY;
  /** Holdings and results, by asset. */
  readonly ledger: AssetLedger;
  /** Its own market and those that it subscribed to, each once. */
  readonly markets: readonly string[];
  /** The quote currencies of its markets. */
  readonly quotes: ReadonlySet<Currency>;
  /** Its capital in quote currencies of its markets; empty where it shares the account's money. */
  readonly capital: ReadonlyMap<string, Units>;
  readonly marketNames: MarketNames;

  /** `sees`: whether the bot follows a market. */
  constructor(
    settings: StrategyInstanceSettings,
    { marketNames, sees }: Pick<AssetLedgerOptions, 'marketNames' | 'sees'>,
  ) {
    this.settings = settings;
    this.marketNames = marketNames;
    const { bridge, parseMarket } = marketNames;
    this.runner = settings.runner;
    this.name = settings.runner.name;
    this.markets = marketsOf(this.runner);
    this.quotes = new Set(this.markets.map((market) => parseMarket(market).quote));
    this.capital = new Map(
      [...this.quotes].flatMap((quote) => {
        const amount = settings.capital[quote];
        return amount === undefined ? [] : [[quote, amount]];
      }),
    );
    const currency = this.quotes.has(bridge.quote) ? bridge.quote : bridge.base;
    this.ledger = new AssetLedger({ marketNames, currency, quotes: this.quotes, sees });
    this.timers = this.runner.subscriptions.flatMap((wanted) =>
      wanted.kind === 'timer'
        ? [{ name: wanted.name, cron: wanted.cron, nextMs: Number.POSITIVE_INFINITY }]
        : [],
    );
  }

  /**
   * Returns the amount of an asset that its fills brought less what they removed, fees deducted, over all its
   * markets, and what it was given of a coin.
   */
  held(asset: string): Units {
    return this.ledger.held(asset);
  }

  /**
   * Its position in an asset, never below zero: of money that its purchases have spent, and of coins that an
   * earlier version let it sell without having them, it has none.
   */
  position(asset: string): Units {
    const held = this.held(asset);
    return held > 0n ? held : NO_UNITS;
  }

  /** Its capital in a currency, and what its trades made of it; null where it shares the account's money. */
  moneyOf(currency: string): Units | null {
    if (this.capital.size === 0) return null;
    return addUnits(this.capital.get(currency) ?? NO_UNITS, this.held(currency));
  }

  /**
   * Coins that its configuration gives it: its inventory, and capital in a currency in which none of its
   * markets is priced.
   */
  get givenCoins(): ReadonlyMap<string, Units> {
    const { capital, inventory = {} } = this.settings;
    const given = new Map<string, Units>();
    for (const [asset, amount] of [...Object.entries(capital), ...Object.entries(inventory)])
      if (amount !== undefined && !this.quotes.has(asset)) given.set(asset, amount);
    return given;
  }

  /** Takes coins that it is given (above zero) or that go back (below) into its books. */
  applyInventory(asset: string, amount: Units, atMs: number): void {
    const isOf = (market: string): boolean => this.marketNames.parseMarket(market).base === asset;
    const own = isOf(this.runner.market) ? this.runner.market : this.markets.find(isOf);
    this.ledger.applyInventory({ asset, amount, market: own ?? this.runner.market, atMs });
    this.isDirty = true;
  }

  /** Takes coins into its books that a person says it has (above zero) or has no more (below). */
  applyCoins(coins: MovedCoins): void {
    this.ledger.applyCoins(coins);
    this.isDirty = true;
  }

  /** The bars of a market by which it decides: those that it named first; null where it named none. */
  firstTimeframeOf(market: string): Timeframe | null {
    for (const wanted of this.runner.subscriptions)
      if (wanted.kind === 'candles' && wanted.market === market) return wanted.timeframe;
    return null;
  }

  /** Returns its profits, in each quote currency of its markets and that of the order in question. */
  pnlViews(quote: Currency, nowMs: number): PnlViews {
    const tracks = this.ledger.tracksAt(nowMs, quote);
    return { inCurrencies: [...tracks].map(viewOfTrack), ...this.ledger.state.streak };
  }

  /** `leastAmount`: the smallest that can be an order at its price; null where the market is not followed. */
  applyFill(
    fill: FillRecord,
    { leastAmount, priceOf }: { readonly leastAmount: Units | null; readonly priceOf: PriceOf },
  ): void {
    this.fills += 1;
    const market = this.marketNames.parseMarket(fill.market);
    const currency = fill.side === 'buy' ? market.base : market.quote;
    this.fees.set(currency, (this.fees.get(currency) ?? 0n) + fill.fee);
    this.ledger.applyBridge(priceOf, fill.atMs);
    const { side, price, amount, total, fee, atMs } = fill;
    const trade = { market, side, price, amount, total, fee, atMs };
    this.ledger.applyTrade({ ...trade, leastAmount: leastAmount ?? LEAST_UNITS });
    this.isDirty = true;
  }

  /** Takes in by how much fills were others than they were taken for, and how many more they were. */
  correctFills(by: FillRecord, more: number): void {
    this.fills += more;
    const market = this.marketNames.parseMarket(by.market);
    const currency = by.side === 'buy' ? market.base : market.quote;
    this.fees.set(currency, (this.fees.get(currency) ?? 0n) + by.fee);
    this.ledger.correct({ ...by, market });
    this.isDirty = true;
  }

  /** Takes in the last prices of the markets by which what it holds is valued. */
  applyPrices(priceOf: PriceOf, atMs: number): void {
    if (this.ledger.applyPrices(priceOf, atMs)) this.isDirty = true;
  }

  /** An order was planned. */
  planned(nowMs: number): void {
    const times = this.plannedAtMs;
    this.orders += 1;
    times.push(nowMs);
    const young = times.findIndex((time) => time >= nowMs - PLANNED_RETAINED_MS);
    const old = Math.max(young, times.length - MOST_PLANNED);
    if (old > 0) times.splice(0, old);
  }

  addLog(line: LoggedLine): void {
    if (this.log.length >= MOST_LOGGED) {
      this.log.shift();
      this.unkept += 1;
    }
    this.log.push(line);
  }

  /** The lines that are kept, behind one that says how many are not. */
  storedLog(): readonly LoggedLine[] {
    const [first] = this.log;
    if (this.unkept === 0 || first === undefined) return this.log;
    const text = `${groupedText(String(this.unkept))} earlier lines are not kept: the log has the last ${groupedText(String(MOST_LOGGED))}`;
    return [{ atMs: first.atMs, text, fields: null }, ...this.log];
  }

  /** True if it is time to report again that its orders are not accepted. */
  mayComplain(nowMs: number): boolean {
    if (nowMs - this.complainedAtMs < COMPLAINS_EVERY_MS) return false;
    this.complainedAtMs = nowMs;
    return true;
  }

  /** Sets the timers to their next moments. */
  setTimers(nowMs: number): void {
    for (const timer of this.timers) this.setTimer(timer, nowMs);
  }

  setTimer(timer: Timer, nowMs: number): void {
    timer.nextMs = nextDueMs(timer.cron, nowMs);
  }

  /** Returns the record for a restart; null if nothing changed since the last call. */
  drainRecord(nowMs: number): StrategyRecord | null {
    const state = this.runner.drainChangedState();
    if (state === null && !this.isDirty) return null;
    this.isDirty = false;
    const json = writeInstance(this.runner.stateJson(), this);
    return { name: this.name, status: this.status, reason: this.reason, json, atMs: nowMs };
  }

  /** Throws `INVALID_STRATEGY` where what was kept does not fit: its author decides what becomes of it. */
  restore(record: StrategyRecord): void {
    try {
      this.restoreRecord(record);
    } catch (error) {
      if (!(error instanceof SarrafError)) throw error;
      const message = `${this.name}: its stored state can not be taken over: ${error.message}`;
      throw new SarrafError('INVALID_STRATEGY', message, { cause: error });
    }
  }

  private restoreRecord(record: StrategyRecord): void {
    const { state, requests, fills, orders, fees, capital } = readInstance(record, this.ledger);
    // One that never ran has no state yet: it begins with its own.
    if (state !== null) this.runner.restore(JSON.stringify(state));
    this.requests = requests;
    this.fills = fills;
    this.orders = orders;
    for (const [currency, units] of fees) this.fees.set(currency, units);
    // It runs from now on, whatever ended it in the life before.
    const isSameCapital =
      capital.size === this.capital.size &&
      [...this.capital].every(([currency, units]) => capital.get(currency) === units);
    this.isDirty = record.status !== 'running' || !isSameCapital;
  }
}

/** Every market that a strategy trades or looks at, each once. */
export function marketsOf({
  market,
  subscriptions,
}: Pick<StrategyPort, 'market' | 'subscriptions'>): readonly string[] {
  return [
    ...new Set([...ownMarketsOf({ market, subscriptions }), ...subscriptions.flatMap(marketsOfSubscription)]),
  ];
}

/** The markets without which a strategy can not run: its own and those that it names itself. */
export function requiredMarkets(runner: Pick<StrategyPort, 'market' | 'subscriptions'>): readonly string[] {
  const named = runner.subscriptions.flatMap((wanted) =>
    'market' in wanted && wanted.isPooled !== true ? [wanted.market] : [],
  );
  return [...new Set([...ownMarketsOf(runner), ...named])];
}

/** Markets that are candidates of universes and nothing else. */
export function pooledMarkets(instances: readonly StrategyInstance[]): ReadonlySet<string> {
  const pooled = new Set<string>();
  const own = new Set(instances.flatMap(({ runner }) => requiredMarkets(runner)));
  for (const { runner } of instances)
    for (const wanted of runner.subscriptions)
      if ('market' in wanted && wanted.isPooled === true) pooled.add(wanted.market);
  return new Set([...pooled].filter((market) => !own.has(market)));
}

function viewOfTrack([quote, { marks, unvalued }]: readonly [Currency, PnlTrack]): PnlView {
  const { result, dayBeganWith, peakResult } = marks;
  return { quote, dayResult: subtractUnits(result, dayBeganWith), peakResult, result, unvalued };
}
