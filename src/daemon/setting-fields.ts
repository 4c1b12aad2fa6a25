import { z } from 'zod';
import { SarrafError } from '../domain/errors.ts';
import type { MarketSymbol } from '../domain/market-symbol.ts';
import { MARKET_NAMES, parseMarket } from '../exchange/market-names.ts';
import { parseUnits } from '../domain/money.ts';
import { currencySymbol, decimalAmount, positiveDecimal } from '../simulator-server/config-fields.ts';
import { DURATION, formatDuration, parseDuration } from './duration-text.ts';

/** The longest time that may be written where no other bound is given. */
const LONGEST_MS = 366 * 86_400_000;

/** A length of time as text, read to milliseconds, within the bounds (both included). */
export const duration = (bounds: { readonly leastMs?: number; readonly mostMs?: number } = {}) =>
  z
    .string({ error: 'expected a length of time with its unit, such as 30s, 5m or 2h' })
    .meta({ pattern: DURATION.source })
    .transform((text, context) => {
      const { leastMs = 1, mostMs = LONGEST_MS } = bounds;
      const read = parseDuration(text);
      if (read !== null && read >= leastMs && read <= mostMs) return read;
      const range = `${formatDuration(leastMs)} to ${formatDuration(mostMs)}`;
      const message = `expected a length of time from ${range}, such as 30s, 5m or 2h, was ${JSON.stringify(text)}`;
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    });

/**
 * The address of an exchange: scheme, host and maybe a port, nothing after them. Read to its origin, such as
 * `https://exchange.example`.
 */
export const address = () =>
  z.string({ error: 'expected an address such as https://exchange.example' }).transform((text, context) => {
    const url = URL.parse(text);
    const isPlain =
      url !== null &&
      url.pathname === '/' &&
      url.search === '' &&
      url.hash === '' &&
      url.username === '' &&
      url.password === '';
    if (isPlain && (url.protocol === 'https:' || url.protocol === 'http:')) return url.origin;
    // The text is not repeated: someone may have written a password into it.
    const message = 'expected an address of scheme and host alone, such as https://exchange.example';
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });

/** True if data sent to the address never leaves this machine. */
export function isLoopback(baseUrl: string): boolean {
  const host = URL.parse(baseUrl)?.hostname ?? '';
  return host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

/** A market in any of its spellings (`BTCIRT`, `btc-rls`), read to its symbol. */
export const marketSymbol = () =>
  z.string({ error: 'expected a market such as BTCIRT' }).transform((spelling, context): MarketSymbol => {
    try {
      return parseMarket(spelling).symbol;
    } catch (error) {
      if (!(error instanceof SarrafError)) throw error;
      context.addIssue({ code: 'custom', message: error.message });
      return z.NEVER;
    }
  });

/** A decimal of the quote currencies it is given for: `{ rls: '50000000', usdt: '500' }`. */
export const perQuoteField = () =>
  z.strictObject({ rls: positiveDecimal().optional(), usdt: positiveDecimal().optional() });

const units = () => decimalAmount().transform((text) => parseUnits(text));

/**
 * A limit on a value by quote currency, read to units. A currency left out takes the limit from where this
 * one is laid over, null has none.
 */
export const valueLimit = () =>
  z
    .strictObject({ rls: units().nullable().optional(), usdt: units().nullable().optional() })
    .nullable()
    .optional();

/** A limit on an amount by base currency, read to units. */
export const amountLimit = () => z.record(currencySymbol(), units().nullable()).nullable().optional();

/** Initial balances of an account, by currency. */
export const balances = () => z.record(currencySymbol(), decimalAmount());

/** Coins by currency, read without the quote currencies: `{ btc: '0.5' }`. */
export const inventory = () =>
  z.record(currencySymbol(), positiveDecimal()).superRefine((coins, context) => {
    for (const { currency } of MARKET_NAMES.quotes) {
      const amount = coins[currency];
      if (amount === undefined) continue;
      const message = `expected a coin such as btc, was ${currency}, which counts with capital: write capital: { ${currency}: '${amount}' }`;
      context.addIssue({ code: 'custom', path: [currency], message });
    }
  });
