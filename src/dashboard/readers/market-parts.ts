import { SarrafError } from '../../domain/errors.ts';
import type { MarketName } from '../../domain/market-symbol.ts';
import { sentence } from '../../language/sentence.ts';
import { parseMarket } from '../../exchange/market-names.ts';
import { ApiError } from '../api-error.ts';

/** The parts of a market's name; null for a text that is none. */
export function tryMarket(text: string): MarketName | null {
  try {
    return parseMarket(text);
  } catch (error) {
    if (error instanceof SarrafError) return null;
    throw error;
  }
}

/** The same of what somebody asks for, in any spelling. Throws `ApiError`. */
export function askedMarket(text: string, field = 'market'): MarketName {
  const market = tryMarket(text);
  if (market === null)
    throw new ApiError('invalid-request', sentence('not-a-market-name', { found: JSON.stringify(text) }), {
      field,
    });
  return market;
}
