import type { Accounts } from './accounts.ts';
import type { UserId } from './wallet.ts';
import { BoundedList } from './bounded-list.ts';
import { addressOn } from './funding/addresses.ts';
import type { FundingCurrency } from './currency-settings.ts';

export interface Deposit {
  readonly id: number;
  readonly userId: UserId;
  readonly currency: string;
  readonly network: string | null;
  readonly address: string;
  readonly txHash: string;
  readonly units: bigint;
  readonly createdAtMs: number;
  readonly confirmationEveryMs: number;
  readonly requiredConfirmations: number;
  /** The credit in the wallet; null until it is confirmed. */
  readonly transactionId: number | null;
  /** Time of its credit; null until then. An administrator may credit it earlier. */
  readonly creditedAtMs: number | null;
}

type StoredDeposit = Omit<Deposit, 'units'> & { readonly units: string };

export interface DepositsState {
  readonly nextId: number;
  readonly deposits: readonly StoredDeposit[];
}

/** Deposits kept a user, whatever their age. Waiting ones are kept apart, so none is ever lost. */
const DEPOSITS_KEPT = 1_000;

/** Period covered by the list. Source: interface, "Other constants". */
const DEPOSITS_SHOWN_MS = 92 * 86_400_000;

/** Confirmations so far: they come at a steady pace and stop at the required number. */
export function confirmationsOf(deposit: Deposit, timeMs: number): number {
  const passed = Math.floor((timeMs - deposit.createdAtMs) / Math.max(1, deposit.confirmationEveryMs));
  return Math.max(0, Math.min(deposit.requiredConfirmations, passed));
}

/**
 * Money that comes in from outside: announced by the administrator, credited when it has its confirmations.
 */
export class Deposits {
  private readonly accounts: Accounts;
  private readonly byUser = new Map<UserId, BoundedList<Deposit>>();
  private readonly waiting = new Map<number, Deposit>();
  private nextId = 1;
  private nextDueMs = Number.POSITIVE_INFINITY;

  constructor(accounts: Accounts) {
    this.accounts = accounts;
  }

  /**
   * Announces a deposit of positive units. Without confirmations to wait for (rial, or 0 required) it is
   * credited at once.
   */
  create(deposit: {
    readonly userId: UserId;
    readonly currency: FundingCurrency;
    readonly units: bigint;
    readonly timeMs: number;
    readonly network?: string | undefined;
    readonly txHash?: string | undefined;
    readonly requiredConfirmations?: number | undefined;
  }): Deposit {
    const { currency, userId } = deposit;
    const network = currency.networks.find(({ name }) => name === deposit.network) ?? currency.networks[0];
    const id = this.nextId++;
    const made: Deposit = {
      id,
      userId,
      currency: currency.symbol,
      network: network?.name ?? null,
      address: network === undefined ? '' : addressOn(network, userId).address,
      txHash: deposit.txHash ?? `simulated-${currency.symbol}-${String(id).padStart(8, '0')}`,
      units: deposit.units,
      createdAtMs: deposit.timeMs,
      confirmationEveryMs: currency.confirmationEveryMs,
      requiredConfirmations: deposit.requiredConfirmations ?? network?.requiredConfirmations ?? 0,
      transactionId: null,
      creditedAtMs: null,
    };
    this.accounts.ensure(userId, currency.symbol);
    if (made.requiredConfirmations === 0) return this.credit(made, deposit.timeMs);
    this.waiting.set(id, made);
    this.nextDueMs = Math.min(this.nextDueMs, dueMs(made));
    return made;
  }

  /** Credits what has its confirmations by now. */
  advance(timeMs: number): void {
    if (timeMs < this.nextDueMs) return;
    this.nextDueMs = Number.POSITIVE_INFINITY;
    for (const deposit of this.waiting.values()) {
      if (dueMs(deposit) <= timeMs) this.credit(deposit, dueMs(deposit));
      else this.nextDueMs = Math.min(this.nextDueMs, dueMs(deposit));
    }
  }

  /**
   * Credits a waiting deposit before its time, as an administrator does. False when none of this id waits.
   */
  confirm(id: number, timeMs: number): boolean {
    const deposit = this.waiting.get(id);
    if (deposit === undefined) return false;
    this.credit(deposit, timeMs);
    return true;
  }

  /** A user's deposits of the last three months, newest first. */
  list(
    userId: UserId,
    options: { readonly timeMs: number; readonly currency?: string | undefined },
  ): readonly Deposit[] {
    const waiting = [...this.waiting.values()].filter((deposit) => deposit.userId === userId);
    return [...(this.byUser.get(userId)?.values() ?? []), ...waiting]
      .filter((deposit) => options.currency === undefined || deposit.currency === options.currency)
      .filter((deposit) => options.timeMs - deposit.createdAtMs <= DEPOSITS_SHOWN_MS)
      .sort((left, right) => right.id - left.id);
  }

  snapshot(): DepositsState {
    const all = [...this.byUser.values()].flatMap((list) => list.values()).concat(...this.waiting.values());
    return { nextId: this.nextId, deposits: all.map(storeDeposit) };
  }

  restore(state: DepositsState): void {
    this.byUser.clear();
    this.waiting.clear();
    this.nextDueMs = Number.POSITIVE_INFINITY;
    this.nextId = state.nextId;
    for (const stored of state.deposits) {
      const deposit: Deposit = { ...stored, units: BigInt(stored.units) };
      if (deposit.transactionId !== null) {
        this.keep(deposit);
        continue;
      }
      this.waiting.set(deposit.id, deposit);
      this.nextDueMs = Math.min(this.nextDueMs, dueMs(deposit));
    }
  }

  private credit(deposit: Deposit, timeMs: number): Deposit {
    const transaction = this.accounts.post(
      this.accounts.ensure(deposit.userId, deposit.currency),
      'outside',
      {
        units: deposit.units,
        description: `Deposit ${deposit.txHash}`,
        timeMs,
      },
    );
    const credited = { ...deposit, transactionId: transaction.id, creditedAtMs: timeMs };
    this.waiting.delete(deposit.id);
    this.keep(credited);
    return credited;
  }

  private keep(deposit: Deposit): void {
    let list = this.byUser.get(deposit.userId);
    if (list === undefined) {
      list = new BoundedList(DEPOSITS_KEPT);
      this.byUser.set(deposit.userId, list);
    }
    list.push(deposit);
  }
}

function storeDeposit(deposit: Deposit): StoredDeposit {
  return { ...deposit, units: String(deposit.units) };
}

function dueMs(deposit: Deposit): number {
  return deposit.createdAtMs + deposit.requiredConfirmations * deposit.confirmationEveryMs;
}
