import { existsSync } from 'node:fs';
import { z } from 'zod';
import { readFigureName } from '../../domain/figure-name.ts';
import { formatUnits, negateUnits, parseUnits, UNITS_PER_ONE } from '../../domain/money.ts';
import type { EngineOutput } from '../../engine/engine-event.ts';
import type { FigureRecord, MirrorChange } from '../../engine/mirror-change.ts';
import { parseMarket } from '../../exchange/market-names.ts';
import { type ExchangeTruth, type IdBehind, namedOrders, inMirror, Finder } from './exchange-truth.ts';
import { movedBy, readPositionMoves } from './position-checker.ts';
import { madeOnce } from '../../domain/retain-newest.ts';

/** A fill as the mirror has it. */
interface KnownFill {
  readonly venueOrderId: string | null;
  readonly strategy: string | null;
  readonly market: string;
  readonly side: string;
  readonly amount: bigint;
  readonly total: bigint;
  readonly fee: bigint;
}

type StoredFill = Omit<KnownFill, 'amount' | 'total' | 'fee'> &
  Record<'tradeId' | 'amount' | 'total' | 'fee', string>;

type Effect = Pick<KnownFill, 'market' | 'side' | 'amount' | 'total' | 'fee'>;

interface SeenPrice {
  mid: bigint | null;
  midAtMs: number;
  latest: bigint | null;
  latestAtMs: number;
}

/** Schema of a strategy's given amounts: coins, their value at that time, and coins without a price. */
const givenRow = z.object({
  ledger: z.object({
    inventory: z.record(z.string(), z.string()),
    inventoryValue: z.record(z.string(), z.string()),
    unpriced: z.record(z.string(), z.record(z.string(), z.string())),
  }),
});

type GivenRow = z.output<typeof givenRow>['ledger'];

/** Age beyond which a price must not be used, in ms. */
const OLDEST_PRICE_MS = 600_000;

/** Largest rounding difference in units, and divisor of the value for that of a division. */
const ROUNDING = 1_000n;
const ROUNDING_SHARE = 1_000_000_000_000n;

const BRIDGE = 'USDTIRT';
const QUOTES: readonly string[] = ['rls', 'usdt'];

const nameOf = (fill: { readonly tradeId: number | string; readonly side: string }, order: unknown): string =>
  `${fill.tradeId} ${String(order)} ${fill.side}`;

const textOf = (order: unknown, { side, amount, total, fee }: Effect): string =>
  `${String(order)} ${side} ${amount} ${total} ${fee}`;

/** Returns the amounts that a trade adds and removes, by currency; the fee is in the currency received. */
function effectOf({ market, side, amount, total, fee }: Effect): [string, bigint][] {
  const { base, quote } = parseMarket(market);
  return side === 'buy'
    ? [
        [base, amount - fee],
        [quote, -total],
      ]
    : [
        [base, -amount],
        [quote, total - fee],
      ];
}

interface FigureCheckerOptions {
  /** First part of the bot's order ids. */
  readonly instance: string;
  readonly mirrorPath: string;
  readonly idBehind: IdBehind;
  readonly count: (what: string) => void;
  /** Returns the exchange's own data, and true if the books must agree with it now. */
  readonly truth: () => { readonly truth: ExchangeTruth; readonly mustAgree: boolean };
}

/**
 * Checks that each figure of money agrees with a plain sum over the trades that the bot has written, at the
 * prices that it has written: a profit with the trades of the strategy, the equity with the wallets of the
 * exchange, less the trades that the bot has not read, plus the coins of its strategies. The coins given to a
 * strategy are included, less their value when given. Sums are computed anew each time, and nothing else of
 * the bot's ledgers is used.
 */
export class FigureChecker extends Finder {
  protected readonly promise = 'figures';
  /** Error in the last equity; null if there is none, or none was written since it was set to null. */
  lastEquity: string | null = null;
  private readonly options: FigureCheckerOptions;
  private life: object | null = null;
  private nowMs = 0;
  private readonly fills = new Map<string, KnownFill>();
  private readonly given = new Map<string, GivenRow>();
  private moves: ReturnType<typeof readPositionMoves> = [];
  private readonly prices = new Map<string, SeenPrice>();

  constructor(options: FigureCheckerOptions) {
    super();
    this.options = options;
  }

  /** Checks a step of the life that `engine` belongs to. */
  watch(engine: object, { changes }: EngineOutput, atMs: number): void {
    if (engine !== this.life) this.begin(engine);
    this.nowMs = Math.max(this.nowMs, atMs);
    // The figures of a step are of what its end has.
    for (const change of changes)
      if (change.kind === 'strategy') this.applyGiven(change.strategy.name, change.strategy.json);
    for (const change of changes) this.apply(change);
  }

  /** Starts with the fills in the file of a new life, and without prices. */
  private begin(engine: object): void {
    this.life = engine;
    this.fills.clear();
    this.given.clear();
    this.moves = [];
    this.prices.clear();
    this.nowMs = 0;
    if (!existsSync(this.options.mirrorPath)) return;
    inMirror(this.options.mirrorPath, (database) => {
      const rows = database.prepare<[], StoredFill>(
        'SELECT trade_id AS tradeId, venue_order_id AS venueOrderId, strategy, market, side, amount, total, fee FROM fills',
      );
      for (const { tradeId, amount, total, fee, ...fill } of rows.all()) {
        const money = { amount: parseUnits(amount), total: parseUnits(total), fee: parseUnits(fee) };
        this.add({ tradeId, ...fill, ...money });
      }
      const strategies = database.prepare<[], { name: string; json: string }>(
        'SELECT name, json FROM strategies',
      );
      for (const { name, json } of strategies.all()) this.applyGiven(name, json);
      this.moves = readPositionMoves(database);
    });
  }

  private add(fill: KnownFill & { readonly tradeId: string }): void {
    const { venueOrderId, tradeId, side } = fill;
    const order = venueOrderId === null ? null : this.options.idBehind(venueOrderId);
    this.fills.set(nameOf({ tradeId, side }, venueOrderId), { ...fill, venueOrderId: order });
  }

  private apply(change: MirrorChange): void {
    if (change.kind === 'fill') {
      this.add(change.fill);
    } else if (change.kind === 'fill-gone') {
      this.fills.delete(nameOf(change.fill, change.fill.venueOrderId));
    } else if (change.kind === 'book') {
      const [bid, ask] = [change.book.bids[0], change.book.asks[0]];
      const mid =
        bid === undefined || ask === undefined ? null : (parseUnits(bid[0]) + parseUnits(ask[0])) / 2n;
      Object.assign(this.priceOf(change.market), { mid, midAtMs: this.nowMs });
    } else if (change.kind === 'stats') {
      const { latest, market } = change.stats;
      const known = latest === null ? null : parseUnits(latest);
      Object.assign(this.priceOf(market.symbol), { latest: known, latestAtMs: this.nowMs });
    } else if (change.kind === 'position-move') this.moves = [...this.moves, change.move];
    else if (change.kind === 'figure') this.judge(change.figure);
  }

  private applyGiven(name: string, json: string): void {
    this.given.set(name, givenRow.parse(JSON.parse(json)).ledger);
  }

  private priceOf(market: string): SeenPrice {
    return madeOnce(this.prices, market, () => ({ mid: null, midAtMs: 0, latest: null, latestAtMs: 0 }));
  }

  private judge({ name, atMs, value }: FigureRecord): void {
    const read = readFigureName(name);
    if (value === null || read === null) return;
    const { kind } = read;
    if (kind === 'profit') {
      this.options.count('figures of profit judged');
      const { strategy, currency } = read;
      const wrong = this.wrong({ name, atMs, value }, this.sumsOf(strategy, currency), currency);
      if (wrong !== null) this.found.push(wrong);
    } else if (kind === 'equity') {
      const { truth, mustAgree } = this.options.truth();
      this.lastEquity = this.wrong({ name, atMs, value }, this.withMoneyOf(truth), read.currency);
      if (!mustAgree) return;
      this.options.count('figures of equity judged');
      if (this.lastEquity !== null) this.found.push(this.lastEquity);
    }
  }

  private wrong(
    { name, atMs, value }: { readonly name: string; readonly atMs: number; readonly value: string },
    sums: ReadonlyMap<string, bigint>,
    currency: string,
  ): string | null {
    const expected = this.worthOf(sums, currency);
    if (expected === null)
      return `expected no ${name} while something held has no price, was ${value} (${atMs})`;
    const found = parseUnits(value);
    const off = found > expected ? found - expected : expected - found;
    const size = expected < 0n ? -expected : expected;
    if (off <= ROUNDING + size / ROUNDING_SHARE) return null;
    return `expected ${name} to be ${formatUnits(expected)} at ${atMs}, was ${value}`;
  }

  /**
   * Returns the amounts that the trades of a strategy, or of all, have added less those they removed, by
   * currency, plus the amounts given to it. `lessIn`: currency in which the value of those at that time is
   * subtracted.
   */
  private sumsOf(strategy: string | null, lessIn: string | null = null): Map<string, bigint> {
    const sums = new Map<string, bigint>();
    const add = (currency: string, units: bigint): void =>
      void sums.set(currency, (sums.get(currency) ?? 0n) + units);
    for (const [name, { inventory, inventoryValue, unpriced }] of this.given) {
      if (strategy !== null && name !== strategy) continue;
      for (const [coin, amount] of Object.entries(inventory)) add(coin, parseUnits(amount));
      if (lessIn === null) continue;
      add(lessIn, negateUnits(parseUnits(inventoryValue[lessIn] ?? '0')));
      for (const [coin, amount] of Object.entries(unpriced[lessIn] ?? {}))
        add(coin, negateUnits(parseUnits(amount)));
    }
    for (const move of this.moves) add(move.asset, movedBy(move, strategy));
    for (const fill of this.fills.values()) {
      if (fill.strategy === null || (strategy !== null && fill.strategy !== strategy)) continue;
      for (const [currency, units] of effectOf(fill)) add(currency, units);
    }
    return sums;
  }

  /** Returns the coins of all strategies, and the wallets' money by the trades that the bot has read. */
  private withMoneyOf({ balances, ...truth }: ExchangeTruth): ReadonlyMap<string, bigint> {
    const sums = this.sumsOf(null);
    for (const quote of QUOTES) sums.set(quote, balances.get(quote)?.total ?? 0n);
    // By their ids nothing can be said: the exchange changes them.
    const add = (fill: Effect, sign: bigint): void => {
      for (const [currency, units] of effectOf(fill))
        if (QUOTES.includes(currency)) sums.set(currency, (sums.get(currency) ?? 0n) + sign * units);
    };
    const read = new Set(Array.from(this.fills.values(), (fill) => textOf(fill.venueOrderId, fill)));
    // Of those of others that no list shows any more the wallet alone tells.
    const own = new Set(namedOrders(truth, this.options.instance).map(({ order }) => order.id));
    const fills = truth.fills.filter(
      (fill) => fill.isUnlisted !== true || own.has(fill.orderId) || read.has(textOf(fill.orderId, fill)),
    );
    for (const fill of fills) add(fill, -1n);
    const orders = new Set(fills.map(({ orderId }) => String(orderId)));
    for (const fill of this.fills.values()) if (orders.has(String(fill.venueOrderId))) add(fill, 1n);
    return sums;
  }

  /** Returns the value of all sums in one currency; null if a price is missing or too old. */
  private worthOf(sums: ReadonlyMap<string, bigint>, into: string): bigint | null {
    let worth = 0n;
    for (const [currency, units] of sums) {
      const value = units === 0n ? 0n : this.convert(currency, units, into);
      if (value === null) return null;
      worth += value;
    }
    return worth;
  }

  private convert(currency: string, units: bigint, into: string): bigint | null {
    if (currency === into) return units;
    const bridge = this.youngPrice(BRIDGE);
    if (QUOTES.includes(currency)) {
      if (bridge === null) return null;
      return currency === 'usdt' ? (units * bridge) / UNITS_PER_ONE : (units * UNITS_PER_ONE) / bridge;
    }
    const [inRial, inTether] = [
      this.youngPrice(`${currency.toUpperCase()}IRT`),
      this.youngPrice(`${currency.toUpperCase()}USDT`),
    ];
    const direct = into === 'rls' ? inRial : inTether;
    if (direct !== null) return (units * direct) / UNITS_PER_ONE;
    const other = into === 'rls' ? inTether : inRial;
    if (other === null || bridge === null) return null;
    return into === 'rls'
      ? (units * other * bridge) / (UNITS_PER_ONE * UNITS_PER_ONE)
      : (units * other) / bridge;
  }

  private youngPrice(market: string): bigint | null {
    const { mid, midAtMs, latest, latestAtMs } = this.priceOf(market);
    const sinceMs = this.nowMs - OLDEST_PRICE_MS;
    if (mid !== null && midAtMs >= sinceMs) return mid;
    return latestAtMs >= sinceMs ? latest : null;
  }
}
