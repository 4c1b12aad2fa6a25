import type { Wallet } from '../../simulator/wallet.ts';

interface Receipt {
  readonly wallet: Wallet;
  readonly atMs: number;
  readonly amount: bigint;
}

const PRUNED_FROM = 32;

/**
 * Receipts of fills, with their times. Bars of several markets are processed one after another, so a fill of
 * one can come before a receipt of another that is booked already: that money was not there yet. One market
 * goes through its own time in order, so for it alone nothing is stored. Bounded by the fills of the longest
 * bar, twice.
 */
export class RecentReceipts {
  #receipts: Receipt[] = [];
  #pruneAt = PRUNED_FROM;
  #keptMs = 0;

  /**
   * Has receipts kept for as long as a bar of several markets lasts, or longer where that was said before.
   */
  keepFor(barMs: number): void {
    this.#keptMs = Math.max(this.#keptMs, barMs);
  }

  add(wallet: Wallet, atMs: number, amount: bigint): void {
    if (this.#keptMs === 0 || this.#receipts.push({ wallet, atMs, amount }) < this.#pruneAt) return;
    this.#receipts = this.#receipts.filter((receipt) => receipt.atMs > atMs - this.#keptMs);
    this.#pruneAt = Math.max(PRUNED_FROM, this.#receipts.length * 2);
  }

  /** Returns the amount that a wallet received after a time. */
  after(of: Wallet, timeMs: number): bigint {
    let sum = 0n;
    for (const { wallet, atMs, amount } of this.#receipts) if (atMs > timeMs && wallet === of) sum += amount;
    return sum;
  }
}
