import type { Override } from '../../daemon/settings/overrides.ts';
import { baseName } from '../../daemon/settings/strategy-settings.ts';
import type { MarketSymbol } from '../../domain/market-symbol.ts';
import type { Timeframe } from '../../domain/timeframe.ts';

/** One strategy and where it trades: once in each of its markets, or in those of a universe. */
export interface ShortBot {
  /** The path of its file, or the name of a bundled one. */
  readonly strategy: string;
  readonly markets: readonly MarketSymbol[];
  /** In place of markets. */
  readonly universe?: Readonly<Record<string, unknown>> | undefined;
  readonly timeframe: Timeframe;
  readonly params?: Readonly<Record<string, unknown>>;
}

/** Letters of a strategy's name that all of its instances begin with: names are part of order ids. */
const LONGEST_NAME = 9;

/** The strategies of a configuration that a strategy and options stand for. */
export function strategiesOverride({ strategy, markets, universe, timeframe, params }: ShortBot): Override {
  const common = { plugin: strategy, timeframe, ...(params === undefined ? {} : { params }) };
  const short = baseName(strategy).slice(0, LONGEST_NAME).replace(/-+$/, '');
  const strategies =
    universe === undefined
      ? markets.map((market, index) => ({
          ...common,
          market,
          ...(markets.length === 1 ? {} : { name: `${short}-${index + 1}` }),
        }))
      : [{ ...common, universe }];
  return ['strategies', JSON.stringify(strategies)];
}

/** What the account begins with, by currency. */
export function balancesOverride(balances: Readonly<Record<string, unknown>>): Override {
  return ['paper.balances', JSON.stringify(balances)];
}

/** One fee, in percent, for makers and takers of every market. */
export function feeOverride(fee: string): Override {
  const rates = { maker: fee, taker: fee };
  return ['paper.fees', JSON.stringify({ rls: rates, usdt: rates })];
}
