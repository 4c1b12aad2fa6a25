import { MARKET_NAMES } from '../../src/exchange/market-names.ts';
import { AssetLedger } from '../../src/portfolio/asset-ledger.ts';

/** The empty ledger of a strategy whose result is in a currency, and which sees every market. */
export const newLedger = (currency = 'usdt', quotes: readonly string[] = [currency]): AssetLedger =>
  new AssetLedger({ marketNames: MARKET_NAMES, currency, quotes: new Set(quotes), sees: () => true });
