import { z } from 'zod';
import { currencySymbol, decimalAmount, durationMs, positiveDecimal } from '../config-fields.ts';

const text = () => z.string().min(1);

/** Rial withdrawals: fees, bounds, how long each state lasts. */
export const withdrawalsConfig = z
  .strictObject({
    enabled: z.boolean().optional(),
    minimum: decimalAmount().optional(),
    maximum: decimalAmount().optional(),
    feeFlat: decimalAmount().optional(),
    feeMillionths: z.int().min(0).max(1_000_000).optional(),
    feeCeiling: decimalAmount().optional(),
    maximumPerDay: z.int().min(0).optional(),
    cancelWithinMs: durationMs().optional(),
    newForMs: durationMs().optional(),
    sentForMs: durationMs().optional(),
    paymentEveryMs: durationMs().optional(),
    largestPayment: positiveDecimal().optional(),
    transferType: z.enum(['normal', 'paya', 'satna']).optional(),
  })
  .default({});

const marginMarket = z.strictObject({
  positionFeeRate: decimalAmount().optional(),
  maxLeverage: positiveDecimal().optional(),
  sellEnabled: z.boolean().optional(),
  buyEnabled: z.boolean().optional(),
});

/** Replies of the margin reads. */
export const marginConfig = z
  .strictObject({
    markets: z.record(text(), marginMarket).nullable().optional(),
    maxLeverageByLevel: z.record(text(), positiveDecimal()).optional(),
    pools: z
      .record(
        currencySymbol(),
        z.strictObject({
          capacity: decimalAmount(),
          filledCapacity: decimalAmount().optional(),
          active: z.boolean().optional(),
        }),
      )
      .nullable()
      .optional(),
    defaultPoolCapacity: decimalAmount().optional(),
    delegationLimitRial: z.record(text(), decimalAmount()).optional(),
  })
  .default({});

/** The payment gateway and its merchants. */
export const gatewayConfig = z
  .strictObject({
    merchants: z
      .array(
        z.strictObject({
          api: z
            .string()
            .regex(/^[A-Za-z0-9_-]{4,64}$/, 'expected 4 to 64 letters, digits, hyphens or underscores'),
          apiSecret: text(),
          callbackOrigin: z
            .string()
            .regex(/^https?:\/\/[^\s/]+\/?$/, 'expected a scheme and a host, such as https://shop.example'),
          restricted: z.boolean().optional(),
          username: text().optional(),
        }),
      )
      .optional(),
    siteUrl: text().optional(),
    testNetwork: z.boolean().optional(),
    currencies: z.array(currencySymbol()).optional(),
    defaultCurrencies: text().optional(),
    rialRates: z.record(currencySymbol(), positiveDecimal()).optional(),
    payWithinMs: durationMs().optional(),
  })
  .default({});

const millionths = () => z.int().min(0).max(1_000_000);

/** Rules of trading that the interface states as constants or leaves open. */
export const tradingConfig = z
  .strictObject({
    priceBandMillionths: millionths().optional(),
    marketBandMillionths: millionths().optional(),
    duplicateWindowMs: durationMs().optional(),
    rejectedStatus: text().optional(),
    newForMs: durationMs().optional(),
    tradesListedMs: durationMs().optional(),
    recordVersions: z.boolean().optional(),
    historyKept: z.int().min(1).optional(),
    ordersKept: z.int().min(1).optional(),
  })
  .default({});

/** In which of the deployments' forms replies are written; see `WireForms`. */
export const formsConfig = z
  .strictObject({
    decimals: z.enum(['canonical', 'padded', 'number']).optional(),
    lastUpdate: z.enum(['seconds', 'milliseconds']).optional(),
    lastUpdateOf: z.enum(['change', 'snapshot']).optional(),
    orderBooks: z.enum(['v2-and-v3', 'v3']).optional(),
    globalStats: z.enum(['by-currency', 'by-provider']).optional(),
    options: z.enum(['flat', 'nested']).optional(),
    gatewayCode: z.enum(['text', 'number', 'trailing-minus']).optional(),
    failureField: z.enum(['code', 'error']).optional(),
    omitOptionalFields: z.boolean().optional(),
    unknownFields: z.boolean().optional(),
  })
  .default({});
