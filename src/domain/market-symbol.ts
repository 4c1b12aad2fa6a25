import type { Brand } from './decimal-text.ts';
import { SarrafError } from './errors.ts';

/** Symbol of a market as public paths spell it, and as it is used inside: `BTCUSDT`. */
export type MarketSymbol = Brand<string, 'MarketSymbol'>;

/** A market of another venue than the bot's: the venue's name in the configuration, and its own symbol. */
interface OtherMarket {
  readonly venue: string;
  readonly symbol: string;
}

/** Pattern of the name of another venue. */
export const OTHER_VENUE = /^[a-z][a-z0-9-]{0,19}$/;

const OTHER_SYMBOL = /^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/;

/**
 * Returns the text that stands for a market of another venue, such as `world:BTCUSDT`. The symbol is the one
 * of that venue. Throws `INVALID_MARKET` for one that is no name of a folder either.
 */
export function otherMarketText({ venue, symbol }: OtherMarket): string {
  if (OTHER_SYMBOL.test(symbol)) return `${venue}:${symbol}`;
  throw new SarrafError(
    'INVALID_MARKET',
    `expected a symbol of at most 40 letters, digits, dots, hyphens and underscores, as ${venue} writes it, was ${JSON.stringify(symbol)}`,
  );
}

/** Returns the market of another venue that a text stands for; null for one of the bot's own exchange. */
export function otherMarketOf(text: string): OtherMarket | null {
  const [venue = '', symbol, more] = text.split(':');
  if (symbol === undefined || more !== undefined) return null;
  return OTHER_VENUE.test(venue) && OTHER_SYMBOL.test(symbol) ? { venue, symbol } : null;
}

/** Name of a currency at the exchange, in lower case: `btc`, `usdt`. */
export type Currency = string;

/** A currency that markets are priced in. */
interface QuoteRule {
  readonly currency: Currency;
  /** Common name of the currency. */
  readonly name: string;
  /** Spelling of the currency at the end of a symbol, in upper case. */
  readonly ending: string;
  /** Number of decimals people write of the currency. */
  readonly decimals: number;
}

/** The market between the two quote currencies: it prices `base` in `quote`. */
interface Bridge {
  readonly market: MarketSymbol;
  readonly base: Currency;
  readonly quote: Currency;
}

/** The four spellings of one market. */
export interface MarketName {
  /** Spelling in public paths and options: the base, then the ending of the quote currency. */
  readonly symbol: MarketSymbol;
  /** Base currency in requests, lower case: `btc`. */
  readonly base: Currency;
  /** Quote currency in requests, lower case: `usdt`. */
  readonly quote: Currency;
  /** Spelling in the field `market` of order and trade records: `BTC-USDT`. */
  readonly pair: string;
  /** Key in the market statistics: `btc-usdt`. */
  readonly statsKey: string;
}

/** Market names of one exchange, with its two quote currencies. */
export interface MarketNames {
  /** The bridge's quote currency, then the bridge's base. */
  readonly quotes: readonly [QuoteRule, QuoteRule];
  readonly bridge: Bridge;
  /** Returns the market of any spelling, such as `BTCUSDT` or `btc-usdt`. Throws `INVALID_MARKET`. */
  readonly parseMarket: (spelling: string) => MarketName;
  /** Returns the market of a base and a quote currency, lower case. Throws `INVALID_MARKET` for others. */
  readonly marketOfCurrencies: (base: string, quote: string) => MarketName;
  /** Returns the symbol of a market that prices a currency in a quote currency. It may not exist. */
  readonly symbolIn: (asset: Currency, quote: Currency) => string;
  /** Returns the other one of the two quote currencies. */
  readonly otherQuote: (quote: Currency) => Currency;
  /** Returns the decimals that people write of a quote currency; null for any other currency. */
  readonly decimalsOf: (currency: Currency) => number | null;
}

/**
 * Maximum number of entries in each cache: spellings, pairs of currencies and assets, which every order, fill
 * and valuation looks up. A full cache is emptied.
 */
const MOST_KNOWN = 1_000;

const CURRENCY = /^[a-z0-9_]{1,20}$/;

/** Makes the market names for two quote currencies: the bridge prices the second in the first. */
export function createMarketNames(quotes: readonly [QuoteRule, QuoteRule]): MarketNames {
  const [bridgeQuote, bridgeBase] = quotes;
  const ruleOf = new Map(quotes.map((rule) => [rule.currency, rule]));
  /** Quote currencies by their spellings: the name, and the ending of a symbol. */
  const spelled = new Map<string, Currency>([
    ...quotes.map(({ ending, currency }) => [ending.toLowerCase(), currency] as const),
    ...quotes.map(({ currency }) => [currency, currency] as const),
  ]);
  const splitPair = new RegExp(`^([a-z0-9_]+)[-/](${[...spelled.keys()].join('|')})$`);
  const endings = quotes.map(({ ending }) => ending.toLowerCase()).join('|');
  const symbolPattern = new RegExp(`^([a-z0-9_]+?)(${endings})$`);

  const nameOf = (base: string, quote: string): MarketName => {
    const rule = ruleOf.get(quote);
    if (!CURRENCY.test(base) || rule === undefined || base === quote) {
      const known = quotes.map(({ currency }) => JSON.stringify(currency)).join(' or ');
      throw new SarrafError(
        'INVALID_MARKET',
        `expected a source currency such as "btc" and ${known}, was ${JSON.stringify(base)} and ${JSON.stringify(quote)}`,
      );
    }
    const upper = base.toUpperCase();
    return {
      symbol: `${upper}${rule.ending}` as MarketSymbol,
      base,
      quote,
      pair: `${upper}-${quote.toUpperCase()}`,
      statsKey: `${base}-${quote}`,
    };
  };
  const readMarket = (spelling: string): MarketName => {
    const text = spelling.toLowerCase();
    const split = splitPair.exec(text) ?? symbolPattern.exec(text);
    const base = split?.[1];
    const quote = spelled.get(split?.[2] ?? '');
    if (base === undefined || quote === undefined || base === quote)
      throw new SarrafError(
        'INVALID_MARKET',
        `expected a market such as "BTC${bridgeQuote.ending}" or "btc-${bridgeQuote.currency}", was ${JSON.stringify(spelling)}`,
      );
    return nameOf(base, quote);
  };

  const bridge = {
    market: nameOf(bridgeBase.currency, bridgeQuote.currency).symbol,
    base: bridgeBase.currency,
    quote: bridgeQuote.currency,
  };
  const known = new Map<string, MarketName>();
  const knownPairs = new Map<string, MarketName>();
  const inQuote = new Map<Currency, string>();
  const inBase = new Map<Currency, string>();
  return {
    quotes,
    bridge,
    parseMarket: (spelling) => known.get(spelling) ?? remember(known, spelling, readMarket(spelling)),
    marketOfCurrencies: (base, quote) => {
      const pair = `${base} ${quote}`;
      return knownPairs.get(pair) ?? remember(knownPairs, pair, nameOf(base, quote));
    },
    symbolIn: (asset, quote) => {
      const isQuote = quote === bridge.quote;
      const symbols = isQuote ? inQuote : inBase;
      const { ending } = isQuote ? bridgeQuote : bridgeBase;
      return symbols.get(asset) ?? remember(symbols, asset, `${asset.toUpperCase()}${ending}`);
    },
    otherQuote: (quote) => (quote === bridge.quote ? bridge.base : bridge.quote),
    decimalsOf: (currency) => ruleOf.get(currency)?.decimals ?? null,
  };
}

function remember<Value>(known: Map<string, Value>, name: string, value: Value): Value {
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(name, value);
  return value;
}
