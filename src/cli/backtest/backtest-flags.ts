import { Option, type Command } from 'commander';
import { PATHS, type CandleRuleOptions } from '../../backtest/bar-rules-of.ts';
import type { CsvSource } from '../../backtest/candle-backtest.ts';
import { FIDELITIES, type Fidelity } from '../../backtest/fidelity-rules.ts';
import { QUEUE_PLACES, type PollRuleOptions } from '../../backtest/poll-rules-of.ts';
import type { Currency, MarketSymbol } from '../../domain/market-symbol.ts';
import type { Timeframe } from '../../domain/timeframe.ts';
import { MARKET_NAMES, parseMarket } from '../../exchange/market-names.ts';
import type { FileForm } from '../../recording/written-form.ts';
import { wrongInput } from '../command-error.ts';
import { formFlags, formOf, timeframeOption, timeOption } from '../data/data-options.ts';
import { integerOption, marketOption } from '../option-readers.ts';
import {
  balanceOption,
  csvOption,
  numberOption,
  parameterOption,
  percentOption,
  universeOption,
  volumeShareOption,
} from './backtest-options.ts';

/** Content of a backtest as given by options. Options that are not given are undefined or empty. */
export interface BacktestFlags extends CandleRuleOptions, PollRuleOptions, FileForm {
  readonly fidelity?: Fidelity;
  readonly csv: readonly CsvSource[];
  readonly catalogue?: string;
  readonly market: readonly MarketSymbol[];
  readonly universe?: Readonly<Record<string, unknown>>;
  readonly timeframe?: Timeframe;
  readonly resolution?: Timeframe;
  readonly detail?: Timeframe;
  readonly from?: number;
  readonly to?: number;
  readonly signals?: string;
  readonly param: Readonly<Record<string, unknown>>;
  readonly cash?: string;
  readonly balance?: Readonly<Record<string, string>>;
  readonly inventory?: Readonly<Record<string, string>>;
  readonly currency?: Currency;
  readonly fee?: string;
  readonly priceStep?: string;
  readonly amountStep?: string;
  readonly minValue?: string;
}

const MOST_MS = 60_000;
const MOST_LAG_MS = 600_000;

/** The options of every command that runs backtests: their data, their account and how orders fill. */
export function backtestFlags(command: Command): Command {
  return ruleFlags(accountFlags(dataFlags(command)));
}

function dataFlags(command: Command): Command {
  const files = command
    .addOption(
      new Option(
        '--fidelity <kind>',
        'candles, or poll: the whole bot against recorded books and trades (default: candles)',
      ).choices(FIDELITIES),
    )
    .option(
      '--csv <file>',
      'candles from a file instead of the catalogue, CSV or CSV.gz; for several markets BTCUSDT=file, repeated',
      csvOption,
      [],
    );
  return formFlags(files)
    .option('--catalogue <folder>', 'folder of the recordings (default: data/catalogue)')
    .option(
      '--market <symbol>',
      'market of the strategy; repeatable: it then runs once in each',
      marketsOption,
      [],
    )
    .option(
      '--universe <rules>',
      'markets that the strategy runs in, in place of --market: \'{"quote":"rls","rankBy":"volume24h","take":10}\'',
      universeOption,
    )
    .option('--timeframe <timeframe>', 'timeframe of the recorded candles (default: 1h)', timeframeOption)
    .option('--resolution <timeframe>', 'another word for --timeframe', timeframeOption)
    .option(
      '--detail <timeframe>',
      'for candles: walks the inside of each candle on finer ones of the catalogue, such as 1m',
      timeframeOption,
    )
    .option('--from <time>', 'first candle of the run; earlier ones warm indicators up', timeOption)
    .option('--to <time>', 'end of the run; a candle that opens then is not in it', timeOption)
    .option(
      '--signals <file>',
      'what strategies are told from outside: CSV or .jsonl with time, name and payload',
    )
    .option('--param <name=value>', 'a parameter of the strategy; repeatable', parameterOption, {});
}

function accountFlags(command: Command): Command {
  return command
    .option('--cash <amount>', 'starting money, in the quote currency of --market or --universe')
    .option(
      '--balance <currency=amount>',
      'starting balance of a currency, such as usdt=10000; repeatable',
      balanceOption,
    )
    .option(
      '--inventory <coin=amount>',
      'coins of the starting balance that the strategy may sell without having bought them, such as btc=0.5; repeatable',
      balanceOption,
    )
    .addOption(
      new Option(
        '--currency <currency>',
        'currency of all results: rls or usdt (default: rls if any market is priced in rial, else usdt)',
      ).choices(MARKET_NAMES.quotes.map(({ currency }) => currency)),
    )
    .option('--fee <percent>', 'fee of makers and takers, such as 0.1%', percentOption)
    .option('--price-step <step>', 'price step of the market')
    .option('--amount-step <step>', 'amount step of the market')
    .option('--min-value <amount>', 'minimum value of an order in the market');
}

function ruleFlags(command: Command): Command {
  return command
    .addOption(
      new Option('--market-orders <when>', 'when market orders fill: next-open or this-close').choices([
        'next-open',
        'this-close',
      ]),
    )
    .addOption(
      new Option(
        '--limit-fill <when>',
        'what fills a limit order: through (a price beyond its own) or touch (its own price)',
      ).choices(['through', 'touch']),
    )
    .addOption(
      new Option('--path <path>', `assumed path through a candle: ${PATHS.join(', ')}`).choices(PATHS),
    )
    .option(
      '--spread-bps <bps>',
      'spread between bid and ask, in hundredths of a percent',
      numberOption(0, 10_000),
    )
    .option(
      '--slippage-bps <bps>',
      'slippage of taker orders, in hundredths of a percent',
      numberOption(0, 10_000),
    )
    .option(
      '--slippage-range <percent>',
      "slippage of taker orders, in percent of the candle's range",
      numberOption(0, 100),
    )
    .option(
      '--volume-share <percent>',
      "percent of a candle's volume that can fill (default: 10), or all",
      volumeShareOption,
    )
    .option(
      '--latency <ms>',
      'for poll: latency of a request, and of its reply (default: 50)',
      integerOption(0, MOST_MS),
    )
    .option(
      '--trades-lag <ms>',
      'for poll: how late own trades are listed (default: 0)',
      integerOption(0, MOST_LAG_MS),
    )
    .addOption(
      new Option(
        '--queue <place>',
        'for poll: place of resting orders in the queue at their price, back or front',
      ).choices(QUEUE_PLACES),
    );
}

function marketsOption(text: string, before: readonly MarketSymbol[]): readonly MarketSymbol[] {
  return [...before, marketOption(text)];
}

/** Refuses what does not go together, whatever command it is given to; `config`: a bot's configuration. */
export function refuseUnfit(strategy: string | undefined, flags: BacktestFlags, config?: string): void {
  const { csv, fidelity, market, universe } = flags;
  if (strategy !== undefined && config !== undefined)
    throw wrongInput('expected a strategy or --config, were both: a configuration names its strategies');
  if (config === undefined && market.length === 0 && universe === undefined)
    throw wrongInput('expected --market, such as BTCUSDT, or --universe, was neither');
  if (universe !== undefined && (market.length > 0 || config !== undefined))
    throw wrongInput('expected --universe in place of --market and of --config, was beside one of them');
  if (new Set(market).size < market.length)
    throw wrongInput('expected every --market once, was one of them twice');
  if (fidelity === 'poll' && csv.length > 0)
    throw wrongInput('expected recorded books of the catalogue for --fidelity poll, was --csv');
  if (csv.length === 0 && formOf(flags) !== undefined)
    throw wrongInput(
      'expected --csv with --decimal, --dates and --round-prices, which say how its files are written',
    );
  if (csv.some((file) => file.market === null) && market.length === 0)
    throw wrongInput('expected --market, or --csv BTCUSDT=file: a file does not say whose bars it has');
  timeframeFlag(flags);
}

/** The timeframe by either of its options; undefined where neither is given. */
export function timeframeFlag({ timeframe, resolution }: BacktestFlags): Timeframe | undefined {
  if (timeframe !== undefined && resolution !== undefined && timeframe !== resolution)
    throw wrongInput(`expected --timeframe or --resolution, found ${timeframe} and ${resolution}`);
  return timeframe ?? resolution;
}

/** Returns the account's initial balances; empty if no option gives any. */
export function balanceFlags({
  market,
  universe,
  cash,
  balance = {},
}: BacktestFlags): Readonly<Record<string, string>> {
  if (cash === undefined) return balance;
  const quotes = new Set<unknown>(
    universe === undefined ? market.map((symbol) => parseMarket(symbol).quote) : [universe['quote']],
  );
  const [quote] = quotes;
  if (quotes.size > 1)
    throw wrongInput('expected --balance for each currency, such as --balance usdt=10000, was --cash');
  if (typeof quote !== 'string')
    throw wrongInput('expected --market or --universe with --cash, which is of its quote currency');
  if (balance[quote] !== undefined) throw wrongInput(`expected --cash or --balance ${quote}=…, were both`);
  return { ...balance, [quote]: cash };
}

/** Steps of a market that the exchange does not know, those alone that are given. */
export function stepFlags({ priceStep, amountStep, minValue }: BacktestFlags): {
  readonly price?: string;
  readonly amount?: string;
  readonly minValue?: string;
} {
  return {
    ...(priceStep === undefined ? {} : { price: priceStep }),
    ...(amountStep === undefined ? {} : { amount: amountStep }),
    ...(minValue === undefined ? {} : { minValue }),
  };
}
