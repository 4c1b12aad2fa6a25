import { z } from 'zod';
import { parseMarket } from '../domain/market-symbol.ts';
import type { Units } from '../domain/money.ts';
import { storedCount, storedTimeMs } from '../domain/stored-json.ts';
import type { AssetLedger } from './asset-ledger.ts';
import { atOwnCost, NO_HOLDING } from './holding.ts';
import { addMoney, moneyIn } from './quote-money.ts';
import { TRACK_TO_BEGIN } from './pnl-track.ts';

/** Units as mirrors up to version 0.1 wrote them: whole numbers such as `120n`. */
export const earlierUnits = z
  .string()
  .regex(/^-?\d{1,80}n$/, 'expected a whole number such as "120n"')
  .transform((text) => BigInt(text.slice(0, -1)) as Units);

const market = z.object({
  position: earlierUnits,
  cash: earlierUnits,
  cost: earlierUnits,
  realised: earlierUnits,
  price: earlierUnits,
  tripBeganWith: earlierUnits,
});

const result = z.object({
  markets: z.record(z.string(), market),
  result: earlierUnits,
  peakResult: earlierUnits,
  day: storedCount,
  dayBeganWith: earlierUnits,
  lossesInARow: storedCount,
  lastLossAtMs: storedTimeMs.nullable(),
});

/** What mirrors kept of a strategy up to version 0.1: results by quote currency and market. */
export const earlierResults = z.object({ rls: result, usdt: result });

type EarlierResults = z.output<typeof earlierResults>;

/**
 * Puts results of the earlier form into a new ledger: positions of a coin add up over its markets, and cash is what is held of the quote currency. A strategy
 * of one quote currency keeps its marks as they are. Of one with both, each result gets by counting what it did not; the loss of the day and the fall
 * from the highest stay what they were.
 */
export function restoreEarlier(ledger: AssetLedger, earlier: EarlierResults, atMs: number): void {
  const { state, currency } = ledger;
  const quotes = (['rls', 'usdt'] as const).filter((quote) => Object.keys(earlier[quote].markets).length > 0);
  const { holdings, flows, prices } = state;
  for (const quote of state.tracks.keys()) state.tracks.set(quote, TRACK_TO_BEGIN);
  for (const quote of quotes) {
    for (const [symbol, market] of Object.entries(earlier[quote].markets)) {
      const { base } = parseMarket(symbol);
      const { position, cash, cost, realised, price, tripBeganWith } = market;
      flows.set(symbol, { position, cash });
      if (price > 0n) prices.set(symbol, { price, atMs });
      const coin = holdings.get(base) ?? NO_HOLDING;
      holdings.set(base, {
        held: (coin.held + position) as Units,
        cost: addMoney(coin.cost, moneyIn(quote, cost)),
        realised: addMoney(coin.realised, moneyIn(quote, realised)),
        tripBeganWith: addMoney(coin.tripBeganWith, moneyIn(quote, tripBeganWith)),
      });
      const money = holdings.get(quote) ?? NO_HOLDING;
      const spent = quote === currency ? NO_HOLDING : atOwnCost(quote, cash);
      holdings.set(quote, { ...money, held: (money.held + cash) as Units, cost: addMoney(money.cost, spent.cost) });
    }
    const { result, peakResult, day, dayBeganWith, lossesInARow, lastLossAtMs } = earlier[quote];
    const hasBegun = quotes.length === 1;
    state.tracks.set(quote, { marks: { result, peakResult, day, dayBeganWith, hasBegun }, unvalued: [] });
    const { streak } = state;
    state.streak = {
      lossesInARow: Math.max(streak.lossesInARow, lossesInARow),
      lastLossAtMs: laterOf(streak.lastLossAtMs, lastLossAtMs),
    };
  }
  ledger.begin();
}

function laterOf(left: number | null, right: number | null): number | null {
  return left === null || right === null ? (left ?? right) : Math.max(left, right);
}
