import { invariant } from '../domain/errors.ts';

export type WalletKind = 'spot' | 'margin';

export type UserId = number;

/** One line of a wallet's history. `units` is negative for what left. */
export interface WalletEntry {
  readonly id: number;
  readonly walletId: number;
  readonly currency: string;
  readonly timeMs: number;
  readonly units: bigint;
  readonly balanceAfter: bigint;
  /** Fee that was taken from it before it came. */
  readonly fee: bigint;
  readonly description: string;
  /** The trade it belongs to, where it does. */
  readonly tradeId: number | null;
}

/**
 * One currency of one user. `total` is owned, `held` is promised to open orders and pending withdrawals; both
 * in units (1e-10), and 0 <= held <= total always. A mutable twin of the domain's `Balance`: the matching
 * core changes it a few times an order.
 */
export class Wallet {
  readonly id: number;
  readonly userId: UserId;
  readonly currency: string;
  readonly kind: WalletKind;
  readonly transactions: BoundedList<WalletEntry>;
  total = 0n;
  held = 0n;

  constructor(options: {
    readonly id: number;
    readonly userId: UserId;
    readonly currency: string;
    readonly kind: WalletKind;
    readonly transactionsKept: number;
  }) {
    this.id = options.id;
    this.userId = options.userId;
    this.currency = options.currency;
    this.kind = options.kind;
    this.transactions = new BoundedList(options.transactionsKept);
  }

  get free(): bigint {
    return this.total - this.held;
  }

  /** First phase: sets units aside. */
  hold(units: bigint): void {
    this.held += units;
    this.check('hold');
  }

  /** Second phase: ends a hold without spending. */
  release(units: bigint): void {
    this.held -= units;
    this.check('release');
  }

  check(step: string): void {
    if (this.held < 0n || this.held > this.total) {
      invariant(
        false,
        `${step}: expected 0 <= held <= total in wallet ${this.id} (${this.currency}), was held ${this.held} of ${this.total}`,
      );
    }
  }
}

/**
 * An append-only list that keeps the newest `capacity` items. It drops in blocks, so that appending stays
 * constant on average; between `capacity` and twice that many items are held.
 */
export class BoundedList<T> {
  private items: T[] = [];
  private capacity: number;

  constructor(capacity: number) {
    this.capacity = capacity;
  }

  get length(): number {
    return this.items.length;
  }

  push(item: T): void {
    this.items.push(item);
    if (this.items.length >= this.capacity * 2) this.items = this.items.slice(-this.capacity);
  }

  /** Changes the capacity; what is beyond a smaller one is dropped now. */
  resize(capacity: number): void {
    this.capacity = capacity;
    this.items = this.items.slice(-capacity);
  }

  at(index: number): T | undefined {
    return this.items.at(index);
  }

  /** Oldest first. */
  values(): readonly T[] {
    return this.items;
  }
}
