import { basename } from 'node:path';
import type { BotConfig } from '../../daemon/create-bot-config.ts';
import { address, marketSymbol } from '../../daemon/setting-fields.ts';
import type { MarketSymbol } from '../../domain/market-symbol.ts';
import { parseMarket } from '../../exchange/market-names.ts';
import { DEFAULT_MARKETS } from '../../simulator-server/market-config.ts';
import { isStrategyName, strategyNameProblem } from '../../strategy/definition.ts';
import type { Language } from '../../language/locale.ts';

/** A strategy that a new bot can begin with. */
export interface StartingPoint {
  /** Description for the list. */
  readonly about: Readonly<Record<Language, string>>;
  /** File of its code among the strategies that ship; null for a strategy that does nothing yet. */
  readonly file: string | null;
  /** Name that its file defines, and default name in a new bot. */
  readonly name: string;
  /** Params as YAML, without and with money at stake: `play` shows something within a minute. */
  readonly params: { readonly play: string; readonly earnest: string };
  /** Script on which its test runs it. */
  readonly script: string;
  /** Expectation of its test about `fills`, and the title for it. */
  readonly claim: { readonly title: string; readonly expects: string };
}

const BUYS_AND_SELLS = `expect(new Set(fills.map(({ side }) => side))).toEqual(new Set(['buy', 'sell']));`;
const WAVES = '{ bars: generateBars({ count: 300, seed: 4, wave: { percent: 20, bars: 100 } }) }';
const SIDEWAYS = '{ bars: generateBars({ count: 300, seed: 4 }) }';

export const STARTING_POINTS = {
  'ma-cross': {
    about: {
      en: 'holds the coin while a fast average is above a slow one',
      fa: 'تا وقتی میانگین سریع بالای میانگین کند است، ارز را نگه می‌دارد',
    },
    file: 'ma-cross.ts',
    name: 'ma-cross',
    params: { play: '{ fast: 2, slow: 4, share: 0.1 }', earnest: '{ fast: 10, slow: 30, share: 0.05 }' },
    script: WAVES,
    claim: { title: 'buys in a rise, and sells in a fall', expects: BUYS_AND_SELLS },
  },
  'mean-reversion': {
    about: {
      en: 'buys what fell far below its average, with a stop',
      fa: 'ارزی را که خیلی از میانگینش پایین‌تر رفته می‌خرد، با حد ضرر',
    },
    file: 'mean-reversion.ts',
    name: 'reversion',
    params: { play: '{ length: 10, deviations: 1 }', earnest: '{}' },
    script: SIDEWAYS,
    claim: { title: 'buys what has fallen, and sells it again', expects: BUYS_AND_SELLS },
  },
  breakout: {
    about: {
      en: 'buys a new high, and follows the price with its stop',
      fa: 'سقف تازه را می‌خرد و حد ضرر را دنبال قیمت بالا می‌برد',
    },
    file: 'breakout.ts',
    name: 'breakout',
    params: { play: '{ length: 10 }', earnest: '{}' },
    script: WAVES,
    claim: { title: 'buys a new high, and is stopped out after it', expects: BUYS_AND_SELLS },
  },
  grid: {
    about: {
      en: 'buys at even steps below the price, and sells one step higher',
      fa: 'در پله‌های پایین‌تر از قیمت می‌خرد و یک پله بالاتر می‌فروشد',
    },
    file: 'grid.ts',
    name: 'grid',
    params: { play: '{ levels: 20 }', earnest: '{}' },
    script: `{
  bars: [100.5, 100.5, 98.5, 98.5, 101.5, 99.5, 100.5, 97, 99.5, 102.5],
  params: { low: 98, high: 102, levels: 5, equityShare: 0.1 },
}`,
    claim: { title: 'buys below the market, and sells one price higher', expects: BUYS_AND_SELLS },
  },
  dca: {
    about: {
      en: 'buys for the same money again and again',
      fa: 'در زمان‌های معین همیشه به یک مبلغ می‌خرد',
    },
    file: 'dca.ts',
    name: 'dca',
    params: { play: "{ cron: '*/5 * * * *' }", earnest: "{ cron: '0 9 * * *' }" },
    script: `{ bars: generateBars({ count: 60, seed: 4 }), params: { spend: 100, cron: '0 */6 * * *' } }`,
    claim: {
      title: 'buys again and again, and never sells',
      expects: `expect(new Set(fills.map(({ side }) => side))).toEqual(new Set(['buy']));`,
    },
  },
  'market-maker': {
    about: {
      en: 'rests a bid and an ask around the middle price',
      fa: 'دو طرف قیمت میانی سفارش خرید و فروش می‌گذارد',
    },
    file: 'market-maker.ts',
    name: 'market-maker',
    params: { play: '{ spreadBps: 1.5 }', earnest: '{ spreadBps: 30, moveBps: 10 }' },
    script: '{ bars: generateBars({ count: 60, seed: 4 }), balances: { usdt: 10_000, btc: 100 } }',
    claim: { title: 'buys below the middle, and sells above it', expects: BUYS_AND_SELLS },
  },
  empty: {
    about: {
      en: 'logs each candle and trades nothing: for your own',
      fa: 'فقط هر کندل را ثبت می‌کند و معامله‌ای ندارد: برای نوشتن استراتژی خودتان',
    },
    file: null,
    name: 'my-strategy',
    params: { play: '{}', earnest: '{}' },
    script: SIDEWAYS,
    claim: { title: 'trades nothing yet', expects: 'expect(fills).toEqual([]);' },
  },
} satisfies Readonly<Record<string, StartingPoint>>;

export type StartName = keyof typeof STARTING_POINTS;

/** Names of all starting points, in the order in which they are shown. */
export const START_NAMES = Object.keys(STARTING_POINTS) as readonly StartName[];

/** Choices for a new bot. */
export interface BotRequest {
  /** Absolute path of the new bot's folder. */
  readonly folder: string;
  readonly mode: BotConfig['mode'];
  /** Address of the exchange; null for the embedded one. */
  readonly baseUrl: string | null;
  readonly market: MarketSymbol;
  /** Strategy whose code it begins with. */
  readonly start: StartName;
  /** Name of its strategy, and of the strategy's file. */
  readonly name: string;
  readonly language: Language;
}

/** Choices that are already given. */
export type GivenRequest = { readonly [Field in keyof BotRequest]?: BotRequest[Field] | undefined };

/** Default choices for a new bot; it needs no account, no address and no data. */
export const USUAL_REQUEST = {
  folder: 'my-bot',
  mode: 'embedded',
  market: parseMarket('BTCIRT').symbol,
  start: 'ma-cross',
  language: 'en',
} as const satisfies GivenRequest;

/** Markets of the embedded exchange without settings. */
export const EMBEDDED_MARKETS: readonly MarketSymbol[] = DEFAULT_MARKETS.map(
  ({ symbol }) => parseMarket(symbol).symbol,
);

/** Value that was read from a text, or the problem with the text, as a sentence. */
export type CheckedText<Value = string> = { readonly value: Value } | { readonly problem: string };

export const checkName = (text: string): CheckedText =>
  isStrategyName(text) ? { value: text } : { problem: strategyNameProblem(text) };

export function checkAddress(text: string): CheckedText {
  const read = address().safeParse(text);
  return read.success ? { value: read.data } : { problem: read.error.issues[0]?.message ?? '' };
}

/** Reads a market in any spelling. The embedded exchange must have it. */
export function checkMarket(text: string, mode: BotRequest['mode']): CheckedText<MarketSymbol> {
  const read = marketSymbol().safeParse(text);
  if (!read.success) return { problem: read.error.issues[0]?.message ?? '' };
  if (mode !== 'embedded' || EMBEDDED_MARKETS.includes(read.data)) return { value: read.data };
  return {
    problem: `expected a market of the embedded exchange (${EMBEDDED_MARKETS.join(', ')}), was ${read.data}`,
  };
}

/** Matches control characters, and those that turn the direction of text; Persian needs the two joiners. */
const UNSHOWN = /[\p{Cc}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/u;

/** Checks that npm and a shell can work in a folder. The path is absolute. */
export function checkFolder(path: string): CheckedText {
  if (UNSHOWN.test(path))
    return { problem: `expected a folder without characters that nobody sees, was ${JSON.stringify(path)}` };
  if (path.includes(':')) {
    const problem = `expected a folder without ":" in its path, was ${path}: npm finds no program below such a folder`;
    return { problem };
  }
  const name = basename(path);
  if (name === '') return { problem: 'expected a folder, was the root of all of them' };
  if (name === 'node_modules') return { problem: 'expected another folder than node_modules' };
  return { value: path };
}
