import { MARKET_NAMES } from '../../src/exchange/market-names.ts';
import { AssetLedger } from '../../src/portfolio/asset-ledger.ts';

/** Creates the empty ledger of a strategy that sees every market and has its result in `currency`. */
export const newLedger = (currency = 'usdt', quotes: readonly string[] = [currency]): AssetLedger =>
  new AssetLedger({ marketNames: MARKET_NAMES, currency, quotes: new Set(quotes), sees: () => true });
