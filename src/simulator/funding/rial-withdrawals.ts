import { DAY_MS } from '../../domain/time-text.ts';
import { invariant } from '../../domain/errors.ts';
import { parseUnits, UNITS_PER_ONE, divideUp } from '../../domain/money.ts';
import type { Accounts, UserId } from '../accounts.ts';
import { accept, refuse, type Result } from '../requests.ts';
import {
  limitBrokenByRial,
  type WithdrawnRial,
  fulfilledUnits,
  isCancelable,
  isEndedWithdrawal,
  paymentsOf,
  stepWithdrawal,
  type RialWithdrawalState,
  type WithdrawalStatus,
  type WithdrawalSettings,
} from '../rial-withdrawal.ts';
import type { BankAccount, User } from '../user.ts';
import { madeOnce } from '../../domain/retain-newest.ts';

export interface WithdrawalsState {
  readonly nextNumber: number;
  readonly withdrawals: readonly RialWithdrawalState[];
}

const FIRST_NUMBER = 430_001;
const MONTH_MS = 30 * DAY_MS;
/** Maximum number of withdrawals that are kept of all users. Beyond it the oldest ended ones are dropped. */
const WITHDRAWALS_RETAINED = 20_000;

/** Rial withdrawals, version 2: created and confirmed in one step, paid by a bank with some delay. */
export class RialWithdrawals {
  private readonly accounts: Accounts;
  private readonly settings: WithdrawalSettings;
  private readonly byId = new Map<string, RialWithdrawalState>();
  private readonly byUser = new Map<UserId, Set<string>>();
  private readonly moving = new Set<string>();
  private nextNumber = FIRST_NUMBER;
  private nextDueMs = Number.POSITIVE_INFINITY;

  constructor(accounts: Accounts, settings: WithdrawalSettings) {
    this.accounts = accounts;
    this.settings = settings;
  }

  /** Debits the amount and queues the withdrawal at the bank. Throws `INVARIANT` for parts of a rial. */
  create(order: {
    readonly user: User;
    readonly bankAccountId: number;
    readonly units: bigint;
    readonly timeMs: number;
  }): Result<RialWithdrawalState> {
    const { user, units, timeMs } = order;
    if (!user.features.rial_withdrawal)
      return refuse('FeatureUnavailable', 'Rial withdrawals are not open to this user');
    invariant(
      units > 0n && units % UNITS_PER_ONE === 0n,
      `expected whole rial above zero, was ${units} units`,
    );
    const account = user.bankAccounts.find(({ id, confirmed }) => id === order.bankAccountId && confirmed);
    if (account === undefined)
      return refuse('BankAccountNotFound', `No confirmed bank account ${order.bankAccountId}`);
    if (!this.settings.enabled) return refuse('WithdrawUnavailable', 'Withdrawals are closed at the moment');
    if (timeMs < user.withdrawalsRestrictedUntilMs)
      return refuse(
        'WithdrawUnavailable',
        'Withdrawals are closed for an hour after a log-in from a new device',
      );
    if (units < parseUnits(this.settings.minimum))
      return refuse('AmountTooLow', `At least ${this.settings.minimum} rial`);
    if (units > parseUnits(this.settings.maximum))
      return refuse('AmountTooHigh', `At most ${this.settings.maximum} rial`);
    const broken = limitBrokenByRial(user.ceilings, this.withdrawnBy(user.id, timeMs), units);
    if (broken !== null) return refuse('WithdrawAmountLimitation', broken);
    if (this.countSince(user.id, timeMs - DAY_MS) >= this.settings.maximumPerDay)
      return refuse(
        'WithdrawLimitReached',
        `At most ${this.settings.maximumPerDay} withdrawals within 24 hours`,
      );
    const wallet = this.accounts.find(user.id, 'rls');
    if (wallet === undefined || wallet.free < units)
      return refuse('InsufficientBalance', 'The free balance is too small');
    return accept(this.begin({ user, account, units, timeMs }));
  }

  find(userId: UserId, id: string): RialWithdrawalState | undefined {
    const found = this.byId.get(id);
    return found?.userId === userId ? found : undefined;
  }

  /** Returns a user's withdrawals, newest first. */
  list(userId: UserId): readonly RialWithdrawalState[] {
    return [...(this.byUser.get(userId) ?? [])].map((id) => this.get(id)).reverse();
  }

  /**
   * Cancels a withdrawal. Refused: `WithdrawRequestNotFound`, `NotCancellable` (no longer New),
   * `CancellationFailed` (New, but later than three minutes).
   */
  cancel(userId: UserId, id: string, timeMs: number): Result<RialWithdrawalState> {
    const found = this.find(userId, id);
    if (found === undefined) return refuse('WithdrawRequestNotFound', `No withdrawal ${id}`);
    if (found.status !== 'New') return refuse('NotCancellable', `The withdrawal is ${found.status}`);
    if (!isCancelable(found, timeMs, this.settings))
      return refuse('CancellationFailed', 'The time to cancel is over');
    return accept(this.end(found, 'Canceled', timeMs));
  }

  /**
   * Sets an open withdrawal to any status, for the administrator. An end without success refunds the amount
   * that no payment carried; `Done` pays the rest; any other status stops its automatic steps. Null if there
   * is none, or it has ended.
   */
  force(id: string, status: WithdrawalStatus, timeMs: number): RialWithdrawalState | null {
    const found = this.byId.get(id);
    if (found === undefined || isEndedWithdrawal(found.status)) return null;
    if (status === 'Done') {
      let paid: RialWithdrawalState = { ...found, nextStepAtMs: timeMs };
      while (!isEndedWithdrawal(paid.status))
        paid = stepWithdrawal({ ...paid, nextStepAtMs: timeMs }, this.settings);
      return this.settle(paid);
    }
    if (isEndedWithdrawal(status)) return this.end(found, status, timeMs);
    return this.put({ ...found, status, nextStepAtMs: null });
  }

  advance(timeMs: number): void {
    if (timeMs < this.nextDueMs) return;
    for (const id of this.moving) {
      let withdrawal = this.get(id);
      while (withdrawal.nextStepAtMs !== null && withdrawal.nextStepAtMs <= timeMs) {
        withdrawal = stepWithdrawal(withdrawal, this.settings);
      }
      if (withdrawal.status === 'Done') this.settle(withdrawal);
      else this.put(withdrawal);
    }
    this.nextDueMs = Math.min(
      ...[...this.moving].map((id) => this.get(id).nextStepAtMs ?? Number.POSITIVE_INFINITY),
    );
  }

  /** Returns the rial withdrawn, or on its way, within the last 24 hours and 30 days, without refunds. */
  withdrawnBy(userId: UserId, timeMs: number): WithdrawnRial {
    let rialDay = 0n;
    let rialMonth = 0n;
    for (const withdrawal of this.list(userId)) {
      const ageMs = timeMs - withdrawal.createdAtMs;
      if (ageMs < MONTH_MS) rialMonth += withdrawal.units - withdrawal.refunded;
      if (ageMs < DAY_MS) rialDay += withdrawal.units - withdrawal.refunded;
    }
    return { rialDay, rialMonth, coinDay: 0n, coinMonth: 0n };
  }

  snapshot(): WithdrawalsState {
    return { nextNumber: this.nextNumber, withdrawals: [...this.byId.values()] };
  }

  restore(state: WithdrawalsState): void {
    this.byId.clear();
    this.byUser.clear();
    this.moving.clear();
    this.nextNumber = state.nextNumber;
    this.nextDueMs = Number.NEGATIVE_INFINITY;
    for (const withdrawal of state.withdrawals) this.put(withdrawal);
  }

  private begin(order: {
    readonly user: User;
    readonly account: BankAccount;
    readonly units: bigint;
    readonly timeMs: number;
  }): RialWithdrawalState {
    const { units, timeMs } = order;
    const wallet = this.accounts.ensure(order.user.id, 'rls');
    const id = `CW${this.nextNumber++}`;
    const fee = this.feeOf(units);
    this.accounts.post(wallet, 'outside', { units: -units, description: `Withdrawal ${id}`, timeMs });
    this.makeRoom();
    return this.put({
      id,
      userId: order.user.id,
      walletId: wallet.id,
      units,
      fee,
      status: 'New',
      createdAtMs: timeMs,
      account: order.account,
      payments: paymentsOf(units - fee, parseUnits(this.settings.largestPayment), timeMs),
      refunded: 0n,
      nextStepAtMs: timeMs + this.settings.newForMs,
    });
  }

  private feeOf(units: bigint): bigint {
    const rial =
      divideUp(units * BigInt(this.settings.feeMillionths), 1_000_000n * UNITS_PER_ONE) * UNITS_PER_ONE;
    const fee = rial + parseUnits(this.settings.feeFlat);
    const ceiling = parseUnits(this.settings.feeCeiling);
    const capped = fee < ceiling ? fee : ceiling;
    return capped < units ? capped : units;
  }

  /** Finishes a withdrawal once all payments are made: the house gets the fee. */
  private settle(withdrawal: RialWithdrawalState): RialWithdrawalState {
    this.addFee(withdrawal.fee);
    return this.put(withdrawal);
  }

  /** Ends a withdrawal early. The unpaid amount is refunded, with the fee if no payment was made. */
  private end(
    withdrawal: RialWithdrawalState,
    status: WithdrawalStatus,
    timeMs: number,
  ): RialWithdrawalState {
    const fulfilled = fulfilledUnits(withdrawal);
    const fee = fulfilled === 0n ? 0n : withdrawal.fee;
    const refunded = withdrawal.units - fulfilled - fee;
    this.addFee(fee);
    this.accounts.post(this.accounts.ensure(withdrawal.userId, 'rls'), 'outside', {
      units: refunded,
      description: `Withdrawal ${withdrawal.id} ${status.toLowerCase()}`,
      timeMs,
    });
    const payments = withdrawal.payments.map((payment) =>
      payment.status === 'Pending' ? { ...payment, status: 'Failed' as const, updatedAtMs: timeMs } : payment,
    );
    return this.put({ ...withdrawal, status, payments, refunded, nextStepAtMs: null });
  }

  private addFee(fee: bigint): void {
    const house = this.accounts.houseOf('rls');
    house.outside -= fee;
    house.fees += fee;
  }

  private get(id: string): RialWithdrawalState {
    const found = this.byId.get(id);
    invariant(found !== undefined, `expected a known withdrawal, was ${id}`);
    return found;
  }

  private put(withdrawal: RialWithdrawalState): RialWithdrawalState {
    this.byId.set(withdrawal.id, withdrawal);
    madeOnce(this.byUser, withdrawal.userId, () => new Set<string>()).add(withdrawal.id);
    if (withdrawal.nextStepAtMs === null) this.moving.delete(withdrawal.id);
    else this.moving.add(withdrawal.id);
    this.nextDueMs = Math.min(this.nextDueMs, withdrawal.nextStepAtMs ?? Number.POSITIVE_INFINITY);
    return withdrawal;
  }

  private countSince(userId: UserId, sinceMs: number): number {
    return this.list(userId).filter(
      ({ createdAtMs, status }) => createdAtMs > sinceMs && status !== 'Canceled',
    ).length;
  }

  private makeRoom(): void {
    if (this.byId.size < WITHDRAWALS_RETAINED) return;
    const oldest = [...this.byId.values()].find(({ status }) => isEndedWithdrawal(status));
    if (oldest === undefined) return;
    this.byId.delete(oldest.id);
    this.byUser.get(oldest.userId)?.delete(oldest.id);
  }
}
