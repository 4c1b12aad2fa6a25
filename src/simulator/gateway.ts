import { z } from 'zod';
import { currencySymbol, durationMs, positiveDecimal, plainText } from './setting-fields.ts';
import { parseUnits, UNITS_PER_ONE, divideUp } from '../domain/money.ts';
import type { RandomSource } from '../domain/random.ts';
import { retainNewest } from '../domain/retain-newest.ts';
import type { Accounts } from './accounts.ts';
import { randomHex } from './credentials.ts';
import { accept, type Result, refuse, type Refusal } from './requests.ts';
import type { Users } from './user.ts';

type PaymentStatus = 'Pending' | 'Paid' | 'Canceled' | 'Verified';

export interface Payment extends Invoice {
  readonly token: string;
  readonly createdAtMs: number;
  readonly status: PaymentStatus;
  /** Currency that the payer chose; null before the payment. */
  readonly paidCurrency: string | null;
  /** Amount paid in units of that currency. */
  readonly paidUnits: bigint;
}

export interface GatewayState {
  readonly payments: readonly Payment[];
}

interface VerifiedPayment {
  readonly payment: Payment;
  /** MD5 of token, amount and the merchant's secret. Source: interface, "Payment gateway credentials". */
  readonly txHash: string;
}

/** Returns the MD5 of a text in hexadecimal. */
export type Md5 = (text: string) => string;

/** Returns the value of units of a currency in rial units; null if no market gives it. */
type RialValue = (currency: string, units: bigint) => bigint | null;

/** Maximum number of payments that are kept; beyond it the oldest is dropped and its token is unknown. */
const PAYMENTS_RETAINED = 10_000;
const TOKEN_LENGTH = 32;
/** Step of paid amounts: they are rounded up to the eighth decimal, as coins are. */
const PAID_STEP = 100n;

/** The crypto payment gateway: invoices, the payer's actions, and the verification by the merchant. */
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

  /** Makes an invoice with its token. Refused with -1 to -11 and -41. */
  send(request: SendRequest, timeMs: number): Result<Payment> {
    const invoice = readInvoice(this.settings, request);
    if (!invoice.ok) return invoice;
    let token = randomHex(this.random, TOKEN_LENGTH);
    while (this.payments.has(token)) token = randomHex(this.random, TOKEN_LENGTH);
    retainNewest(this.payments, PAYMENTS_RETAINED - 1);
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

  /** Pays for the payer. Null if the payment can not be made (any more), or not in this currency. */
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

  /** Cancels a pending payment for the payer. Null if there is none. */
  cancel(token: string): Payment | null {
    const payment = this.payments.get(token);
    if (payment?.status !== 'Pending') return null;
    return this.put({ ...payment, status: 'Canceled' });
  }

  /** Verifies a payment for the merchant. Refused with -1 to -4, -21 to -23, -31 (unpaid), -32 (again). */
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
    return { payments: [...this.payments.values()] };
  }

  restore(state: GatewayState): void {
    this.payments.clear();
    for (const payment of state.payments) this.put(payment);
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

/** Fields of a request as text; null if missing. */
export interface SendRequest {
  readonly api: string | null;
  readonly amount: string | null;
  readonly callbackUrl: string | null;
  readonly factorNumber: string | null;
  readonly mobile: string | null;
  readonly description: string | null;
  readonly currencies: string | null;
}

/** A request whose fields are all valid. */
interface Invoice extends Pick<SendRequest, 'factorNumber' | 'mobile' | 'description'> {
  readonly api: string;
  /** In rial. */
  readonly amount: number;
  readonly callbackUrl: string;
  readonly currencies: readonly string[];
}

const LEAST_AMOUNT = 10_000;
const LONGEST_DESCRIPTION = 255;
const API = /^[A-Za-z0-9_-]{4,64}$/;
const URL_PARTS = /^(https?:\/\/[^\s/?#@]+)(?:[/?#]\S*)?$/i;

export const gatewayRefusal = (code: GatewayCode): Refusal => refuse(code, GATEWAY_MESSAGES[code]);

/** Returns the merchant of an `api` value. Refused: -1, -4, -2, -3, in this order. */
export function merchantOf(settings: GatewaySettings, api: string | null): Result<MerchantSettings> {
  if (api === null) return gatewayRefusal('-1');
  if (!API.test(api)) return gatewayRefusal('-4');
  const merchant = settings.merchants.find((one) => one.api === api);
  if (merchant === undefined) return gatewayRefusal('-2');
  return merchant.restricted === true ? gatewayRefusal('-3') : accept(merchant);
}

/** Checks a new invoice in the order of the codes. Source: interface, "Payment gateway". */
export function readInvoice(settings: GatewaySettings, request: SendRequest): Result<Invoice> {
  const merchant = merchantOf(settings, request.api);
  if (!merchant.ok) return merchant;
  const { amount, callbackUrl, description } = request;
  if (amount === null) return gatewayRefusal('-5');
  if (!/^-?\d{1,15}$/.test(amount)) return gatewayRefusal('-6');
  if (Number(amount) < LEAST_AMOUNT) return gatewayRefusal('-7');
  if (callbackUrl === null) return gatewayRefusal('-8');
  // What is not plain ASCII can stand in no header, and so could never be gone back to.
  const origin = /^[\x21-\x7e]*$/.test(callbackUrl) ? URL_PARTS.exec(callbackUrl)?.[1] : undefined;
  if (origin === undefined) return gatewayRefusal('-10');
  if (origin.toLowerCase() !== merchant.value.callbackOrigin.replace(/\/$/, '').toLowerCase())
    return gatewayRefusal('-9');
  if (description !== null && description.length > LONGEST_DESCRIPTION) return gatewayRefusal('-11');
  const currencies = (request.currencies ?? settings.defaultCurrencies)
    .split(',')
    .map((text) => text.trim().toLowerCase());
  if (currencies.some((currency) => !settings.currencies.includes(currency))) return gatewayRefusal('-41');
  return accept({
    api: merchant.value.api,
    amount: Number(amount),
    callbackUrl,
    factorNumber: request.factorNumber,
    mobile: request.mobile,
    description,
    currencies: [...new Set(currencies)],
  });
}

/** A shop that takes payments through the gateway. Source: interface, "Payment gateway credentials". */
const merchantSettings = z.strictObject({
  api: z.string().regex(API, 'expected 4 to 64 letters, digits, hyphens or underscores'),
  /** Secret that is never sent; it is part of the hash of a verification. */
  apiSecret: plainText(),
  /** Scheme and host that `callbackURL` must have, such as `https://shop.example`. */
  callbackOrigin: z
    .string()
    .regex(/^https?:\/\/[^\s/]+\/?$/, 'expected a scheme and a host, such as https://shop.example'),
  restricted: z.boolean().optional(),
  /** User whose rial wallet is credited when a payment is verified; if omitted, none is credited. */
  username: plainText().optional(),
});

type MerchantSettings = Readonly<z.output<typeof merchantSettings>>;

/** Settings of the gateway. Currencies are the interface's; rates and the half hour are ours. */
export const gatewaySettings = z.strictObject({
  merchants: z.array(merchantSettings).default([]),
  /** Site to which payers are sent: `{siteUrl}/app/paygate/{token}`. */
  siteUrl: plainText().default('http://127.0.0.1:8900'),
  /** True if this gateway is the one of the test networks. */
  testNetwork: z.boolean().default(false),
  currencies: z.array(currencySymbol()).default(['btc', 'ltc']),
  defaultCurrencies: plainText().default('btc,ltc'),
  /** Price of 1 of a currency in rial if no market gives it, as decimal text. */
  rialRates: z.record(currencySymbol(), positiveDecimal()).prefault({ btc: '60000000000', ltc: '60000000' }),
  /** Time after creation within which a payment must be made. */
  payWithinMs: durationMs().default(1_800_000),
});

export type GatewaySettings = Readonly<z.output<typeof gatewaySettings>>;

/** The gateway's failures. Source: interface, "Payment gateway codes". */
const GATEWAY_MESSAGES = {
  '-1': 'API parameter is required',
  '-2': 'API not found',
  '-3': 'API is restricted',
  '-4': 'API is invalid',
  '-5': 'Amount parameter is required',
  '-6': 'Amount must be integer',
  '-7': 'Amount min value is 10000 rls',
  '-8': 'callbackURL parameter is required',
  '-9': 'callbackURL CORPS error',
  '-10': 'callbackURL format is invalid',
  '-11': 'Description must be less than 255 character',
  '-21': 'Invalid token',
  '-22': 'Token not found',
  '-23': 'Token is required',
  '-31': 'Unverified',
  '-32': 'Verified before',
  '-41': 'Invalid currency',
} as const;

type GatewayCode = keyof typeof GATEWAY_MESSAGES;
