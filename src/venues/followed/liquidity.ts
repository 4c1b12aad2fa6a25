import type { LiquidityModel } from '../liquidity-model.ts';
import type { FollowedSide } from './followed-side.ts';

interface Taken {
  amount: number;
  /** Amount that the recorded book showed there when we took. */
  readonly shown: number;
}

/**
 * Amounts available to us on one side of the recorded book: less our own fills, and less those of others
 * since the book was recorded.
 */
export class Liquidity {
  readonly side: FollowedSide;
  private readonly rule: LiquidityModel['liquidity'];
  /**
   * By price. As many as the levels of a book at most, for those that a new book does not show are forgotten.
   */
  private readonly taken = new Map<number, Taken>();
  /** The worst price that others have taken from since the last book, and how much there; 0: none. */
  private tradedPrice = 0;
  private tradedAmount = 0;

  constructor(side: FollowedSide, rule: LiquidityModel['liquidity']) {
    this.side = side;
    this.rule = rule;
  }

  get isUntouched(): boolean {
    return this.taken.size === 0;
  }

  /** A new book is shown. */
  onBook(): void {
    this.tradedPrice = 0;
    this.tradedAmount = 0;
    if (this.taken.size === 0) return;
    if (this.rule === 'next-book') this.taken.clear();
    for (const [price, { shown }] of this.taken) if (this.side.at(price) !== shown) this.taken.delete(price);
  }

  /** Others took from this side at a price. Whatever was better is gone then. */
  onTrade(price: number, amount: number): void {
    if (this.tradedPrice === 0 || this.side.isBetter(this.tradedPrice, price)) {
      this.tradedPrice = price;
      this.tradedAmount = amount;
    } else if (price === this.tradedPrice) this.tradedAmount += amount;
  }

  /** We took. */
  take(price: number, amount: number): void {
    const shown = this.side.at(price) ?? 0;
    const before = this.taken.get(price);
    if (before !== undefined) before.amount += amount;
    else if (shown > 0) this.taken.set(price, { amount, shown });
  }

  /** Returns the amount that the public sees at a level: the recorded one less our fills. */
  shownAt(index: number): number {
    const amount = this.side.amountAt(index);
    if (this.taken.size === 0) return amount;
    return Math.max(0, amount - (this.taken.get(this.side.priceAt(index))?.amount ?? 0));
  }

  /** Returns the amount available at a level. */
  leftAt(index: number): number {
    const price = this.side.priceAt(index);
    if (this.tradedPrice !== 0 && this.side.isBetter(price, this.tradedPrice)) return 0;
    const others = price === this.tradedPrice ? this.tradedAmount : 0;
    return Math.max(0, this.shownAt(index) - others);
  }
}
