import { z } from 'zod';
import type { DecimalText } from '../../domain/decimal-text.ts';
import { decimal } from '../reply-types.ts';

/** What the options call says about trading. Steps are decimals of any size: `10` and `0.000001` both occur. */
export interface ExchangeOptions {
  /** Least value of an order, by quote currency: `rls`, `usdt`. */
  readonly minOrders: Readonly<Record<string, DecimalText>>;
  /** By market symbol: `BTCIRT`. */
  readonly amountSteps: Readonly<Record<string, DecimalText>>;
  /** By market symbol. */
  readonly priceSteps: Readonly<Record<string, DecimalText>>;
  readonly activeCurrencies: readonly string[];
  /** As the exchange sends them. */
  readonly features: Readonly<Record<string, unknown>>;
  /** As the exchange sends them; their numbers may hold underscores (`4_000.0`). */
  readonly coins: readonly Readonly<Record<string, unknown>>[];
}

const decimals = z.record(z.string(), decimal);

const serviceOptions = z.object({
  minOrders: decimals,
  amountPrecisions: decimals.optional(),
  pricePrecisions: decimals.optional(),
  activeCurrencies: z.array(z.string()).nullish(),
});

const FIELDS = new Set(['minOrders', 'amountPrecisions', 'pricePrecisions', 'activeCurrencies']);

/**
 * The part that stands under the service's own name, whatever that is: an object that holds `minOrders`, or flat keys such as
 * `service.minOrders`.
 */
function findServiceOptions(body: Readonly<Record<string, unknown>>): unknown {
  for (const value of Object.values(body)) {
    if (typeof value === 'object' && value !== null && 'minOrders' in value) return value;
  }
  const flat: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(body)) {
    const field = key.slice(key.lastIndexOf('.') + 1);
    if (FIELDS.has(field)) flat[field] = value;
  }
  return flat;
}

/** Numeric currency ids repeat what the symbols say. */
const withoutNumericKeys = (entries: Readonly<Record<string, DecimalText>>): Readonly<Record<string, DecimalText>> =>
  Object.fromEntries(Object.entries(entries).filter(([key]) => !/^\d+$/.test(key)));

/** "Wallets", the last paragraph, and what deployments add to it. */
export const optionsReply = z
  .looseObject({
    features: z.record(z.string(), z.unknown()).nullish(),
    coins: z.array(z.record(z.string(), z.unknown())).nullish(),
  })
  .transform((body, context): ExchangeOptions => {
    const service = serviceOptions.safeParse(findServiceOptions(body));
    if (!service.success) {
      for (const { path, message } of service.error.issues) {
        context.addIssue({ code: 'custom', path: ['service', ...path], message, input: body });
      }
      return z.NEVER;
    }
    const { minOrders, amountPrecisions, pricePrecisions, activeCurrencies } = service.data;
    return {
      minOrders: withoutNumericKeys(minOrders),
      amountSteps: amountPrecisions ?? {},
      priceSteps: pricePrecisions ?? {},
      activeCurrencies: activeCurrencies ?? [],
      features: body.features ?? {},
      coins: body.coins ?? [],
    };
  });
