import type { Currency, MarketName, MarketNames } from '../domain/market-symbol.ts';
import {
  addUnits,
  multiplyUnits,
  negateUnits,
  NO_UNITS,
  subtractUnits,
  UNITS_PER_ONE,
  type Units,
  divideHalfEven,
} from '../domain/money.ts';
import { baseMoved, quoteMoved, thirdCurrencyOf } from '../records/fill.ts';
import type { VenueTrade } from '../domain/trade.ts';
import { madeOnce } from '../domain/retain-newest.ts';

/** Methods that assign a cost to a sale. */
export const COST_METHODS = ['average', 'fifo'] as const;

export type CostMethod = (typeof COST_METHODS)[number];

/** Result of a disposal by one method: its proceeds are the exact sum of the three. */
export interface RealisedPart {
  readonly cost: Units;
  readonly profit: Units;
  /** Proceeds of the amount without a recorded cost: its profit is unknown. */
  readonly uncosted: Units;
}

/** A disposal of a coin for a quote currency, or valued in it. */
export interface Realised {
  readonly coin: Currency;
  readonly in: Currency;
  readonly amount: Units;
  /** Proceeds after the fee. Null if tether was spent with no rate recorded, so that its value is unknown. */
  readonly proceeds: Units | null;
  /** Results by method. If `proceeds` is null, only their costs are valid. */
  readonly parts: Readonly<Record<CostMethod, RealisedPart>>;
}

/** The money of a trade, in units. */
export interface CostedTrade extends Pick<VenueTrade, 'side' | 'amount' | 'total' | 'fee' | 'feeCurrency'> {
  readonly market: Pick<MarketName, 'symbol' | 'base' | 'quote'>;
}

type Books = Readonly<Record<CostMethod, CostBook>>;

/**
 * Cost of every coin, in each quote currency separately, by average and by first in, first out. A trade in
 * one quote currency has its cost or proceeds in the other by the recorded rate of its time. Without a rate
 * they are unknown, and never guessed. Tether is a coin too, with cost and profit in rial: the bridge market
 * trades it, and markets priced in it spend and receive it.
 */
export class ProfitBooks {
  private readonly marketNames: MarketNames;
  private readonly books = new Map<string, Books>();

  constructor(marketNames: MarketNames) {
    this.marketNames = marketNames;
  }

  /** Returns the amount of a coin in the books. */
  heldOf(coin: Currency): Units {
    const [currency] = this.currenciesOf(coin);
    return currency === undefined ? NO_UNITS : this.booksOf(coin, currency).fifo.held;
  }

  /** Returns the cost of the holding, by method. */
  costOf(coin: Currency, currency: Currency): Readonly<Record<CostMethod, Units>> {
    const { average, fifo } = this.booksOf(coin, currency);
    return { average: average.cost, fifo: fifo.cost };
  }

  /** Books an amount that came without a trade: its cost is not recorded. */
  enter(coin: Currency, amount: Units): void {
    for (const currency of this.currenciesOf(coin)) this.acquire(coin, currency, { amount, cost: null });
  }

  /** Books an amount that left without a trade: its cost leaves with it, and nothing is realised. */
  leave(coin: Currency, amount: Units): void {
    for (const currency of this.currenciesOf(coin)) this.dispose(coin, currency, { amount, proceeds: null });
  }

  /**
   * Books a trade. `rate`: the recorded price of the bridge at its time; null if there is none. Returns the
   * realised results: of its coin, of tether that it spent, and of a third coin, whose cost a fee realises as
   * a loss.
   */
  book(trade: CostedTrade, rate: Units | null): readonly Realised[] {
    const { base, quote } = trade.market;
    const { bridge, otherQuote } = this.marketNames;
    const isBuy = trade.side === 'buy';
    const moved = baseMoved(trade, base);
    const given = quoteMoved(trade, quote);
    const money = isBuy ? negateUnits(given) : given;
    const worth = this.otherWorth(quote, money, rate);
    const realised: Realised[] = [];
    const others = this.currenciesOf(base).filter((currency) => currency !== quote);
    if (isBuy) {
      if (moved <= 0n) realised.push(lostToFee(base, quote, money));
      this.acquire(base, quote, { amount: moved, cost: money });
      for (const currency of others) this.acquire(base, currency, { amount: moved, cost: worth });
    } else {
      const amount = negateUnits(moved);
      realised.push(this.dispose(base, quote, { amount, proceeds: money }));
      for (const currency of others) this.dispose(base, currency, { amount, proceeds: null });
    }
    const third = thirdCurrencyOf(trade, trade.market);
    if (third !== null)
      for (const currency of this.currenciesOf(third)) {
        const loss = this.dispose(third, currency, { amount: trade.fee, proceeds: NO_UNITS });
        if (currency === quote || third === bridge.base) realised.push(loss);
      }
    if (quote !== bridge.base) return realised;
    const other = otherQuote(quote);
    if (isBuy) realised.push(this.dispose(quote, other, { amount: money, proceeds: worth }));
    else this.acquire(quote, other, { amount: money, cost: worth });
    return realised;
  }

  /** Returns the currencies of a coin's cost: none for rial, rial for tether. */
  private currenciesOf(coin: Currency): readonly Currency[] {
    const { quotes, bridge } = this.marketNames;
    if (coin === bridge.quote) return [];
    return coin === bridge.base ? [bridge.quote] : quotes.map(({ currency }) => currency);
  }

  /** Returns the value of a sum of one quote currency in the other. */
  private otherWorth(quote: Currency, units: Units, rate: Units | null): Units | null {
    if (rate === null || rate <= 0n) return null;
    if (quote === this.marketNames.bridge.base) return multiplyUnits(units, rate, divideHalfEven);
    return divideHalfEven(units * UNITS_PER_ONE, rate) as Units;
  }

  private acquire(
    coin: Currency,
    currency: Currency,
    { amount, cost }: { readonly amount: Units; readonly cost: Units | null },
  ): void {
    if (amount <= 0n) return;
    const { average, fifo } = this.booksOf(coin, currency);
    average.acquire(amount, cost);
    fifo.acquire(amount, cost);
  }

  private dispose(
    coin: Currency,
    currency: Currency,
    { amount, proceeds }: { readonly amount: Units; readonly proceeds: Units | null },
  ): Realised {
    const { average, fifo } = this.booksOf(coin, currency);
    const of = { amount, proceeds: proceeds ?? NO_UNITS };
    const parts = { average: partOf(average, of), fifo: partOf(fifo, of) };
    return { coin, in: currency, amount, proceeds, parts };
  }

  private booksOf(coin: Currency, currency: Currency): Books {
    const key = `${coin} ${currency}`;
    const books = madeOnce(this.books, key, () => ({ average: new AverageCost(), fifo: new FifoLots() }));
    return books;
  }
}

/** Returns the loss of a purchase whose whole amount went into its fee. */
function lostToFee(coin: Currency, currency: Currency, paid: Units): Realised {
  const part: RealisedPart = { cost: paid, profit: negateUnits(paid), uncosted: NO_UNITS };
  return { coin, in: currency, amount: NO_UNITS, proceeds: NO_UNITS, parts: { average: part, fifo: part } };
}

function partOf(
  book: CostBook,
  { amount, proceeds }: { readonly amount: Units; readonly proceeds: Units },
): RealisedPart {
  const { costed, cost } = book.dispose(amount);
  const ofCosted = (costed === amount ? proceeds : divideHalfEven(proceeds * costed, amount)) as Units;
  return { cost, profit: subtractUnits(ofCosted, cost), uncosted: subtractUnits(proceeds, ofCosted) };
}

/** Returns the sum of two results. */
export function addParts(left: RealisedPart, right: RealisedPart): RealisedPart {
  return {
    cost: addUnits(left.cost, right.cost),
    profit: addUnits(left.profit, right.profit),
    uncosted: addUnits(left.uncosted, right.uncosted),
  };
}

/** Part of a disposal with a recorded cost: its amount, and that cost. */
interface Disposal {
  readonly costed: Units;
  readonly cost: Units;
}

/** Holding of one coin and its cost in one currency, in units of each. */
export interface CostBook {
  readonly held: Units;
  /** Cost of the holding, as far as it is recorded. */
  readonly cost: Units;
  /** Adds an amount above zero; `cost` is null if none is recorded. */
  acquire(amount: Units, cost: Units | null): void;
  /** Removes an amount. An amount beyond the holding has no recorded cost. */
  dispose(amount: Units): Disposal;
}

/**
 * Average cost: every held unit costs the same. A disposal takes amounts with and without a recorded cost in
 * the proportion of the holding, half-even; the last unit takes the rest, so nothing is lost.
 */
export class AverageCost implements CostBook {
  private costed = NO_UNITS;
  private uncosted = NO_UNITS;
  cost = NO_UNITS;

  get held(): Units {
    return addUnits(this.costed, this.uncosted);
  }

  acquire(amount: Units, cost: Units | null): void {
    if (cost === null) this.uncosted = addUnits(this.uncosted, amount);
    else {
      this.costed = addUnits(this.costed, amount);
      this.cost = addUnits(this.cost, cost);
    }
  }

  dispose(amount: Units): Disposal {
    const { costed: before, held, cost } = this;
    const costed = amount >= held ? before : share(before, amount, held);
    const gone = costed === before ? cost : share(cost, costed, before);
    const uncosted = amount >= held ? this.uncosted : subtractUnits(amount, costed);
    this.costed = subtractUnits(before, costed);
    this.uncosted = subtractUnits(this.uncosted, uncosted);
    this.cost = subtractUnits(cost, gone);
    return { costed, cost: gone };
  }
}

interface Lot {
  amount: Units;
  cost: Units | null;
}

/** First in, first out. A lot that is sold in parts shares its cost by amount, half-even. */
export class FifoLots implements CostBook {
  /** Lots of the holding: one for each purchase that is not fully sold. */
  private lots: Lot[] = [];
  private first = 0;
  held = NO_UNITS;
  cost = NO_UNITS;

  acquire(amount: Units, cost: Units | null): void {
    this.lots.push({ amount, cost });
    this.held = addUnits(this.held, amount);
    this.cost = addUnits(this.cost, cost ?? NO_UNITS);
  }

  dispose(amount: Units): Disposal {
    let left = amount;
    let [costed, cost] = [NO_UNITS, NO_UNITS];
    while (left > 0n) {
      const lot = this.lots[this.first];
      if (lot === undefined) break;
      const used = left < lot.amount ? left : lot.amount;
      if (lot.cost !== null) {
        const gone = share(lot.cost, used, lot.amount);
        lot.cost = subtractUnits(lot.cost, gone);
        [costed, cost] = [addUnits(costed, used), addUnits(cost, gone)];
      }
      lot.amount = subtractUnits(lot.amount, used);
      left = subtractUnits(left, used);
      if (lot.amount === 0n) this.first += 1;
    }
    this.forgetSold();
    this.held = subtractUnits(this.held, subtractUnits(amount, left));
    this.cost = subtractUnits(this.cost, cost);
    return { costed, cost };
  }

  private forgetSold(): void {
    if (this.first < 1_000 || this.first * 2 < this.lots.length) return;
    this.lots = this.lots.slice(this.first);
    this.first = 0;
  }
}

const share = (of: Units, part: bigint, whole: bigint): Units =>
  (part === whole ? of : divideHalfEven(of * part, whole)) as Units;
