import type { Currency, MarketName, MarketNames } from '../domain/market-symbol.ts';
import {
  addUnits,
  multiplyUnits,
  negateUnits,
  NO_UNITS,
  subtractUnits,
  type Units,
  divideHalfEven,
} from '../domain/money.ts';
import {
  bookLeg,
  correctLeg,
  endsTrip,
  NO_HOLDING,
  type Holding,
  type Leg,
  marksWith,
  NEW_TRACK,
  rolled,
  TRACK_TO_BEGIN,
  type PnlTrack,
  addMoney,
  moneyIn,
  NO_MONEY,
  partOf,
  signOfMoney,
  subtractMoney,
  type QuoteMoney,
  valueIn,
  type PriceOf,
} from './holding.ts';
import { baseMoved, quoteMoved, thirdCurrencyOf, type FeeOfFill, type FillRecord } from '../records/fill.ts';

/** A trade of the strategy, in units of 1e-10. */
export interface LedgerTrade extends Pick<
  FillRecord,
  'side' | 'price' | 'amount' | 'total' | 'atMs' | keyof FeeOfFill
> {
  readonly market: Pick<MarketName, 'symbol' | 'base' | 'quote'>;
  /** The smallest amount of an order: a smaller holding is dust, and no position. */
  readonly leastAmount: Units;
}

/** Effect of the fills of one market: coin bought less sold, quote received less paid, after fees in them. */
export interface MarketFlow {
  readonly position: Units;
  readonly cash: Units;
}

const NO_FLOW: MarketFlow = { position: NO_UNITS, cash: NO_UNITS };

/** Coins that arrive (above zero) or leave (below) without a trade. */
export interface MovedCoins {
  readonly asset: string;
  readonly amount: Units;
  /** Market in which they count for limits of single markets. */
  readonly market: string;
  /** Price in the quote currency of the market; null: the current value. */
  readonly price: Units | null;
  readonly atMs: number;
}

/** Number of losing round trips in a row, of all assets together, and the end of the last of them. */
interface Streak {
  readonly lossesInARow: number;
  readonly lastLossAtMs: number | null;
}

/** State of a ledger. Maps are by asset, by market symbol and by currency. */
interface LedgerState {
  readonly holdings: Map<string, Holding>;
  readonly flows: Map<string, MarketFlow>;
  readonly prices: Map<string, { readonly price: Units; readonly atMs: number }>;
  readonly tracks: Map<Currency, PnlTrack>;
  /** Coins that the strategy was given to sell, less those that it gave back. */
  readonly inventory: Map<string, Units>;
  /** Value of those coins when they came, by currency. It is neither gain nor loss. */
  readonly inventoryValue: Map<Currency, Units>;
  /** Given coins without a price so far, by currency. They are valued at their first price. */
  readonly unpriced: Map<Currency, Map<string, Units>>;
  streak: Streak;
}

export interface AssetLedgerOptions {
  readonly marketNames: MarketNames;
  /** Currency in which costs are stored and profit is reported. */
  readonly currency: Currency;
  /** Currencies in which the result is tracked. */
  readonly quotes: ReadonlySet<Currency>;
  /** Returns true if the bot reads prices of a market, by its symbol. */
  readonly sees: (market: string) => boolean;
}

/**
 * Holdings and profit of one strategy, by asset. Its trades move assets: a purchase adds a coin and removes
 * the quote currency, and a coin bought in one market and sold in another is gone. The result in a currency
 * is the value of all that is held, that currency included: each asset once, by `valueIn` at its last price.
 * Costs are stored in the result currency. A trade in another currency is converted by the bridge at its
 * time. Before the first price of the bridge its cost stays in its own currency, and is converted at that
 * price. So results are always exact, and their split into realised and open depends on that price.
 */
export class AssetLedger {
  readonly currency: Currency;
  readonly marketNames: MarketNames;
  readonly state: LedgerState;
  /** Counter that rises with each trade and at `begin`: holdings change only then. */
  trades = 0;
  private readonly sees: (market: string) => boolean;
  private watched: readonly string[] = [];
  /** Number of assets and currencies for which `watched` was made: both only grow. */
  private watchedFor = 0;
  /** True if costs wait for the first price of the bridge. */
  private isPending = false;

  constructor({ marketNames, currency, quotes, sees }: AssetLedgerOptions) {
    this.marketNames = marketNames;
    this.currency = currency;
    this.sees = sees;
    this.state = {
      holdings: new Map(),
      flows: new Map(),
      prices: new Map(),
      tracks: new Map([...quotes].map((quote) => [quote, NEW_TRACK])),
      inventory: new Map(),
      inventoryValue: new Map(),
      unpriced: new Map(),
      streak: { lossesInARow: 0, lastLossAtMs: null },
    };
    this.watch();
  }

  /** Returns the last reported price of a market; before the first one, that of its first fill. */
  readonly priceOf: PriceOf = (market) => this.state.prices.get(market)?.price ?? null;

  /** Returns the holding of an asset over all markets; negative if more left than came in. */
  held(asset: string): Units {
    return this.state.holdings.get(asset)?.held ?? NO_UNITS;
  }

  /** Returns the amount of a coin that the strategy was given, less returns. */
  inventoryOf(asset: string): Units {
    return this.state.inventory.get(asset) ?? NO_UNITS;
  }

  /** True if the strategy was given coins that have no price in the result currency yet. */
  get waitsForPrices(): boolean {
    return this.state.unpriced.has(this.currency);
  }

  flowOf(market: string): MarketFlow {
    return this.state.flows.get(market) ?? NO_FLOW;
  }

  /**
   * Books coins that the strategy is given (above zero) or gives back (below), at their current value: that
   * is neither gain nor loss. `market`: where they count for limits of single markets.
   */
  applyInventory(coins: Omit<MovedCoins, 'price'>): void {
    const { asset, amount } = coins;
    this.state.inventory.set(asset, addUnits(this.inventoryOf(asset), amount));
    this.applyCoins({ ...coins, price: null });
  }

  /** Books coins that arrive (above zero) or leave (below) without a trade, at a price, without a gain. */
  applyCoins({ asset, amount, market, price, atMs }: MovedCoins): void {
    const { flows } = this.state;
    this.trades += 1;
    this.roll(atMs);
    const flow = this.flowOf(market);
    flows.set(market, { ...flow, position: addUnits(flow.position, amount) });
    this.give(asset, amount, this.valueAt(asset, amount, { market, price }));
    this.watch();
    this.settle();
    this.update();
  }

  /** Enters coins that arrive (above zero) or leave (below) at a value; null: at their first price. */
  private give(asset: string, amount: Units, value: Units | null): void {
    const { unpriced } = this.state;
    this.book(asset, { received: amount, paid: value === null ? NO_MONEY : moneyIn(this.currency, value) });
    for (const { currency } of this.marketNames.quotes) {
      if (currency === this.currency && value !== null) {
        this.addInventoryValue(currency, value);
        continue;
      }
      const waiting = unpriced.get(currency) ?? new Map<string, Units>();
      unpriced.set(currency, waiting.set(asset, addUnits(waiting.get(asset) ?? NO_UNITS, amount)));
    }
  }

  /** Books a fill. Pass each one once. A fill that was read late counts to the current day. */
  applyTrade(trade: LedgerTrade): void {
    this.move(trade, trade.leastAmount);
  }

  /** Books the difference between a fill as first booked and the right one; it ends no round trip. */
  correct(by: Omit<LedgerTrade, 'leastAmount'>): void {
    this.move(by, null);
  }

  /** Books a trade or a correction. `leastAmount`: null for a correction. */
  private move(trade: Omit<LedgerTrade, 'leastAmount'>, leastAmount: Units | null): void {
    const { market, price, atMs } = trade;
    const { symbol, base, quote } = market;
    const { unpriced, tracks } = this.state;
    this.trades += 1;
    this.roll(atMs);
    if (!this.state.prices.has(symbol)) {
      this.enterPrice(symbol, price, atMs);
      if (unpriced.size > 0) this.settleInventory();
    }
    const received = baseMoved(trade, base);
    const given = quoteMoved(trade, quote);
    const paid = negateUnits(given);
    const flow = this.flowOf(symbol);
    this.state.flows.set(symbol, {
      position: addUnits(flow.position, received),
      cash: addUnits(flow.cash, given),
    });
    const worth = base === this.currency ? moneyIn(base, received) : this.moneyOf(quote, paid);
    const third = trade.feeCurrency === null ? null : thirdCurrencyOf(trade, market);
    // A fee in a third currency is a cost of the coin, at the value that it had.
    const feeWorth = third === null ? null : this.worthOfFee(third, trade);
    const extra = feeWorth === null ? NO_MONEY : moneyIn(this.currency, feeWorth);
    const cost = feeWorth === null ? worth : addMoney(worth, extra);
    const after = leastAmount === null ? correctLeg : bookLeg;
    if (leastAmount === null) this.book(base, { received, paid: cost }, after);
    else this.bookCoin(base, { received, paid: cost }, { leastAmount, atMs });
    if (quote === this.currency) this.bookMoney(quote, given);
    else {
      const own = base === this.currency ? extra : NO_MONEY;
      this.book(quote, { received: given, paid: subtractMoney(own, worth) }, after);
    }
    if (third !== null)
      this.book(third, { received: negateUnits(trade.fee), paid: subtractMoney(NO_MONEY, extra) });
    if (trade.feeCurrency !== null) this.coverFee(trade.feeCurrency, trade.fee, feeWorth);
    if (!tracks.has(quote)) this.follow(quote);
    this.watch();
    if (unpriced.size > 0) this.settleInventory();
    if (this.isPending) this.settleCosts();
    this.update();
  }

  /**
   * Gives the strategy the part of a booked fee that it did not hold, at its value. That part was the
   * account's, and so the strategy never owes a coin.
   */
  private coverFee(asset: string, fee: Units, worth: Units | null): void {
    if (this.marketNames.quotes.some(({ currency }) => currency === asset)) return;
    const owed = negateUnits(this.held(asset));
    if (owed <= 0n || fee <= 0n) return;
    const lacking = owed < fee ? owed : fee;
    const share = worth === null ? null : (divideHalfEven(worth * lacking, fee) as Units);
    this.give(asset, lacking, share ?? this.worthOf(asset, lacking));
  }

  /** Returns a fee in a third currency in the result currency; null if it has no price. */
  private worthOfFee(
    third: string,
    { market, fee, feeValue }: Omit<LedgerTrade, 'leastAmount'>,
  ): Units | null {
    if (third === this.currency) return fee;
    return feeValue === null ? null : this.worthOf(market.quote, feeValue);
  }

  /** Applies the prices of markets that value its assets. Returns true if that changed or gave values. */
  applyPrices(priceOf: PriceOf, atMs: number): boolean {
    const isNewDay = this.roll(atMs);
    let isChanged = false;
    for (const market of this.watched) {
      const price = priceOf(market);
      if (price !== null && this.enterPrice(market, price, atMs)) isChanged = true;
    }
    if (!isChanged) return isNewDay;
    const isValued = this.settle();
    return this.update() || isNewDay || isValued;
  }

  /** Applies the price of the bridge alone, which converts fills in another currency. */
  applyBridge(priceOf: PriceOf, atMs: number): void {
    const bridge = this.marketNames.bridge.market;
    const price = this.sees(bridge) ? priceOf(bridge) : null;
    if (price !== null) this.enterPrice(bridge, price, atMs);
  }

  /** Returns the results in all tracked currencies, including a market's quote currency. */
  tracksAt(nowMs: number, quote: Currency): ReadonlyMap<Currency, PnlTrack> {
    if (!this.state.tracks.has(quote)) this.follow(quote);
    this.roll(nowMs);
    return this.state.tracks;
  }

  /** Computes results from a state that was set from outside; call it after a restore. */
  begin(): void {
    this.trades += 1;
    this.isPending = true;
    this.watch();
    this.settle();
    this.update();
  }

  private follow(quote: Currency): void {
    this.state.tracks.set(quote, TRACK_TO_BEGIN);
    this.watch();
    this.update();
  }

  /** Returns a sum of a quote currency in the result currency; in its own if it cannot be converted yet. */
  private moneyOf(quote: Currency, units: Units): QuoteMoney {
    const worth = valueIn(this.currency, { asset: quote, amount: units }, this);
    if (worth !== null) return moneyIn(this.currency, worth);
    this.isPending = true;
    return moneyIn(quote, units);
  }

  /** Books the coin's side of a trade. Only coins have round trips. */
  private bookCoin(
    asset: string,
    leg: Leg,
    { leastAmount, atMs }: Pick<LedgerTrade, 'leastAmount' | 'atMs'>,
  ): void {
    const before = this.state.holdings.get(asset) ?? NO_HOLDING;
    this.book(asset, leg);
    const after = this.state.holdings.get(asset) ?? NO_HOLDING;
    if (asset === this.currency || !endsTrip(before, after, leastAmount)) return;
    const sign = signOfMoney(subtractMoney(after.realised, after.tripBeganWith));
    this.state.holdings.set(asset, { ...after, tripBeganWith: after.realised });
    if (sign === null) return;
    const { streak } = this.state;
    this.state.streak =
      sign < 0
        ? { lossesInARow: streak.lossesInARow + 1, lastLossAtMs: atMs }
        : { ...streak, lossesInARow: 0 };
  }

  private book(asset: string, leg: Leg, after = bookLeg): void {
    const { holdings } = this.state;
    if (asset === this.currency) this.bookMoney(asset, leg.received);
    else holdings.set(asset, after(holdings.get(asset) ?? NO_HOLDING, leg));
  }

  /** Books the money's side of a trade. The result currency costs its own amount. */
  private bookMoney(currency: Currency, received: Units): void {
    const { holdings } = this.state;
    const before = holdings.get(currency) ?? NO_HOLDING;
    holdings.set(currency, { ...before, held: addUnits(before.held, received) });
  }

  private enterPrice(market: string, price: Units, atMs: number): boolean {
    const { prices } = this.state;
    if (price <= 0n || prices.get(market)?.price === price) return false;
    prices.set(market, { price, atMs });
    return true;
  }

  private roll(atMs: number): boolean {
    let isNewDay = false;
    for (const [quote, track] of this.state.tracks) {
      const marks = rolled(track.marks, atMs);
      if (marks === track.marks) continue;
      isNewDay = true;
      this.state.tracks.set(quote, { ...track, marks });
    }
    return isNewDay;
  }

  /** Computes the results again. Returns true if a highest result has changed. */
  private update(): boolean {
    let isHigher = false;
    for (const [quote, track] of this.state.tracks) {
      const result = this.resultIn(quote);
      const isKnown = typeof result === 'bigint';
      const marks = isKnown ? marksWith(track.marks, result) : track.marks;
      const unvalued = isKnown ? NONE : result;
      if (marks === track.marks && isKnown && track.unvalued.length === 0) continue;
      if (marks.peakResult !== track.marks.peakResult) isHigher = true;
      this.state.tracks.set(quote, { marks, unvalued });
    }
    return isHigher;
  }

  /** Returns the result, or the assets that have no price in the currency. */
  private resultIn(quote: Currency): Units | readonly string[] {
    const { holdings, inventoryValue, unpriced } = this.state;
    let sum = negateUnits(inventoryValue.get(quote) ?? NO_UNITS);
    const waiting = unpriced.get(quote);
    let unvalued: string[] | null = waiting === undefined ? null : [...waiting.keys()];
    for (const [asset, { held }] of holdings) {
      const value = valueIn(quote, { asset, amount: held }, this);
      if (value === null && waiting?.has(asset) !== true) (unvalued ??= []).push(asset);
      else if (value !== null) sum = addUnits(sum, value);
    }
    return unvalued ?? sum;
  }

  /**
   * Converts waiting costs to the result currency, if possible. Digits lost in rounding stay with the other
   * quote currency. Returns true if given coins were valued.
   */
  private settle(): boolean {
    const isValued = this.settleInventory();
    if (this.isPending) this.settleCosts();
    return isValued;
  }

  private settleCosts(): void {
    const { currency, marketNames } = this;
    const other = marketNames.otherQuote(currency);
    if (this.priceOf(marketNames.bridge.market) === null) return;
    this.isPending = false;
    const { holdings } = this.state;
    let owed = subtractUnits(this.held(currency), this.state.inventoryValue.get(currency) ?? NO_UNITS);
    for (const [asset, holding] of holdings) {
      if (asset === currency) continue;
      const cost = this.turned(holding.cost, other);
      const realised = this.turned(holding.realised, other);
      holdings.set(asset, {
        ...holding,
        cost,
        realised,
        tripBeganWith: this.turned(holding.tripBeganWith, other),
      });
      owed = subtractUnits(owed, subtractUnits(partOf(realised, currency), partOf(cost, currency)));
    }
    const money = holdings.get(other);
    if (money === undefined) return;
    holdings.set(other, { ...money, realised: addMoney(money.realised, moneyIn(currency, owed)) });
  }

  /** Values given coins at their first price, in each currency. Returns true if it has valued any. */
  private settleInventory(): boolean {
    const { holdings, unpriced } = this.state;
    let isValued = false;
    for (const [currency, waiting] of unpriced) {
      for (const [asset, amount] of waiting) {
        const value = valueIn(currency, { asset, amount }, this);
        if (value === null) continue;
        waiting.delete(asset);
        isValued = true;
        this.addInventoryValue(currency, value);
        if (currency !== this.currency) continue;
        const holding = holdings.get(asset) ?? NO_HOLDING;
        const money = moneyIn(currency, value);
        holdings.set(
          asset,
          holding.held > 0n
            ? { ...holding, cost: addMoney(holding.cost, money) }
            : { ...holding, realised: subtractMoney(holding.realised, money) },
        );
      }
      if (waiting.size === 0) unpriced.delete(currency);
    }
    return isValued;
  }

  private addInventoryValue(currency: Currency, value: Units): void {
    const { inventoryValue } = this.state;
    inventoryValue.set(currency, addUnits(inventoryValue.get(currency) ?? NO_UNITS, value));
  }

  private turned(money: QuoteMoney, other: Currency): QuoteMoney {
    const part = partOf(money, other);
    if (part === 0n) return money;
    const worth = this.worthOf(other, part);
    return worth === null ? money : moneyIn(this.currency, addUnits(partOf(money, this.currency), worth));
  }

  private valueAt(
    asset: string,
    amount: Units,
    { market, price }: Pick<MovedCoins, 'market' | 'price'>,
  ): Units | null {
    if (price === null) return this.worthOf(asset, amount);
    const { quote } = this.marketNames.parseMarket(market);
    return this.worthOf(quote, multiplyUnits(amount, price, divideHalfEven));
  }

  /** Returns an amount in the result currency; null if it cannot be converted yet. */
  private worthOf(asset: string, units: Units): Units | null {
    return valueIn(this.currency, { asset, amount: units }, this);
  }

  /** Updates the list of markets whose prices are needed. */
  private watch(): void {
    const { holdings, tracks } = this.state;
    if (this.watchedFor === holdings.size + tracks.size) return;
    this.watchedFor = holdings.size + tracks.size;
    const { bridge, symbolIn } = this.marketNames;
    const { base, quote } = bridge;
    const wanted = new Set<string>();
    for (const asset of holdings.keys()) {
      if (asset === quote) continue;
      wanted.add(symbolIn(asset, quote));
      if (asset !== base) wanted.add(symbolIn(asset, base));
    }
    if (tracks.size > 1 || (holdings.has(quote) && holdings.has(base))) wanted.add(bridge.market);
    this.watched = [...wanted].filter(this.sees);
  }
}

const NONE: readonly string[] = [];
