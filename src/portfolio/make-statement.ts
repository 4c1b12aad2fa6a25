import type { MarketNames } from '../domain/market-symbol.ts';
import { addUnits, negateUnits, NO_UNITS, subtractUnits, type Units } from '../domain/money.ts';
import { thirdCurrencyOf } from '../records/fill.ts';
import type { WalletTransaction } from '../venues/port.ts';
import {
  BalanceSeries,
  type StatementBalances,
  type RecordedBalances,
  type Unexplained,
  type RecordedRate,
  type StatementLine,
  type StatementMove,
  type StatementTrade,
  type MovementKind,
  StatementTotals,
} from './statement-line.ts';
import { ProfitBooks, type Realised } from './profit-books.ts';
import { movesOf } from './balance-books.ts';
import { LineMatcher } from './explaining-lines.ts';
import { madeOnce } from '../domain/retain-newest.ts';

/** Input of a statement. */
export interface StatementSource {
  readonly marketNames: MarketNames;
  /** Time from which every movement is known; earlier trades only give the cost of coins. */
  readonly beganAtMs: number;
  /** Returns the trades of the account, by rising time; equal at each call. */
  readonly trades: () => Iterable<StatementTrade>;
  readonly lines: readonly WalletTransaction[];
  /** Moves by rising time. */
  readonly moves: readonly StatementMove[];
  readonly describedKind: DescribedKind;
  /** Lines of wallets that the last record does not include yet, by currency and id. */
  readonly uncounted: ReadonlySet<string>;
  /** Records by rising time; the last one includes every movement. */
  readonly records: readonly RecordedBalances[];
  /** Closing prices of candles of the bridge, by rising time. */
  readonly closes: readonly RecordedRate[];
}

/** Period of a statement; the end is excluded. */
interface StatementPeriod {
  readonly fromMs: number;
  readonly toMs: number;
  /** Returns the month of a time, as text. */
  readonly monthOf: (atMs: number) => string;
}

export interface Statement {
  readonly totals: StatementTotals;
  /** Totals by month, in order; a month without movements is left out. */
  readonly months: ReadonlyMap<string, StatementTotals>;
  readonly balances: StatementBalances;
  readonly unexplained: readonly Unexplained[];
  /** Lowest balance by currency, if it is below zero: then an incoming amount is unknown. */
  readonly below: ReadonlyMap<string, { readonly balance: Units; readonly atMs: number }>;
  /** Number of lines described as a trade that is not known. */
  readonly unknownTrades: number;
  /** Number of trades before the statement's beginning, which give the cost of coins. */
  readonly earlierTrades: number;
}

/** Returns the key of a line in `uncounted`. */
export const lineKey = ({ currency, id }: Pick<WalletTransaction, 'currency' | 'id'>): string =>
  `${currency} ${id}`;

/** Makes a statement, and passes each of its lines to `onLine`, in order. */
export function makeStatement(
  source: StatementSource,
  period: StatementPeriod,
  onLine: (line: StatementLine) => void,
): Statement {
  return new StatementRun(source, period, onLine).run();
}

type Movement =
  | { readonly atMs: number; readonly line: WalletTransaction }
  | { readonly atMs: number; readonly unexplained: Unexplained }
  | { readonly atMs: number; readonly move: StatementMove };

class StatementRun {
  private readonly source: StatementSource;
  private readonly period: StatementPeriod;
  private readonly hand: (line: StatementLine) => void;
  private readonly books: ProfitBooks;
  private readonly rates: RecordedRates;
  private readonly balances = new Map<string, Units>();
  private readonly totals = new StatementTotals();
  private readonly months = new Map<string, StatementTotals>();
  private readonly below = new Map<string, { readonly balance: Units; readonly atMs: number }>();
  private hasBegun = false;
  private isOpen = false;
  private earlierTrades = 0;
  private unknownTrades = 0;

  constructor(source: StatementSource, period: StatementPeriod, onLine: (line: StatementLine) => void) {
    this.source = source;
    this.period = period;
    this.hand = onLine;
    this.books = new ProfitBooks(source.marketNames);
    this.rates = new RecordedRates(source.closes);
  }

  run(): Statement {
    const { beganAtMs, trades } = this.source;
    const { toMs } = this.period;
    const lines = new TradeLines(this.source.lines, this.source.describedKind);
    const balances = this.balancesOf(lines);
    const moves = this.source.moves.filter(({ atMs }) => atMs >= beganAtMs);
    const others = movementsOf(lines.rest(), balances.unexplained, moves);
    let next = 0;
    const applyOthers = (untilMs: number): void => {
      for (let other = others[next]; other !== undefined && other.atMs < untilMs; other = others[next]) {
        this.begin(balances);
        this.applyOther(other);
        next += 1;
      }
    };
    for (const trade of trades()) {
      if (trade.atMs >= toMs) break;
      if (trade.atMs >= beganAtMs) {
        applyOthers(trade.atMs);
        this.begin(balances);
      }
      this.applyTrade(trade);
    }
    applyOthers(toMs);
    this.begin(balances);
    this.openAll();
    return {
      totals: this.totals,
      months: this.months,
      balances,
      unexplained: balances.unexplained.filter((one) => this.isWithin(placeOf(one))),
      below: this.below,
      earlierTrades: this.earlierTrades,
      unknownTrades: this.unknownTrades,
    };
  }

  /** First pass over all movements: finds the lines of trades, and the course of the balances. */
  private balancesOf(lines: TradeLines): StatementBalances {
    const { beganAtMs, records, trades, uncounted } = this.source;
    const balances = new BalanceSeries(records);
    const sums: (readonly [string, Units])[] = [];
    for (const trade of trades()) {
      if (trade.atMs < beganAtMs) continue;
      for (const [currency, amount] of movesOf({ ...trade, ...trade.market })) {
        const isMatched = lines.match(currency, amount, trade.atMs);
        if (!isMatched && trade.isSum === true) sums.push([currency, amount]);
        balances.add(currency, amount, trade.atMs);
      }
    }
    // Sums get their lines after all single trades.
    for (const [currency, amount] of sums) lines.named.consumeSum(currency, amount);
    const last = new Map(records.at(-1)?.totals);
    for (const line of lines.rest()) {
      balances.add(line.currency, line.amount, line.atMs);
      if (uncounted.has(lineKey(line)))
        last.set(line.currency, addUnits(last.get(line.currency) ?? NO_UNITS, line.amount));
    }
    return balances.settle(last);
  }

  /** Sets the opening balances, whose cost is known only as far as earlier trades give it. */
  private begin({ opening }: StatementBalances): void {
    if (this.hasBegun) return;
    this.hasBegun = true;
    for (const [currency, balance] of opening) {
      this.balances.set(currency, balance);
      this.observe(currency, balance, this.source.beganAtMs);
      const held = this.books.heldOf(currency);
      if (balance > held) this.books.enter(currency, subtractUnits(balance, held));
      else if (held > balance && balance >= 0n) this.books.leave(currency, subtractUnits(held, balance));
    }
  }

  private applyTrade(trade: StatementTrade): void {
    const { atMs, market, side, amount, total, fee, feeCurrency } = trade;
    const { bridge } = this.source.marketNames;
    const isBridge = market.symbol === bridge.market;
    if (isBridge) this.rates.trade(trade.price, atMs);
    const rate = isBridge ? null : this.rates.at(atMs);
    const realised = this.books.book(trade, rate?.rate ?? null);
    if (atMs < this.source.beganAtMs) {
      this.earlierTrades += 1;
      return;
    }
    const [gave, got] = side === 'buy' ? [market.quote, market.base] : [market.base, market.quote];
    const [given, gotten] = side === 'buy' ? [total, amount] : [amount, total];
    const of = { atMs, trade, rate };
    const profitOf = (coin: string): Realised | null => realised.find((one) => one.coin === coin) ?? null;
    this.move({ ...of, kind: 'trade', currency: gave, amount: negateUnits(given), realised: profitOf(gave) });
    this.move({ ...of, kind: 'trade', currency: got, amount: gotten, realised: profitOf(got) });
    if (fee === 0n) return;
    const currency = feeCurrency ?? got;
    const loss = thirdCurrencyOf(trade, market) === null ? null : profitOf(currency);
    this.move({ ...of, kind: 'fee', currency, amount: negateUnits(fee), realised: loss });
  }

  private applyOther(movement: Movement): void {
    const { atMs } = movement;
    if ('move' in movement) {
      const { move } = movement;
      this.move({ atMs, kind: 'position', currency: move.asset, amount: NO_UNITS, move });
      return;
    }
    const line = 'line' in movement ? movement.line : null;
    const unexplained = 'unexplained' in movement ? movement.unexplained : null;
    const of = line ?? unexplained;
    if (of === null) return;
    const { currency, amount } = of;
    const kind = line === null ? 'unexplained' : kindOfLine(line, this.source.describedKind);
    if (line !== null && kind === 'unexplained' && this.isWithin(atMs)) this.unknownTrades += 1;
    // An amount in the margin wallet is still held, at the same cost.
    if (kind !== 'transfer' && amount > 0n) this.books.enter(currency, amount);
    else if (kind !== 'transfer') this.books.leave(currency, negateUnits(amount));
    this.move({ atMs, kind, currency, amount, line, unexplained });
  }

  private move(
    of: Pick<StatementLine, 'atMs' | 'kind' | 'currency' | 'amount'> &
      Partial<Pick<StatementLine, 'trade' | 'line' | 'unexplained' | 'move' | 'realised' | 'rate'>>,
  ): void {
    const { atMs, currency, amount } = of;
    const before = this.balances.get(currency) ?? NO_UNITS;
    if (this.isWithin(atMs)) this.openAll();
    const balance = addUnits(before, amount);
    this.balances.set(currency, balance);
    if (!this.isWithin(atMs)) return;
    this.observe(currency, balance, atMs);
    const line: StatementLine = {
      trade: null,
      line: null,
      unexplained: null,
      move: null,
      realised: null,
      rate: null,
      ...of,
      balance,
    };
    for (const totals of [this.totals, this.monthAt(atMs)]) {
      if (!totals.has(currency)) totals.open(currency, before);
      totals.add(line);
    }
    this.hand(line);
  }

  /** Opens every balance in the totals as the period begins, once. */
  private openAll(): void {
    if (this.isOpen) return;
    this.isOpen = true;
    for (const [currency, balance] of this.balances) this.totals.open(currency, balance);
  }

  private monthAt(atMs: number): StatementTotals {
    const name = this.period.monthOf(atMs);
    const totals = madeOnce(this.months, name, () => new StatementTotals());
    return totals;
  }

  private isWithin(atMs: number): boolean {
    return atMs >= this.period.fromMs && atMs < this.period.toMs;
  }

  private observe(currency: string, balance: Units, atMs: number): void {
    if (balance >= 0n || balance >= (this.below.get(currency)?.balance ?? NO_UNITS)) return;
    this.below.set(currency, { balance, atMs });
  }
}

/** Returns lines without a trade, unexplained changes, and moves by a person, by their time. */
function movementsOf(
  lines: readonly WalletTransaction[],
  unexplained: readonly Unexplained[],
  moves: readonly StatementMove[],
): readonly Movement[] {
  return [
    ...lines.map((line): Movement => ({ atMs: line.atMs, line })),
    ...unexplained.map((one): Movement => ({ atMs: placeOf(one), unexplained: one })),
    ...moves.map((move): Movement => ({ atMs: move.atMs, move })),
  ].toSorted((left, right) => left.atMs - right.atMs);
}

/** Returns the time at which an unexplained change counts: after the movements in the record. */
const placeOf = ({ throughMs, seenAtMs }: Pick<Unexplained, 'throughMs' | 'seenAtMs'>): number =>
  Number.isFinite(throughMs) ? throughMs : seenAtMs;

/** Age at which a price is too old to be used. */
const RATE_LASTS_MS = 86_400_000;

/** Returns the last recorded price of the bridge, for times that only rise. */
class RecordedRates {
  private readonly closes: readonly RecordedRate[];
  private next = 0;
  private last: RecordedRate | null = null;

  /** `closes`: closing prices of candles, each at the end of its candle, by rising time. */
  constructor(closes: readonly RecordedRate[]) {
    this.closes = closes;
  }

  /** Records a trade of the account in the bridge market. */
  trade(rate: Units, atMs: number): void {
    this.at(atMs);
    this.last = { rate, atMs, from: 'trade' };
  }

  /** Returns the last price at or before a time, at most a day old; null if none is recorded. */
  at(atMs: number): RecordedRate | null {
    for (;;) {
      const close = this.closes[this.next];
      if (close === undefined || close.atMs > atMs) break;
      if (this.last === null || close.atMs > this.last.atMs) this.last = close;
      this.next += 1;
    }
    return this.last === null || atMs - this.last.atMs > RATE_LASTS_MS ? null : this.last;
  }
}

/** Longest time between a trade and its line: a deposit of the same amount may come on any day. */
const LINE_WITHIN_MS = 3_600_000;

/** Returns the kind of a line by its description; null if the description names none of these. */
type DescribedKind = (description: string) => 'trade' | 'transfer' | 'outside' | null;

/** Gives lines to their trades: first those described as a trade, then those without a description. */
class TradeLines {
  readonly named: LineMatcher<WalletTransaction>;
  private readonly silent: LineMatcher<WalletTransaction>;
  private readonly others: readonly WalletTransaction[];

  constructor(lines: readonly WalletTransaction[], describedKind: DescribedKind) {
    const kinds = Map.groupBy(lines, ({ description }) => describedKind(description));
    this.named = new LineMatcher(kinds.get('trade') ?? [], LINE_WITHIN_MS);
    this.silent = new LineMatcher(kinds.get(null) ?? [], LINE_WITHIN_MS);
    this.others = [...(kinds.get('transfer') ?? []), ...(kinds.get('outside') ?? [])];
  }

  match(currency: string, amount: Units, atMs: number): boolean {
    return (this.named.match(currency, amount, atMs) ?? this.silent.match(currency, amount, atMs)) !== null;
  }

  /** Returns lines of no known trade. */
  rest(): readonly WalletTransaction[] {
    return [...this.others, ...this.named.rest(), ...this.silent.rest()];
  }
}

/** Returns the kind of a line of no known trade, by sign and description; a trade's is unexplained. */
function kindOfLine({ amount, description }: WalletTransaction, describedKind: DescribedKind): MovementKind {
  const kind = describedKind(description);
  if (kind === 'transfer') return kind;
  if (kind === 'trade') return 'unexplained';
  return amount > 0n ? 'deposit' : 'withdrawal';
}
