import type { Override } from '../daemon/overrides.ts';
import { baseName } from '../daemon/strategy-settings.ts';
import { SarrafError } from '../domain/errors.ts';
import type { MarketSymbol } from '../domain/market-symbol.ts';
import { MARKET_NAMES, parseMarket } from '../exchange/market-names.ts';
import type { Timeframe } from '../domain/timeframe.ts';

/** One strategy and where it trades: once in each of its markets, or in those of a universe. */
interface ShortBot {
  /** The path of its file, or the name of a bundled one. */
  readonly strategy: string;
  readonly markets: readonly MarketSymbol[];
  /** In place of markets. */
  readonly universe?: Readonly<Record<string, unknown>> | undefined;
  readonly timeframe: Timeframe;
  readonly params?: Readonly<Record<string, unknown>>;
  /** Coins of the account that it is given to sell: each of them where it is traded first. */
  readonly inventory?: Readonly<Record<string, string>> | undefined;
}

/** Letters of a strategy's name that all of its instances begin with: names are part of order ids. */
const LONGEST_NAME = 9;

/**
 * The strategies of a configuration that a strategy and options stand for. Throws `INVALID_OPTIONS` for coins
 * that belong to none of several markets.
 */
export function strategiesOverride({
  strategy,
  markets,
  universe,
  timeframe,
  params,
  inventory = {},
}: ShortBot): Override {
  const bases = markets.map((market) => parseMarket(market).base);
  const ofAll = Object.keys(inventory);
  const lost = bases.length < 2 ? [] : ofAll.filter((coin) => !bases.includes(coin));
  if (lost.length > 0) {
    const message = `expected an inventory of coins of ${markets.join(', ')}, was of ${lost.join(', ')}`;
    throw new SarrafError('INVALID_OPTIONS', message);
  }
  const given = (coins: readonly string[]): object => givenSettings(inventory, coins);
  const common = { plugin: strategy, timeframe, ...(params === undefined ? {} : { params }) };
  const short = baseName(strategy).slice(0, LONGEST_NAME).replace(/-+$/, '');
  const strategies =
    universe === undefined
      ? markets.map((market, index) => ({
          ...common,
          market,
          ...given(
            markets.length === 1
              ? ofAll
              : ofAll.filter((coin) => bases[index] === coin && bases.indexOf(coin) === index),
          ),
          ...(markets.length === 1 ? {} : { name: `${short}-${index + 1}` }),
        }))
      : [{ ...common, universe, ...given(ofAll) }];
  return ['strategies', JSON.stringify(strategies)];
}

const isQuote = (coin: string): boolean => MARKET_NAMES.quotes.some(({ currency }) => currency === coin);

/** Coins as a configuration gives them: what is also a quote currency counts with capital. */
function givenSettings(amounts: Readonly<Record<string, string>>, coins: readonly string[]): object {
  const of = (some: readonly string[]): object =>
    Object.fromEntries(some.map((coin) => [coin, amounts[coin] ?? '0']));
  return {
    ...(coins.some(isQuote) ? { capital: of(coins.filter(isQuote)) } : {}),
    ...(coins.every(isQuote) ? {} : { inventory: of(coins.filter((coin) => !isQuote(coin))) }),
  };
}

/** Returns the override for the initial balances, by currency. */
export function balancesOverride(balances: Readonly<Record<string, unknown>>): Override {
  return ['paper.balances', JSON.stringify(balances)];
}

/** One fee, in percent, for makers and takers of every market. */
export function feeOverride(fee: string): Override {
  const rates = { maker: fee, taker: fee };
  return ['paper.fees', JSON.stringify({ rls: rates, usdt: rates })];
}
