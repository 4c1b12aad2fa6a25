import { MARKET_NAMES } from '../../src/exchange/market-names.ts';
import { AssetLedger } from '../../src/portfolio/asset-ledger.ts';
import { writeInstance } from '../../src/engine/strategy-instance-record.ts';

/** Creates the empty ledger of a strategy that sees every market and has its result in `currency`. */
export const newLedger = (currency = 'usdt', quotes: readonly string[] = [currency]): AssetLedger =>
  new AssetLedger({ marketNames: MARKET_NAMES, currency, quotes: new Set(quotes), sees: () => true });

/** Returns what a bot stores of a strategy that has this ledger, and of what it did nothing unless told. */
export const instanceJson = (
  ledger: AssetLedger,
  did: Partial<Omit<Parameters<typeof writeInstance>[1], 'ledger'>> = {},
  state = '{}',
): string =>
  writeInstance(state, {
    ledger,
    requests: 0,
    fills: 0,
    orders: 0,
    fees: new Map(),
    capital: new Map(),
    ...did,
  });
