import { EnginePart } from '../engine-settings.ts';
import type { BalanceBooks } from '../../portfolio/balance-books.ts';
import type { Market } from '../../domain/market.ts';
import type { MarketNames } from '../../domain/market-symbol.ts';
import { addUnits, formatUnits, NO_UNITS, subtractUnits, type Units, divideUp } from '../../domain/money.ts';
import type { Side } from '../../domain/order.ts';
import { joinSentences, sentence, type Sentence } from '../../language/sentence.ts';
import { claimsOn, paymentFor, worstPrice } from '../orders/claims.ts';
import { unguardedOf } from '../bracket-stock.ts';
import { type OrderRecord, isFinal } from '../../records/order.ts';
import type { WantedOrder } from './risk-view.ts';
import type { AccountState } from '../feeds/account-state.ts';
import type { OrderTable } from '../orders/order-table.ts';
import type { StrategyInstance } from '../strategy-instance.ts';
import { openRest } from '../live-exposure.ts';
import type { Algorithm } from '../algorithm-json.ts';

/** Returns the configuration line that lets a strategy sell a missing amount of an asset. */
export function inventoryLine(instance: StrategyInstance, asset: string, missing: Units): string {
  const isQuote = instance.marketNames.quotes.some(({ currency }) => currency === asset);
  const given = addUnits(instance.givenCoins.get(asset) ?? NO_UNITS, missing);
  return `${isQuote ? 'capital' : 'inventory'}: { ${asset}: '${formatUnits(given)}' }`;
}

/** A running algorithm, with the fields that its claim depends on. */
export interface ClaimingWork {
  readonly intentId: string;
  readonly instance: StrategyInstance;
  readonly market: string;
  readonly algorithm: Algorithm;
  readonly orders: ReadonlyMap<string, OrderRecord>;
}

interface ReservationsOptions {
  readonly table: OrderTable;
  readonly account: AccountState;
  readonly instances: readonly StrategyInstance[];
  readonly marketNames: MarketNames;
  /** Returns a market by its symbol; null if it is not followed. */
  readonly marketOf: (symbol: string) => Market | null;
  /** Gives the balance expected from all trades that were read; null while the books have not begun. */
  readonly books: Pick<BalanceBooks, 'expectedOf'>;
  readonly works: () => Iterable<ClaimingWork>;
  /** Returns the amount of an asset that running transfers may use. */
  readonly leaving: (asset: string) => Units;
  /** Returns the price that a market order of a side would pay; null while none is known. */
  readonly bestFor: (market: string, side: Side) => Units | null;
  /** True if the venue pushes every change of its only account, so that nobody else holds anything. */
  readonly isPushed: boolean;
}

/** Part of one reading of a wallet that our own orders do not explain. */
interface Others {
  /** Amount held for orders by hand and for withdrawals. */
  readonly held: Units;
  /** Amount missing from the wallet beyond what our orders may have paid. */
  readonly gone: Units;
}

type Claims = ReadonlyMap<string, Units | null>;

const NO_CLAIMS: Claims = new Map();
const NO_OTHERS: Others = { held: NO_UNITS, gone: NO_UNITS };

/**
 * Amounts that every strategy may still spend, so that two never spend the same money. They are not stored:
 * they follow from the books, the last reading of the wallets, the live orders and the running algorithms,
 * all of which a restart restores.
 *
 * - An order's amount is reserved from its plan until its last fill was read. The exchange's hold is not
 *   used, since a reading shows it earlier or later. A hold beyond our own orders belongs to somebody else.
 * - A strategy with capital spends no more than the rest of it; the others share the account's money.
 * - A strategy sells the coins that it has bought and those that it was given, and no others of the account.
 *   A quote currency of its markets is money to it, not a coin.
 */
export class Reservations extends EnginePart<ReservationsOptions> {
  /** Amounts of others in the last reading, by asset. */
  private readonly others = new Map<string, Others>();
  /** List of live orders for which `claims` was computed; null before. */
  private counted: readonly OrderRecord[] | null = null;
  private readonly claims = new Map<string, Claims>();
  private readonly isShared: boolean;

  constructor(options: ReservationsOptions) {
    super(options);
    this.isShared = options.instances.length > 1;
    if (!options.isPushed) options.account.listen(this.onReading);
  }

  /**
   * Returns the amount of an asset that a strategy may spend now, in units, at least zero. `except`: the
   * intent of an algorithm whose own unplaced rest is not to be counted against it.
   */
  spendable(instance: StrategyInstance, asset: string, except: string | null = null): Units {
    const claims = this.claimsOf(asset);
    const works = this.worksOn(asset, except);
    const account = this.left(asset, claims, works);
    if (account === null) return NO_UNITS;
    const owned = this.ownedOf(instance, asset);
    const own = owned === null ? null : subtractUnits(owned, claimOf(instance.name, claims, works));
    const shared = this.isShared
      ? subtractUnits(account, this.coinsOfOthers(instance, asset, { claims, works }))
      : account;
    const spendable = own !== null && own < shared ? own : shared;
    return spendable > 0n ? spendable : NO_UNITS;
  }

  /**
   * Returns the amount of an asset that a strategy may sell with an order of its own now. The exchange
   * decides if the coins that it owns are still in the wallet.
   */
  freeToSell(instance: StrategyInstance, asset: string, except: string | null = null): Units {
    return isMoneyOf(instance, asset)
      ? this.spendable(instance, asset, except)
      : this.unclaimed(instance, asset, except);
  }

  /** True if a strategy may spend all free money: nothing is reserved or belongs to others. */
  isFree(instance: StrategyInstance, asset: string): boolean {
    const { table, instances, works } = this.options;
    if (!isMoneyOf(instance, asset)) return false;
    if (this.isShared || table.live.length > 0 || !this.options.isPushed) return false;
    for (const { settings } of instances) if (Object.keys(settings.capital).length > 0) return false;
    for (const work of works()) return work === null;
    return true;
  }

  /** Returns why an order would spend more than its strategy has; null if it may go. */
  objectionTo(instance: StrategyInstance, order: WantedOrder, intentId: string): Sentence | null {
    const { market, side, amount, price, stopPrice } = order;
    const reference = price ?? stopPrice ?? this.options.bestFor(market.symbol, side);
    if (side === 'buy' && reference === null) return null;
    const asset = side === 'buy' ? market.quote : market.base;
    const needed = paymentFor(side, amount, reference ?? NO_UNITS);
    return this.objectionToPayment(instance, { asset, side, needed, intentId });
  }

  /** Returns why an algorithm would spend more than its strategy has, with all its orders; null if not. */
  objectionToAlgorithm(
    instance: StrategyInstance,
    of: { readonly market: string; readonly algorithm: Algorithm; readonly orders: readonly OrderRecord[] },
  ): Sentence | null {
    const unplaced = unplacedOf(of.algorithm, of.orders);
    if (unplaced === null) return null;
    const { side } = unplaced;
    const needed = this.paymentOf(of.market, unplaced, false);
    if (needed === null) return null;
    const asset = this.assetOf(of.market, side);
    return this.objectionToPayment(instance, { asset, side, needed, intentId: null });
  }

  private objectionToPayment(
    instance: StrategyInstance,
    of: {
      readonly asset: string;
      readonly side: Side;
      readonly needed: Units;
      readonly intentId: string | null;
    },
  ): Sentence | null {
    const { asset, side, needed, intentId } = of;
    const spendable =
      side === 'sell'
        ? this.freeToSell(instance, asset, intentId)
        : this.spendable(instance, asset, intentId);
    if (needed <= spendable) return null;
    return this.announce(instance, { asset, needed, spendable, intentId });
  }

  /** Returns why an amount is not enough, with everything that uses part of it. */
  announce(
    instance: StrategyInstance,
    of: {
      readonly asset: string;
      readonly needed: Units;
      readonly spendable: Units;
      readonly intentId: string | null;
    },
  ): Sentence {
    const { asset, needed, spendable, intentId } = of;
    const claims = this.claimsOf(asset);
    const works = this.worksOn(asset, intentId);
    const others = this.others.get(asset) ?? NO_OTHERS;
    const parts = [sentence('funds-account', { amount: formatUnits(this.totalOf(asset)) })];
    const own = this.ownedOf(instance, asset);
    const isCoin = !isMoneyOf(instance, asset);
    if (own !== null) {
      const of = { strategy: instance.name, amount: formatUnits(own) };
      parts.push(isCoin ? sentence('funds-coins', of) : sentence('funds-capital', of));
    }
    if (others.held > 0n) parts.push(sentence('funds-others', { amount: formatUnits(others.held) }));
    if (others.gone > 0n) parts.push(sentence('funds-gone', { amount: formatUnits(others.gone) }));
    for (const { name } of this.options.instances) {
      const claim = claims.get(name);
      if (claim === null) parts.push(sentence('funds-unknown', { strategy: name }));
      const sum = claimOf(name, claims, works);
      if (sum > 0n) parts.push(sentence('funds-reserved', { strategy: name, amount: formatUnits(sum) }));
    }
    const leaving = this.options.leaving(asset);
    if (leaving > 0n) parts.push(sentence('funds-leaving', { amount: formatUnits(leaving) }));
    const coins = this.coinsOfOthers(instance, asset, { claims, works });
    if (coins > 0n) parts.push(sentence('funds-bought', { amount: formatUnits(coins) }));
    if (isCoin && own !== null && needed > own)
      parts.push(
        sentence('funds-inventory', {
          missing: formatUnits(subtractUnits(needed, own)),
          line: inventoryLine(instance, asset, subtractUnits(needed, own)),
        }),
      );
    return sentence('funds', {
      spendable: `${formatUnits(spendable)} ${asset.toUpperCase()}`,
      needed: formatUnits(needed),
      parts: joinSentences('listed', parts),
    });
  }

  /** Returns the account's amount of an asset that nobody has claimed; null if unknown. */
  private left(asset: string, claims: Claims, works: ReadonlyMap<string, Units>): Units | null {
    const others = this.others.get(asset) ?? NO_OTHERS;
    let left = subtractUnits(subtractUnits(this.totalOf(asset), others.held), others.gone);
    for (const claim of claims.values()) {
      if (claim === null) return null;
      left = subtractUnits(left, claim);
    }
    for (const claim of works.values()) left = subtractUnits(left, claim);
    return subtractUnits(left, this.options.leaving(asset));
  }

  /** Returns the account's amount of an asset, less what manual orders and withdrawals hold. */
  ofAccount(asset: string): Units {
    const { held, gone } = this.others.get(asset) ?? NO_OTHERS;
    return subtractUnits(subtractUnits(this.totalOf(asset), held), gone);
  }

  private totalOf(asset: string): Units {
    return (this.options.books.expectedOf(asset) ?? this.options.account.totalOf(asset)) as Units;
  }

  /**
   * Returns the amount of an asset that a strategy owns: its coins, or its capital and what its trades made
   * of it. Null if it shares the account's money.
   */
  private ownedOf(instance: StrategyInstance, asset: string): Units | null {
    if (!isMoneyOf(instance, asset)) return instance.position(asset);
    return instance.moneyOf(asset);
  }

  /** Returns the amount of a coin that a strategy owns and is not selling yet. */
  unclaimed(instance: StrategyInstance, asset: string, except: string | null = null): Units {
    const claim = claimOf(instance.name, this.claimsOf(asset), this.worksOn(asset, except));
    return aboveZero(instance.held(asset) - claim);
  }

  /** Returns the coins that the other strategies own, without those that they are selling already. */
  private coinsOfOthers(
    instance: StrategyInstance,
    asset: string,
    { claims, works }: { readonly claims: Claims; readonly works: ReadonlyMap<string, Units> },
  ): Units {
    let sum = NO_UNITS;
    for (const other of this.options.instances) {
      if (other === instance || isMoneyOf(other, asset)) continue;
      const reserved = subtractUnits(other.held(asset), claimOf(other.name, claims, works));
      if (reserved > 0n) sum = addUnits(sum, reserved);
    }
    return sum;
  }

  private claimsOf(asset: string): Claims {
    const { table } = this.options;
    if (table.live.length === 0) return NO_CLAIMS;
    const orders = table.unfinished();
    if (orders !== this.counted) {
      this.counted = orders;
      this.claims.clear();
    }
    let claims = this.claims.get(asset);
    if (claims === undefined) {
      claims = claimsOn(asset, orders, this.options);
      this.claims.set(asset, claims);
    }
    return claims;
  }

  /** Returns the amount of an asset that algorithms will still use, by strategy. */
  private worksOn(asset: string, except: string | null): ReadonlyMap<string, Units> {
    const sums = new Map<string, Units>();
    const add = ({ name }: StrategyInstance, amount: Units | null): void => {
      if (amount !== null && amount > 0n) sums.set(name, addUnits(sums.get(name) ?? NO_UNITS, amount));
    };
    for (const { intentId, instance, market, algorithm, orders } of this.options.works()) {
      if (intentId === except) continue;
      const list = [...orders.values()];
      if (algorithm.kind === 'bracket' && this.assetOf(market, 'sell') === asset)
        add(instance, unguardedOf(algorithm, list));
      const unplaced = unplacedOf(algorithm, list);
      if (unplaced === null || this.assetOf(market, unplaced.side) !== asset) continue;
      add(instance, this.paymentOf(market, unplaced, true));
    }
    return sums;
  }

  /** Returns what an unplaced order will pay, or with `isWorst` may pay; null while no price is known. */
  private paymentOf(
    market: string,
    { side, amount, price, reserved }: Unplaced,
    isWorst: boolean,
  ): Units | null {
    const best = side === 'sell' ? NO_UNITS : (price ?? this.options.bestFor(market, side));
    if (best === null) return null;
    const payment = paymentFor(
      side,
      amount,
      price === null && isWorst ? worstPrice(best, this.options.marketOf(market)?.priceStep ?? null) : best,
    );
    return aboveZero(payment - reserved);
  }

  private assetOf(market: string, side: Side): string {
    const { base, quote } = this.options.marketNames.parseMarket(market);
    return side === 'buy' ? quote : base;
  }

  /**
   * Applies a reading of the wallets: amounts that our orders do not explain belong to others until the next.
   * Orders with unread fills may explain a missing amount, but not one that was missing before.
   */
  private readonly onReading = (): void => {
    const { account, table, books, leaving } = this.options;
    const before = new Map(this.others);
    this.others.clear();
    const sent = table.unfinished().filter(({ state }) => state !== 'planned');
    for (const { currency, total, held } of account.readings) {
      const own = sumOf(claimsOn(currency, sent, this.options));
      if (own === null) continue;
      const missing = (books.expectedOf(currency) ?? total) - total;
      const { gone: goneBefore } = before.get(currency) ?? NO_OTHERS;
      const stillGone = goneBefore < missing ? goneBefore : missing;
      const unexplained = missing - own - leaving(currency);
      this.others.set(currency, {
        held: aboveZero(held - own),
        gone: aboveZero(unexplained > stillGone ? unexplained : stillGone),
      });
    }
  };
}

/** True if an asset is a quote currency of a strategy's markets: money to it, not a coin. */
function isMoneyOf({ quotes }: StrategyInstance, asset: string): boolean {
  for (const quote of quotes) if (quote === asset) return true;
  return false;
}

/** Returns the amount that orders and algorithms of a strategy use. */
function claimOf(strategy: string, claims: Claims, works: ReadonlyMap<string, Units>): Units {
  return addUnits(claims.get(strategy) ?? NO_UNITS, works.get(strategy) ?? NO_UNITS);
}

function sumOf(claims: Claims): Units | null {
  let sum = NO_UNITS;
  for (const claim of claims.values()) {
    if (claim === null) return null;
    sum = addUnits(sum, claim);
  }
  return sum;
}

function aboveZero(units: bigint): Units {
  return (units > 0n ? units : 0n) as Units;
}

/** Order that an algorithm may still place beyond its existing orders. */
interface Unplaced extends Pick<OrderRecord, 'side' | 'amount' | 'price'> {
  /** Part of it that the order being replaced has already reserved, in the currency paid with. */
  readonly reserved: Units;
}

/**
 * Returns what an algorithm is certain to place later, without its live orders, which are counted separately;
 * null if nothing. Only what it was created for: a target and a set of quotes place everything at once, a
 * purchase of a DCA comes at its time, and an exit sells what its bracket has bought.
 */
function unplacedOf(algorithm: Algorithm, orders: readonly OrderRecord[]): Unplaced | null {
  switch (algorithm.kind) {
    case 'twap':
    case 'vwap':
    case 'iceberg': {
      const { side, amount, price, tally } = algorithm;
      return some(side, amount - tally.filled - filledSince(tally.countedKey, orders), price);
    }
    case 'peg': {
      const { side, amount, bound, tally } = algorithm;
      return some(side, amount - tally.filled - filledSince(tally.countedKey, orders), bound);
    }
    case 'ladder':
      return rungsLeft(algorithm, orders);
    case 'expiring': {
      const { side, amount, price, stopPrice, isPlaced } = algorithm;
      return isPlaced ? null : some(side, amount, price ?? stopPrice);
    }
    case 'bracket': {
      const { entry } = algorithm.terms;
      if (entry === null || algorithm.entry !== 'planned') return null;
      return some('buy', entry.amount, entry.price);
    }
    case 'replace':
      return replacement(algorithm, orders);
    case 'quotes':
    case 'target':
    case 'dca':
    case 'targets':
      return null;
  }
}

function some(side: Side, amount: bigint, price: Units | null): Unplaced | null {
  return amount <= 0n ? null : { side, amount: amount as Units, price, reserved: NO_UNITS };
}

/** Returns the amount that orders not counted yet have filled or may still fill. */
function filledSince(countedKey: string | null, orders: readonly OrderRecord[]): bigint {
  const first = countedKey === null ? 0 : orders.findLastIndex(({ key }) => key === countedKey) + 1;
  return orders.slice(first).reduce((sum, order) => sum + order.filled + openRest(order), 0n);
}

/** Returns the rungs that are not placed yet as one order, at their average price. */
function rungsLeft(
  { side, rungs, nextRung, isAsked, keys }: Extract<Algorithm, { kind: 'ladder' }>,
  orders: readonly OrderRecord[],
): Unplaced | null {
  const isThere = isAsked && orders.some(({ key }) => !keys.includes(key));
  const left = rungs.slice(isThere ? nextRung + 1 : nextRung);
  const amount = left.reduce((sum, rung) => sum + rung.amount, 0n);
  if (amount === 0n) return null;
  const cost = left.reduce((sum, rung) => sum + rung.amount * rung.price, 0n);
  return some(side, amount, divideUp(cost, amount) as Units);
}

/** Returns the new order of a replacement and what the old one has reserved; null once it exists. */
function replacement(
  { replacedKey, side, price, amount }: Extract<Algorithm, { kind: 'replace' }>,
  orders: readonly OrderRecord[],
): Unplaced | null {
  if (orders.some(({ key }) => key !== replacedKey)) return null;
  const old = orders.find(({ key }) => key === replacedKey);
  if (old === undefined) return null;
  const rest = subtractUnits(amount, old.filled);
  if (isFinal(old) || rest <= 0n) return some(side, rest, price);
  const reserved = paymentFor(side, openRest(old), old.price ?? NO_UNITS);
  return { side, amount: rest, price, reserved };
}
