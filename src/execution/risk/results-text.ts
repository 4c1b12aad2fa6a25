import { decimalText } from '../../domain/decimal-text.ts';
import { SarrafError } from '../../domain/errors.ts';
import { formatUnits, unitsOf, type Units } from '../../domain/money.ts';
import type { MarketResult } from './market-result.ts';
import { resultOfMarket, type Results } from './results.ts';

/** Results as JSON, units as decimal texts, for the mirror to keep. The sum of the markets is not written: it follows from them. */
export function writeResults(results: Results): string {
  return JSON.stringify({ ...results, result: undefined }, (_, value: unknown) =>
    typeof value === 'bigint' ? formatUnits(value) : value,
  );
}

/**
 * Results as `writeResults` wrote them.
 * @throws SarrafError `DATA_UNUSABLE` when the text is not that.
 */
export function readResults(text: string): Results {
  try {
    const fields = fieldsOf(JSON.parse(text), 'the results');
    const { quote, lastLossAtMs } = fields;
    if (quote !== 'rls' && quote !== 'usdt')
      throw new Error(`expected quote to be "rls" or "usdt", was ${String(quote)}`);
    const markets = Object.fromEntries(
      Object.entries(fieldsOf(fields['markets'], 'markets')).map(([symbol, kept]) => [symbol, readMarket(kept)]),
    );
    return {
      quote,
      markets,
      result: Object.values(markets).reduce((sum, market) => sum + resultOfMarket(market), 0n) as Units,
      peakResult: readUnits(fields, 'peakResult'),
      day: readCount(fields, 'day'),
      dayBeganWith: readUnits(fields, 'dayBeganWith'),
      lossesInARow: readCount(fields, 'lossesInARow'),
      lastLossAtMs: lastLossAtMs === null ? null : readCount(fields, 'lastLossAtMs'),
    };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new SarrafError('DATA_UNUSABLE', `expected the kept results of a strategy, was ${text}: ${reason}`, {
      cause: error,
    });
  }
}

function readMarket(kept: unknown): MarketResult {
  const fields = fieldsOf(kept, 'a market');
  return {
    position: readUnits(fields, 'position'),
    cash: readUnits(fields, 'cash'),
    cost: readUnits(fields, 'cost'),
    realised: readUnits(fields, 'realised'),
    price: readUnits(fields, 'price'),
    tripBeganWith: readUnits(fields, 'tripBeganWith'),
    trips: readCount(fields, 'trips'),
    lastTripResult: readUnits(fields, 'lastTripResult'),
  };
}

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(value: unknown, what: string): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw new Error(`expected ${what} to be an object`);
}

function readUnits(fields: Fields, name: string): Units {
  const value = fields[name];
  if (typeof value !== 'string') throw new Error(`expected ${name} to be a decimal text, was ${String(value)}`);
  return unitsOf(decimalText(value));
}

function readCount(fields: Fields, name: string): number {
  const value = fields[name];
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value;
  throw new Error(`expected ${name} to be a number that is not negative, was ${String(value)}`);
}
