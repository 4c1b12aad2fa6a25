import { invariant } from '../domain/errors.ts';
import { accept, refuse, type Result } from './requests.ts';
import { madeOnce } from '../domain/retain-newest.ts';

/** House accounts: the other side of each posting that is not between users, so that all add up to zero. */
export type HouseAccount = 'fees' | 'outside' | 'rounding';

interface Posting {
  /** Units in 1e-10; positive into the wallet. */
  readonly units: bigint;
  readonly description: string;
  readonly timeMs: number;
  readonly fee?: bigint;
  readonly tradeId?: number;
}

/** All wallets and house accounts as plain data. */
export interface AccountsState {
  readonly nextWalletId: number;
  readonly nextTransactionId: number;
  readonly wallets: readonly (Pick<Wallet, 'id' | 'userId' | 'currency' | 'kind' | 'total' | 'held'> & {
    readonly transactions: readonly Omit<WalletEntry, 'walletId' | 'currency'>[];
  })[];
  readonly house: Readonly<Record<string, Readonly<Record<HouseAccount, bigint>>>>;
}

/**
 * All wallets and the house's side of the ledger. Money enters and leaves only against a house account or
 * another wallet. So for every currency: sum of all wallets + fees + rounding + outside = 0 (`outside` is
 * minus the sum of deposits).
 */
export class Accounts {
  private readonly wallets = new Map<number, Wallet>();
  private readonly byUser = new Map<UserId, Map<string, Wallet>>();
  private readonly house = new Map<string, Record<HouseAccount, bigint>>();
  private readonly transactionsKept: number;
  /** Transactions to keep for users with a limit of their own: no more entries than users. */
  private readonly retainedOf = new Map<UserId, number>();
  private nextWalletId = 1;
  private nextTransactionId = 1;

  constructor(options: { readonly transactionsKept?: number } = {}) {
    this.transactionsKept = options.transactionsKept ?? 10_000;
  }

  /** Sets how many transactions of each wallet are kept for one user, such as a few if nobody reads them. */
  retainTransactions(userId: UserId, count: number): void {
    this.retainedOf.set(userId, count);
    for (const wallet of this.byUser.get(userId)?.values() ?? []) wallet.transactions.resize(count);
  }

  find(userId: UserId, currency: string, kind: WalletKind = 'spot'): Wallet | undefined {
    return this.byUser.get(userId)?.get(kind === 'spot' ? currency : `${currency}/margin`);
  }

  byId(walletId: number): Wallet | undefined {
    return this.wallets.get(walletId);
  }

  /** Returns a user's wallet, which is made at its first use. */
  ensure(userId: UserId, currency: string, kind: WalletKind = 'spot'): Wallet {
    const found = this.find(userId, currency, kind);
    if (found !== undefined) return found;
    return this.add(this.nextWalletId++, { userId, currency, kind });
  }

  /** Returns a user's wallets of one kind, oldest first. */
  walletsOf(userId: UserId, kind: WalletKind = 'spot'): readonly Wallet[] {
    return [...(this.byUser.get(userId)?.values() ?? [])].filter((wallet) => wallet.kind === kind);
  }

  allWallets(): Iterable<Wallet> {
    return this.wallets.values();
  }

  houseOf(currency: string): Record<HouseAccount, bigint> {
    return madeOnce(this.house, currency, () => ({ fees: 0n, outside: 0n, rounding: 0n }));
  }

  houseCurrencies(): Iterable<string> {
    return this.house.keys();
  }

  /** Moves units between a wallet and a house account, and writes the wallet's transaction. */
  post(wallet: Wallet, against: HouseAccount, posting: Posting): WalletEntry {
    this.houseOf(wallet.currency)[against] -= posting.units;
    return this.write(wallet, posting);
  }

  /** Moves units between two wallets of one currency, with a transaction in each. */
  move(from: Wallet, to: Wallet, posting: Posting): void {
    invariant(
      from.currency === to.currency,
      () => `expected one currency, was ${from.currency} and ${to.currency}`,
    );
    this.write(from, { ...posting, units: -posting.units });
    this.write(to, posting);
  }

  /** Writes one side of a posting, whose other sides the caller writes next, so that they add up to zero. */
  write(wallet: Wallet, posting: Posting): WalletEntry {
    wallet.total += posting.units;
    wallet.check(posting.description);
    const transaction: WalletEntry = {
      id: this.nextTransactionId++,
      walletId: wallet.id,
      currency: wallet.currency,
      timeMs: posting.timeMs,
      units: posting.units,
      balanceAfter: wallet.total,
      fee: posting.fee ?? 0n,
      description: posting.description,
      tradeId: posting.tradeId ?? null,
    };
    wallet.transactions.push(transaction);
    return transaction;
  }

  /**
   * Writes one wallet's side of a trade; the caller writes the other three and the two of the house. It does
   * not call `write`, since it is the most frequent call of the exchange.
   */
  writeTrade(
    wallet: Wallet,
    trade: { readonly id: number; readonly timeMs: number },
    units: bigint,
    fee: bigint,
  ): void {
    wallet.total += units;
    if (wallet.held < 0n || wallet.held > wallet.total) wallet.check('Trade');
    wallet.transactions.push({
      id: this.nextTransactionId++,
      walletId: wallet.id,
      currency: wallet.currency,
      timeMs: trade.timeMs,
      units,
      balanceAfter: wallet.total,
      fee,
      description: 'Trade',
      tradeId: trade.id,
    });
  }

  /** Returns the sum of all sides of a currency, which must be zero. For checks. */
  imbalanceOf(currency: string): bigint {
    const { fees, outside, rounding } = this.houseOf(currency);
    let sum = fees + outside + rounding;
    for (const wallet of this.wallets.values()) if (wallet.currency === currency) sum += wallet.total;
    return sum;
  }

  /** Returns the state as plain data, with the history lines whose id is at least `fromTransactionId`. */
  snapshot(fromTransactionId = 0): AccountsState {
    return {
      nextWalletId: this.nextWalletId,
      nextTransactionId: this.nextTransactionId,
      wallets: [...this.wallets.values()].map(
        ({ id, userId, currency, kind, total, held, transactions }) => ({
          id,
          userId,
          currency,
          kind,
          total,
          held,
          transactions: newestFrom(transactions.values(), fromTransactionId).map(
            ({ walletId: _wallet, currency: _currency, ...line }) => line,
          ),
        }),
      ),
      house: Object.fromEntries([...this.house].map(([currency, accounts]) => [currency, { ...accounts }])),
    };
  }

  /**
   * Replaces every wallet and house account. House records are changed in place, since markets hold
   * references to them; wallets are made anew, so this comes before anything that holds one.
   */
  restore(state: AccountsState): void {
    this.wallets.clear();
    this.byUser.clear();
    for (const accounts of this.house.values())
      Object.assign(accounts, { fees: 0n, outside: 0n, rounding: 0n });
    for (const [currency, accounts] of Object.entries(state.house))
      Object.assign(this.houseOf(currency), accounts);
    for (const { id, total, held, transactions, ...owner } of state.wallets) {
      const wallet = this.add(id, owner);
      wallet.total = total;
      wallet.held = held;
      wallet.check('restore');
      for (const line of transactions)
        wallet.transactions.push({ ...line, walletId: id, currency: owner.currency });
    }
    this.nextWalletId = state.nextWalletId;
    this.nextTransactionId = state.nextTransactionId;
  }

  private add(
    id: number,
    owner: { readonly userId: UserId; readonly currency: string; readonly kind: WalletKind },
  ): Wallet {
    const { userId, currency, kind } = owner;
    const wallet = new Wallet({
      id,
      userId,
      currency,
      kind,
      transactionsKept: this.retainedOf.get(userId) ?? this.transactionsKept,
    });
    this.wallets.set(id, wallet);
    const mine = madeOnce(this.byUser, userId, () => new Map<string, Wallet>());
    mine.set(kind === 'spot' ? currency : `${currency}/margin`, wallet);
    return wallet;
  }
}

/** Returns the last lines, from an id on; lines are ordered by id. */
function newestFrom(entries: readonly WalletEntry[], id: number): readonly WalletEntry[] {
  const last = entries.findLastIndex((entry) => entry.id < id);
  return last === -1 ? entries : entries.slice(last + 1);
}

interface TransferRequest {
  readonly userId: UserId;
  /** In lower case. */
  readonly currency: string;
  readonly units: bigint;
  readonly src: WalletKind;
  readonly dst: WalletKind;
  readonly timeMs: number;
}

interface Transferred {
  readonly srcWallet: Wallet;
  readonly dstWallet: Wallet;
}

/**
 * Moves money between a user's spot and margin wallets. The first transfer creates the margin wallet of rial
 * or tether. It is refused with the codes of the interface, "Wallet transfer codes", in this order:
 * `SameDestination`, `InvalidAmount`, `WalletNotFound`, `InsufficientBalance`.
 */
export function transferFunds(accounts: Accounts, request: TransferRequest): Result<Transferred> {
  const { userId, currency, units, src, dst } = request;
  if (src === dst) return refuse('SameDestination', 'Source and destination are the same wallet');
  if (units <= 0n) return refuse('InvalidAmount', 'Expected a positive amount');
  const isTransferable = currency === 'rls' || currency === 'usdt';
  if (!isTransferable && accounts.find(userId, currency, 'margin') === undefined)
    return refuse('WalletNotFound', `No margin wallet of ${currency}`);
  const srcWallet = accounts.find(userId, currency, src);
  if (srcWallet === undefined || srcWallet.free < units)
    return refuse('InsufficientBalance', 'The free balance of the source wallet is too small');
  const dstWallet = accounts.ensure(userId, currency, dst);
  accounts.move(srcWallet, dstWallet, {
    units,
    description: `Transfer ${src} to ${dst}`,
    timeMs: request.timeMs,
  });
  return accept({ srcWallet, dstWallet });
}

type WalletKind = 'spot' | 'margin';

export type UserId = number;

/** One line of a wallet's history. `units` is negative for money that left. */
export interface WalletEntry {
  readonly id: number;
  readonly walletId: number;
  readonly currency: string;
  readonly timeMs: number;
  readonly units: bigint;
  readonly balanceAfter: bigint;
  /** Fee that was deducted before the money arrived. */
  readonly fee: bigint;
  readonly description: string;
  /** Trade of the line; null if it belongs to no trade. */
  readonly tradeId: number | null;
}

/**
 * Wallet of one user in one currency. `total` is owned, `held` is promised to open orders and pending
 * withdrawals; both are in units (1e-10), and 0 <= held <= total always. A mutable counterpart of the
 * domain's `Balance`: the matching core changes it several times for each order.
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

  /** Holds units for an order or a withdrawal. */
  hold(units: bigint): void {
    this.held += units;
    this.check('hold');
  }

  /** Releases held units that were not spent. */
  release(units: bigint): void {
    this.held -= units;
    this.check('release');
  }

  check(step: string): void {
    if (this.held < 0n || this.held > this.total)
      invariant(
        false,
        `${step}: expected 0 <= held <= total in wallet ${this.id} (${this.currency}), was held ${this.held} of ${this.total}`,
      );
  }
}

/**
 * An append-only list of the newest `capacity` items. It drops items in blocks, so that appending takes
 * constant time on average; it holds up to twice the capacity.
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

  /** Changes the capacity; items beyond a smaller one are dropped at once. */
  resize(capacity: number): void {
    this.capacity = capacity;
    this.items = this.items.slice(-capacity);
  }

  at(index: number): T | undefined {
    return this.items.at(index);
  }

  /** Returns the items, oldest first. */
  values(): readonly T[] {
    return this.items;
  }
}
