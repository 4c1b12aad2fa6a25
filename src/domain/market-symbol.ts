import type { Brand } from './brand.ts';
import { SarrafError } from './errors.ts';

/** A market by its spelling in public paths, the one used inside: `BTCIRT`, `BTCUSDT`. */
export type MarketSymbol = Brand<string, 'MarketSymbol'>;

/** The currency that a market is priced in: `rls` (rial, not toman) or `usdt`. */
export type QuoteCurrency = 'rls' | 'usdt';

/** How a quote currency is spelled at the end of a symbol, and how many decimals people write of it. */
const QUOTES: Readonly<Record<QuoteCurrency, { readonly ending: string; readonly decimals: number }>> = {
  rls: { ending: 'IRT', decimals: 0 },
  usdt: { ending: 'USDT', decimals: 2 },
};

/** The two quote currencies meet in one market, the bridge: it prices the second in the first. */
export const BRIDGE_QUOTE = 'rls';
export const BRIDGE_BASE = 'usdt';
export const QUOTE_CURRENCIES = [BRIDGE_QUOTE, BRIDGE_BASE] as const;

/** One value for each quote currency. */
export function perQuote<Value>(
  inBridgeQuote: Value,
  inBridgeBase: Value,
): Readonly<Record<QuoteCurrency, Value>> {
  return { rls: inBridgeQuote, usdt: inBridgeBase };
}

export function otherQuote(quote: QuoteCurrency): QuoteCurrency {
  return quote === BRIDGE_QUOTE ? BRIDGE_BASE : BRIDGE_QUOTE;
}

function isQuoteCurrency(currency: string): currency is QuoteCurrency {
  return currency === BRIDGE_QUOTE || currency === BRIDGE_BASE;
}

/** Decimals that people write of a currency; coins have eight. */
export function decimalsOf(currency: string): number | null {
  return isQuoteCurrency(currency) ? QUOTES[currency].decimals : null;
}

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

/**
 * Spellings, and pairs of currencies, that were read before: every order and fill asks for its market.
 * Emptied when they are full.
 */
const KNOWN = new Map<string, MarketName>();
const KNOWN_PAIRS = new Map<string, MarketName>();
const MOST_KNOWN = 1_000;

/** Quote currencies by how they are spelled: by name, and by their ending. */
const ENDINGS = QUOTE_CURRENCIES.map((quote) => [QUOTES[quote].ending.toLowerCase(), quote] as const);
const QUOTE_OF: ReadonlyMap<string, QuoteCurrency> = new Map([
  ...ENDINGS,
  ...QUOTE_CURRENCIES.map((quote) => [quote, quote] as const),
]);
const SPLIT_PAIR = new RegExp(`^([a-z0-9_]+)[-/](${[...QUOTE_OF.keys()].join('|')})$`);
const SYMBOL = new RegExp(`^([a-z0-9_]+?)(${ENDINGS.map(([ending]) => ending).join('|')})$`);

const CURRENCY = /^[a-z0-9_]{1,20}$/;

/**
 * The market of a source currency and a quote currency, lower case. Throws `INVALID_MARKET` for anything
 * else.
 */
export function marketOfCurrencies(base: string, quote: string): MarketName {
  return remembered(KNOWN_PAIRS, `${base} ${quote}`, () => nameOf(base, quote));
}

function nameOf(base: string, quote: string): MarketName {
  if (!CURRENCY.test(base) || !isQuoteCurrency(quote) || base === quote) {
    throw new SarrafError(
      'INVALID_MARKET',
      `expected a source currency such as "btc" and ${QUOTE_CURRENCIES.map((known) => JSON.stringify(known)).join(' or ')}, was ${JSON.stringify(base)} and ${JSON.stringify(quote)}`,
    );
  }
  const upper = base.toUpperCase();
  return {
    symbol: `${upper}${QUOTES[quote].ending}` as MarketSymbol,
    base,
    quote,
    pair: `${upper}-${quote.toUpperCase()}`,
    statsKey: `${base}-${quote}`,
  };
}

/**
 * The market that any of the four spellings names: `BTCIRT`, `BTC-RLS`, `btc-rls`, `btc/rls`. Throws
 * `INVALID_MARKET`.
 */
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
  const split = SPLIT_PAIR.exec(text) ?? SYMBOL.exec(text);
  const base = split?.[1];
  const quote = QUOTE_OF.get(split?.[2] ?? '');
  if (base === undefined || quote === undefined || base === quote) {
    throw new SarrafError(
      'INVALID_MARKET',
      `expected a market such as "BTC${QUOTES[BRIDGE_QUOTE].ending}" or "btc-${BRIDGE_QUOTE}", was ${JSON.stringify(spelling)}`,
    );
  }
  return nameOf(base, quote);
}

/** The market of the two quote currencies. */
export const BRIDGE: MarketSymbol = nameOf(BRIDGE_BASE, BRIDGE_QUOTE).symbol;

/**
 * The market of a currency priced in a quote currency, by its symbol. Whether there is one is for the
 * exchange to say.
 */
export function symbolOf(asset: string, quote: QuoteCurrency): string {
  return `${asset.toUpperCase()}${QUOTES[quote].ending}`;
}
