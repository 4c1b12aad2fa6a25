import type { Wallet } from '../../simulator/core/wallet.ts';

interface Receipt {
  readonly wallet: Wallet;
  readonly atMs: number;
  readonly amount: bigint;
}

/** The longest bar there is: what was received before it began is in nobody's future. */
const LONGEST_BAR_MS = 3 * 86_400_000;

const PRUNED_FROM = 64;

/**
 * What fills brought, and when. Bars of several markets are gone through one after another, so that a fill of one can come before what another has brought
 * already: that money was not there yet. Bounded by the fills of the longest bar, twice.
 */
export class RecentReceipts {
  #receipts: Receipt[] = [];
  #pruneAt = PRUNED_FROM;

  add(receipt: Receipt): void {
    if (this.#receipts.push(receipt) < this.#pruneAt) return;
    this.#receipts = this.#receipts.filter(({ atMs }) => atMs > receipt.atMs - LONGEST_BAR_MS);
    this.#pruneAt = Math.max(PRUNED_FROM, this.#receipts.length * 2);
  }

  /** What came into a wallet later than at a time. */
  after(of: Wallet, timeMs: number): bigint {
    return this.#receipts.reduce((sum, { wallet, atMs, amount }) => {
      return wallet === of && atMs > timeMs ? sum + amount : sum;
    }, 0n);
  }
}
