import { parseUnits, UNITS_PER_ONE } from '../domain/money.ts';
import type { RandomSource } from '../domain/random.ts';
import { divideUp } from '../domain/rounding.ts';
import { keepNewest } from '../domain/keep-newest.ts';
import type { Accounts } from './accounts.ts';
import { randomHex } from './gate/random-text.ts';
import { accept, type Result } from './result.ts';
import type { Users } from './users.ts';
import {
  gatewayRefusal,
  merchantOf,
  readInvoice,
  type Invoice,
  type SendRequest,
} from './gateway-request.ts';
import type { GatewaySettings, MerchantSettings } from './gateway-settings.ts';

type PaymentStatus = 'Pending' | 'Paid' | 'Canceled' | 'Verified';

export interface Payment extends Invoice {
  readonly token: string;
  readonly createdAtMs: number;
  readonly status: PaymentStatus;
  /** Currency that the payer chose; null before. */
  readonly paidCurrency: string | null;
  /** Units of that currency. */
  readonly paidUnits: bigint;
}

type StoredPayment = Omit<Payment, 'paidUnits'> & { readonly paidUnits: string };

export interface GatewayState {
  readonly payments: readonly StoredPayment[];
}

interface VerifiedPayment {
  readonly payment: Payment;
  /**
   * MD5 of token, amount and the merchant's secret, in this order. Source: interface, "Payment gateway
   * credentials".
   */
  readonly txHash: string;
}

/** Hexadecimal MD5 of a text. */
export type Md5 = (text: string) => string;

/** The worth of units of a currency in rial units, or null where no market says it. */
type RialValue = (currency: string, units: bigint) => bigint | null;

/** Payments kept; beyond, the oldest is forgotten and its token unknown. */
const PAYMENTS_KEPT = 10_000;
const TOKEN_LENGTH = 32;
/** Step of paid amounts: they are rounded up to the eighth decimal, as coins are. */
const PAID_STEP = 100n;

/**
 * The crypto payment gateway: invoices, what the payer does with them, and their verification by the
 * merchant.
 */
export class Gateway {
  readonly settings: GatewaySettings;
  private readonly random: RandomSource;
  private readonly md5: Md5;
  private readonly accounts: Accounts;
  private readonly users: Users;
  private readonly payments = new Map<string, Payment>();

  constructor(options: {
    readonly settings: GatewaySettings;
    readonly random: RandomSource;
    readonly md5: Md5;
    readonly accounts: Accounts;
    readonly users: Users;
  }) {
    this.settings = options.settings;
    this.random = options.random;
    this.md5 = options.md5;
    this.accounts = options.accounts;
    this.users = options.users;
  }

  /** Makes an invoice and its token. Refused with -1 to -11 and -41. */
  send(request: SendRequest, timeMs: number): Result<Payment> {
    const invoice = readInvoice(this.settings, request);
    if (!invoice.ok) return invoice;
    let token = randomHex(this.random, TOKEN_LENGTH);
    while (this.payments.has(token)) token = randomHex(this.random, TOKEN_LENGTH);
    keepNewest(this.payments, PAYMENTS_KEPT - 1);
    return accept(
      this.put({
        ...invoice.value,
        token,
        createdAtMs: timeMs,
        status: 'Pending',
        paidCurrency: null,
        paidUnits: 0n,
      }),
    );
  }

  find(token: string): Payment | undefined {
    return this.payments.get(token);
  }

  isPayable(payment: Payment, timeMs: number): boolean {
    return payment.status === 'Pending' && timeMs - payment.createdAtMs <= this.settings.payWithinMs;
  }

  /** Returns the amount that the payer owes in a currency; null if its price is unknown. */
  quote(payment: Payment, currency: string, rialValue: RialValue): bigint | null {
    const rate = this.settings.rialRates[currency];
    const rialOfOne = rialValue(currency, UNITS_PER_ONE) ?? (rate === undefined ? null : parseUnits(rate));
    if (rialOfOne === null || rialOfOne <= 0n) return null;
    return (
      divideUp(BigInt(payment.amount) * UNITS_PER_ONE * UNITS_PER_ONE, rialOfOne * PAID_STEP) * PAID_STEP
    );
  }

  /** The payer pays. Null when the payment can not be made (any more), or not in this currency. */
  pay(
    token: string,
    choice: { readonly currency: string | null; readonly timeMs: number; readonly rialValue: RialValue },
  ): Payment | null {
    const payment = this.payments.get(token);
    if (payment === undefined || !this.isPayable(payment, choice.timeMs)) return null;
    const currency = choice.currency ?? payment.currencies[0] ?? '';
    const units = payment.currencies.includes(currency)
      ? this.quote(payment, currency, choice.rialValue)
      : null;
    if (units === null) return null;
    return this.put({ ...payment, status: 'Paid', paidCurrency: currency, paidUnits: units });
  }

  /** The payer goes away. Null when there is nothing to cancel. */
  cancel(token: string): Payment | null {
    const payment = this.payments.get(token);
    if (payment?.status !== 'Pending') return null;
    return this.put({ ...payment, status: 'Canceled' });
  }

  /**
   * The merchant asks. Refused with -1 to -4, -23 (no token), -21 (malformed), -22 (unknown), -31 (not paid),
   * -32 (asked before).
   */
  verify(request: {
    readonly api: string | null;
    readonly token: string | null;
    readonly timeMs: number;
  }): Result<VerifiedPayment> {
    const merchant = merchantOf(this.settings, request.api);
    if (!merchant.ok) return merchant;
    if (request.token === null) return gatewayRefusal('-23');
    if (!/^[0-9a-f]{32}$/.test(request.token)) return gatewayRefusal('-21');
    const payment = this.payments.get(request.token);
    if (payment?.api !== merchant.value.api) return gatewayRefusal('-22');
    if (payment.status === 'Verified') return gatewayRefusal('-32');
    if (payment.status !== 'Paid') return gatewayRefusal('-31');
    this.credit(merchant.value, payment, request.timeMs);
    const verified = this.put({ ...payment, status: 'Verified' });
    const txHash = this.md5(`${payment.token}${payment.amount}${merchant.value.apiSecret}`);
    return accept({ payment: verified, txHash });
  }

  snapshot(): GatewayState {
    return { payments: [...this.payments.values()].map(storePayment) };
  }

  restore(state: GatewayState): void {
    this.payments.clear();
    for (const payment of state.payments) this.put({ ...payment, paidUnits: BigInt(payment.paidUnits) });
  }

  private credit(merchant: MerchantSettings, payment: Payment, timeMs: number): void {
    const user = merchant.username === undefined ? undefined : this.users.findByName(merchant.username);
    if (user === undefined) return;
    const units = BigInt(payment.amount) * UNITS_PER_ONE;
    const description = `Payment ${payment.token}`;
    this.accounts.post(this.accounts.ensure(user.id, 'rls'), 'outside', { units, description, timeMs });
  }

  private put(payment: Payment): Payment {
    this.payments.set(payment.token, payment);
    return payment;
  }
}

function storePayment(payment: Payment): StoredPayment {
  return { ...payment, paidUnits: String(payment.paidUnits) };
}
