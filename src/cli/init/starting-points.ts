import type { BotLanguage } from './init-texts.ts';

/** A strategy that somebody can begin with. */
export interface StartingPoint {
  /** Description for the list. */
  readonly about: Readonly<Record<BotLanguage, string>>;
  /** Its file among the strategies that ship; null for a strategy that does nothing yet. */
  readonly file: string | null;
  /** The name that this file gives it, which is also how a new bot calls it unless told otherwise. */
  readonly name: string;
  /** Params as YAML, by whether money is at stake: play shows something within a minute. */
  readonly params: { readonly play: string; readonly earnest: string };
  /** Script that its test runs it on. */
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

/** The names of all, in the order in which they are shown. */
export const START_NAMES = Object.keys(STARTING_POINTS) as readonly StartName[];
