import { z } from 'zod';
import type { DecimalText } from '../../domain/decimal-text.ts';
import { anyValue, decimalField, recordOf, withoutPrototype } from '../reply-types.ts';

/** Trading data of the options call. Steps are decimals of any size: `10` and `0.000001` both occur. */
export interface ExchangeOptions {
  /** Least value of an order, by quote currency: `rls`, `usdt`. Empty where the reply lacks them. */
  readonly minOrders: Readonly<Record<string, DecimalText>>;
  /** By market symbol: `BTCIRT`. */
  readonly amountSteps: Readonly<Record<string, DecimalText>>;
  /** Price steps by market symbol. */
  readonly priceSteps: Readonly<Record<string, DecimalText>>;
  readonly activeCurrencies: readonly string[];
  /** As the exchange sends them. */
  readonly features: Readonly<Record<string, unknown>>;
  /** As the exchange sends them; their numbers may hold underscores (`4_000.0`). */
  readonly coins: readonly Readonly<Record<string, unknown>>[];
}

const NOTHING = Object.freeze(withoutPrototype<never>([]));

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const decimals = recordOf(decimalField);

const serviceOptions = z.object({
  minOrders: decimals.nullish(),
  amountPrecisions: decimals.nullish(),
  pricePrecisions: decimals.nullish(),
  activeCurrencies: z.array(z.string()).nullish(),
});

const FIELDS = new Set(['minOrders', 'amountPrecisions', 'pricePrecisions', 'activeCurrencies']);

/**
 * The part that stands under the service's own name, whatever that is: an object that holds any of the
 * fields, or flat keys such as `service.minOrders`. Empty where there is neither.
 */
function findServiceOptions(body: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  for (const value of Object.values(body)) {
    if (isObject(value) && Object.keys(value).some((field) => FIELDS.has(field))) return value;
  }
  return withoutPrototype(
    Object.entries(body)
      .map(([key, value]) => [key.slice(key.lastIndexOf('.') + 1), value] as const)
      .filter(([field]) => FIELDS.has(field)),
  );
}

/** Numeric currency ids repeat what the symbols say. */
const withoutNumericKeys = (
  entries: Readonly<Record<string, DecimalText>>,
): Readonly<Record<string, DecimalText>> =>
  withoutPrototype(Object.entries(entries).filter(([key]) => !/^\d+$/.test(key)));

/** "Wallets", the last paragraph, and what deployments add to it. */
export const optionsReply = z
  .looseObject({
    features: recordOf(anyValue).nullish(),
    coins: z.array(recordOf(anyValue)).nullish(),
  })
  .transform((body, context): ExchangeOptions => {
    const found = findServiceOptions(body);
    if (Object.keys(found).length === 0) {
      const message = `expected any of ${[...FIELDS].join(', ')}, was none`;
      context.addIssue({ code: 'custom', path: ['service'], message, input: body });
      return z.NEVER;
    }
    const service = serviceOptions.safeParse(found);
    if (!service.success) {
      for (const { path, message } of service.error.issues) {
        context.addIssue({ code: 'custom', path: ['service', ...path], message, input: body });
      }
      return z.NEVER;
    }
    const { minOrders, amountPrecisions, pricePrecisions, activeCurrencies } = service.data;
    return {
      minOrders: withoutNumericKeys(minOrders ?? NOTHING),
      amountSteps: amountPrecisions ?? NOTHING,
      priceSteps: pricePrecisions ?? NOTHING,
      activeCurrencies: activeCurrencies ?? [],
      features: body.features ?? NOTHING,
      coins: body.coins ?? [],
    };
  });
