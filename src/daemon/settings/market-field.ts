import { z } from 'zod';
import { SarrafError } from '../../domain/errors.ts';
import { parseMarket, type MarketSymbol } from '../../domain/market-symbol.ts';

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
