import { z } from 'zod';
import { rateOfPercent, createMarket, parsePrice } from '../domain/market.ts';
import { currencySettings } from '../simulator/deposits.ts';
import { currencySymbol, decimalAmount, positiveDecimal } from '../simulator/setting-fields.ts';
import { SarrafError, present } from '../domain/errors.ts';
import type { Currency, MarketName } from '../domain/market-symbol.ts';
import { parseMarket } from '../exchange/market-names.ts';

/** Largest fee: all of the amount that it is taken from. */
const WHOLE_MILLIONTHS = 1_000_000;

/** Schema of a fee in percent, at most 100, which is read as millionths. */
export const feePercent = () =>
  decimalAmount().transform((text, context): number => {
    try {
      const rate = rateOfPercent(text);
      if (rate > WHOLE_MILLIONTHS) throw new RangeError('more than all');
      return rate;
    } catch {
      const message = `expected a percent of at most 100 with at most four decimals, such as "0.25", was "${text}"`;
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    }
  });

/** Removes undefined fields, so that they do not hide defaults. */
export function defined<T extends object>(value: T): { [Name in keyof T]: Exclude<T[Name], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as {
    [Name in keyof T]: Exclude<T[Name], undefined>;
  };
}

/** Least order values of the interface ("Order placement codes"). */
const MIN_ORDER_VALUES: Readonly<Record<Currency, string>> = { rls: '3000000', usdt: '11' };

/** Returns the interface's least order value of a market, by its quote currency. */
export const interfaceMinOrderValue = ({ quote }: MarketName): string =>
  present(MIN_ORDER_VALUES[quote], () => `the least order value of markets in ${quote}`);

/** Schema of one market. Steps are decimals of any size: `"10"` and `"0.00000001"`. */
export const marketConfig = z
  .strictObject({
    /** Symbol in any spelling: `BTCIRT`, `btc-rls`. */
    symbol: z.string(),
    priceStep: positiveDecimal(),
    amountStep: positiveDecimal(),
    /** Price before the first trade. */
    initialPrice: positiveDecimal(),
    /** Least order value in the quote currency; by default the interface's. */
    minOrderValue: decimalAmount().optional(),
  })
  .transform((config, context) => {
    const { symbol, priceStep, amountStep, initialPrice, minOrderValue } = config;
    try {
      const name = parseMarket(symbol);
      const market = createMarket({
        market: name,
        priceStep,
        amountStep,
        minOrderValue: minOrderValue ?? interfaceMinOrderValue(name),
      });
      parsePrice(market, initialPrice);
      return { market, initialPrice };
    } catch (error) {
      if (!(error instanceof SarrafError)) throw error;
      const path = error.code === 'INVALID_MARKET' ? ['symbol'] : ['initialPrice'];
      context.addIssue({ code: 'custom', path, message: error.message });
      return z.NEVER;
    }
  });

const rates = (maker: string, taker: string) =>
  z.strictObject({ maker: feePercent(), taker: feePercent() }).prefault({ maker, taker });

/** Schema of fees in percent by quote currency; by default the usual base tier. */
export const feesConfig = z
  .strictObject({ rls: rates('0.20', '0.25'), usdt: rates('0.10', '0.13') })
  .prefault({});

export const currenciesConfig = z.record(currencySymbol(), currencySettings).default({});

/** Default markets of an exchange: priced in rial and in tether, with large and tiny prices. */
export const DEFAULT_MARKETS: readonly z.input<typeof marketConfig>[] = [
  { symbol: 'BTCIRT', priceStep: '10', amountStep: '0.000001', initialPrice: '60000000000' },
  { symbol: 'BTCUSDT', priceStep: '0.01', amountStep: '0.000001', initialPrice: '65000' },
  { symbol: 'ETHIRT', priceStep: '10', amountStep: '0.00001', initialPrice: '3200000000' },
  { symbol: 'ETHUSDT', priceStep: '0.01', amountStep: '0.00001', initialPrice: '3450' },
  { symbol: 'USDTIRT', priceStep: '10', amountStep: '0.01', initialPrice: '925000' },
  { symbol: 'SHIBUSDT', priceStep: '0.00000001', amountStep: '1', initialPrice: '0.00001725' },
];
