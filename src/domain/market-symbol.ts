import type { Brand } from './brand.ts';
import { SarrafError } from './errors.ts';

/** A market by its spelling in public paths, the one used inside: `BTCIRT`, `BTCUSDT`. */
export type MarketSymbol = Brand<string, 'MarketSymbol'>;

/** The currency that a market is priced in: `rls` (rial, not toman) or `usdt`. */
export type QuoteCurrency = 'rls' | 'usdt';

/** The four spellings of one market. */
export interface MarketName {
  /** Public paths and options: `BTCIRT`. */
  readonly symbol: MarketSymbol;
  /** Requests, lower case: `btc`. */
  readonly base: string;
  /** Requests, lower case: `rls`. */
  readonly quote: QuoteCurrency;
  /** `market` of order and trade records: `BTC-RLS`. */
  readonly pair: string;
  /** Key of the statistics: `btc-rls`. */
  readonly statsKey: string;
}

/** Spellings, and pairs of currencies, that were read before: every order and fill asks for its market. Emptied when they are full. */
const KNOWN = new Map<string, MarketName>();
const KNOWN_PAIRS = new Map<string, MarketName>();
const MOST_KNOWN = 1_000;

const CURRENCY = /^[a-z0-9_]{1,20}$/;

/** The market of a source currency and a quote currency, lower case. Throws `INVALID_MARKET` for anything else. */
export function marketOfCurrencies(base: string, quote: string): MarketName {
  return remembered(KNOWN_PAIRS, `${base} ${quote}`, () => nameOf(base, quote));
}

function nameOf(base: string, quote: string): MarketName {
  if (!CURRENCY.test(base) || (quote !== 'rls' && quote !== 'usdt') || base === quote) {
    throw new SarrafError(
      'INVALID_MARKET',
      `expected a source currency such as "btc" and "rls" or "usdt", was ${JSON.stringify(base)} and ${JSON.stringify(quote)}`,
    );
  }
  const upper = base.toUpperCase();
  return {
    symbol: `${upper}${quote === 'rls' ? 'IRT' : 'USDT'}` as MarketSymbol,
    base,
    quote,
    pair: `${upper}-${quote.toUpperCase()}`,
    statsKey: `${base}-${quote}`,
  };
}

/** The market that any of the four spellings names: `BTCIRT`, `BTC-RLS`, `btc-rls`, `btc/rls`. Throws `INVALID_MARKET`. */
export function parseMarket(spelling: string): MarketName {
  return remembered(KNOWN, spelling, () => readMarket(spelling));
}

function remembered(known: Map<string, MarketName>, name: string, read: () => MarketName): MarketName {
  const found = known.get(name);
  if (found !== undefined) return found;
  const market = read();
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(name, market);
  return market;
}

function readMarket(spelling: string): MarketName {
  const text = spelling.toLowerCase();
  const split = /^([a-z0-9_]+)[-/](rls|irt|usdt)$/.exec(text) ?? /^([a-z0-9_]+?)(irt|usdt)$/.exec(text);
  const base = split?.[1];
  const quote = split?.[2];
  if (base === undefined || quote === undefined || base === quote) {
    throw new SarrafError(
      'INVALID_MARKET',
      `expected a market such as "BTCIRT" or "btc-rls", was ${JSON.stringify(spelling)}`,
    );
  }
  return nameOf(base, quote === 'irt' ? 'rls' : quote);
}
