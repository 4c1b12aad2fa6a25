/**
 * A reply as some deployment writes it, typed by hand from the interface, and the value that a caller of the
 * client must get. Nothing here or beside it imports the declarations of endpoints, so that a mistake in them
 * can not hide.
 */
export interface BodyCase {
  /** Name of the client's method. */
  readonly endpoint: string;
  /** Description of this form, as the end of "reads ...". */
  readonly form: string;
  /** A request that the client would send. */
  readonly request?: Readonly<Record<string, unknown>>;
  /** Raw JSON text. */
  readonly body: string;
  /** The decoded value. */
  readonly value?: unknown;
  /** Refusal by the exchange, in place of a value. */
  readonly refused?: { readonly code: string; readonly [field: string]: unknown };
}

export const BTC_RLS = {
  symbol: 'BTCIRT',
  base: 'btc',
  quote: 'rls',
  pair: 'BTC-RLS',
  statsKey: 'btc-rls',
} as const;
export const BTC_USDT = {
  symbol: 'BTCUSDT',
  base: 'btc',
  quote: 'usdt',
  pair: 'BTC-USDT',
  statsKey: 'btc-usdt',
} as const;
export const SHIB_USDT = {
  symbol: 'SHIBUSDT',
  base: 'shib',
  quote: 'usdt',
  pair: 'SHIB-USDT',
  statsKey: 'shib-usdt',
} as const;

/** Fields of a record of which the reply says nothing. */
export const nulls = (...fields: readonly string[]): Readonly<Record<string, null>> =>
  Object.fromEntries(fields.map((field) => [field, null]));
