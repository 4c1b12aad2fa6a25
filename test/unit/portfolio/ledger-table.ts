import type { Currency } from '../../../src/domain/market-symbol.ts';
import { parseMarket, MARKET_NAMES } from '../../../src/exchange/market-names.ts';
import { parseUnits, UNITS_PER_ONE, type Units, divideHalfEven } from '../../../src/domain/money.ts';
import { AssetLedger, type LedgerTrade } from '../../../src/portfolio/asset-ledger.ts';

export const MIDNIGHT_MS = Date.UTC(2026, 0, 2);
const HOUR_MS = 3_600_000;

/** Makes the ledger of a strategy whose markets have these quote currencies; its bot sees every market. */
export function ledgerOf(...quotes: readonly Currency[]): AssetLedger {
  const currency = quotes.includes('rls') ? 'rls' : 'usdt';
  return new AssetLedger({ marketNames: MARKET_NAMES, currency, quotes: new Set(quotes), sees: () => true });
}

/**
 * Reads a trade such as `buy 1 for 100 fee 0.0025`, of BTCUSDT unless it says `in ETHUSDT`. The fee is in the
 * currency received, unless it says `from bnb`, maybe `worth 0.25`.
 */
function tradeOf(text: string, atMs: number): LedgerTrade {
  const words = text.split(' ');
  const after = (word: string, otherwise: string) =>
    words[words.indexOf(word) + 1 || words.length] ?? otherwise;
  const side = text.startsWith('buy') ? 'buy' : 'sell';
  const amount = parseUnits(after(side, ''));
  const total = parseUnits(after('for', ''));
  const worth = after('worth', '');
  return {
    market: parseMarket(after('in', 'BTCUSDT')),
    side,
    atMs,
    price: divideHalfEven(total * UNITS_PER_ONE, amount) as Units,
    amount,
    total,
    fee: parseUnits(after('fee', '0')),
    feeCurrency: words.includes('from') ? after('from', '') : null,
    feeValue: worth === '' ? null : parseUnits(worth),
    leastAmount: parseUnits('0.000001'),
  };
}

/** Plays steps such as `buy 1 for 100`, `at 110`, `ETHUSDT at 50`, `1h later`; returns the time after. */
export function play(ledger: AssetLedger, steps: string, fromMs: number = MIDNIGHT_MS): number {
  let atMs = fromMs;
  for (const step of steps.split(',').map((text) => text.trim())) {
    const words = step.split(' ');
    const symbol = words[0] === 'at' ? 'BTCUSDT' : (words[0] ?? '');
    if (step.endsWith('later')) atMs += Number.parseFloat(step) * HOUR_MS;
    else if (/^(buy|sell)/.test(step)) ledger.applyTrade(tradeOf(step, atMs));
    else {
      const price = parseUnits(words.at(-1) ?? '');
      ledger.applyPrices((market) => (market === symbol ? price : null), atMs);
    }
  }
  return atMs;
}
