import { decimalText, fractionDigits } from '../domain/decimal-text.ts';
import type { CandleColumns } from '../domain/candle-columns.ts';
import { invalidOptions } from '../domain/errors.ts';
import { createMarket, type Market } from '../domain/market.ts';
import { timeframeMs, type Timeframe, type BarValues } from '../domain/candle.ts';
import { interfaceMinOrderValue } from '../simulator-server/market-config.ts';
import { parseMarket } from '../exchange/market-names.ts';
import { createRandom } from '../domain/random.ts';

/**
 * Bar of a script: its close, or more of its values. The open defaults to the close of the bar before, high
 * and low to those of open and close, and the volume to 1,000.
 */
export type ScriptedBar = number | (Pick<BarValues<number>, 'close'> & Partial<BarValues<number>>);

/** Terms of a scripted market. */
export interface ScriptedTerms {
  /** Name of the market; default: `BTCUSDT`. */
  readonly market?: string;
  /** Price step in the quote currency; default: 0.01. */
  readonly priceStep?: number;
  /** Amount step in the base currency; default: 0.000001. */
  readonly amountStep?: number;
  /**
   * Minimum order value in the quote currency; an order must be worth more. Default: that of the simulated
   * exchange, 11 USDT or 3,000,000 rials, so that the rest after a fee is too small for an order. With 0 the
   * rest can be sold.
   */
  readonly minOrderValue?: number;
}

/** Market whose bars a test defines one by one. */
export interface MarketScript extends ScriptedTerms {
  /** Timeframe of the bars; default: an hour. */
  readonly timeframe?: Timeframe;
  readonly bars: readonly ScriptedBar[];
}

const PRICE_STEP = 0.01;

/** Open of the first bar of a script, in ms since 1970: a Monday at midnight UTC. */
export const SCRIPT_START_MS = 1_704_067_200_000;

const VOLUME_DECIMALS = 6;

/** Returns the market of a script with its bars. Throws `INVALID_OPTIONS` for an invalid bar. */
export function scriptedMarket(script: MarketScript): {
  readonly market: Market;
  readonly columns: CandleColumns;
} {
  const { timeframe = '1h', priceStep = PRICE_STEP } = script;
  const market = scriptedMarketOf(script);
  const bars = wholeBars(script.bars);
  const priceDecimals = fractionDigits(decimalText(priceStep));
  const column = (numberOf: (bar: WholeBar) => number, decimals: number): Float64Array =>
    Float64Array.from(bars, (bar) => Math.round(numberOf(bar) * 10 ** decimals));
  return {
    market,
    columns: {
      market: market.symbol,
      timeframe,
      length: bars.length,
      openTimeMs: Float64Array.from(bars, (_, index) => SCRIPT_START_MS + index * timeframeMs(timeframe)),
      priceDecimals,
      open: column(({ open }) => open, priceDecimals),
      high: column(({ high }) => high, priceDecimals),
      low: column(({ low }) => low, priceDecimals),
      close: column(({ close }) => close, priceDecimals),
      volumeDecimals: VOLUME_DECIMALS,
      volume: column(({ volume }) => volume, VOLUME_DECIMALS),
    },
  };
}

/** Returns the market of a script from its terms. */
export function scriptedMarketOf({
  market = 'BTCUSDT',
  priceStep = PRICE_STEP,
  amountStep = 0.000_001,
  minOrderValue,
}: ScriptedTerms): Market {
  const name = parseMarket(market);
  return createMarket({
    market: name,
    priceStep: decimalText(priceStep),
    amountStep: decimalText(amountStep),
    minOrderValue: minOrderValue === undefined ? interfaceMinOrderValue(name) : decimalText(minOrderValue),
  });
}

type WholeBar = Required<Exclude<ScriptedBar, number>>;

function wholeBars(bars: readonly ScriptedBar[]): readonly WholeBar[] {
  let before: number | null = null;
  return bars.map((scripted, index) => {
    const given = typeof scripted === 'number' ? { close: scripted } : scripted;
    const { close, open = before ?? close } = given;
    const { high = Math.max(open, close), low = Math.min(open, close), volume = 1_000 } = given;
    before = close;
    const isBar = low > 0 && low <= Math.min(open, close) && high >= Math.max(open, close) && volume >= 0;
    if (isBar && Number.isFinite(high + volume)) return { open, high, low, close, volume };
    const was = JSON.stringify(scripted);
    throw invalidOptions(`bars.${index}: expected prices above 0 between low and high, was ${was}`);
  });
}

/** Options of generated bars. Percentages are of the price. */
export interface GeneratedBars {
  readonly count: number;
  /** Seed of the random numbers; the same seed gives the same bars. */
  readonly seed: number;
  /** First open in the quote currency; default: 100. */
  readonly from?: number;
  /** Price change of each bar in percent; default: 0. A negative number is a fall. */
  readonly trend?: number;
  /** Most random price change of each bar in percent, up or down; default: 0.5. */
  readonly noise?: number;
  /** Wave around the trend: its amplitude in percent, and its length in bars. */
  readonly wave?: { readonly percent: number; readonly bars: number };
  /** Decimals of prices; default: 2. */
  readonly decimals?: number;
}

/** Generates bars that trend, swing or go sideways, where random changes fade. */
export function generateBars(options: GeneratedBars): readonly ScriptedBar[] {
  const { count, seed, from = 100, trend = 0, noise = 0.5, wave = null, decimals = 2 } = options;
  const random = createRandom(seed);
  const scale = 10 ** decimals;
  const rounded = (price: number): number => Math.max(1, Math.round(price * scale)) / scale;
  const chance = (): number => (2 * random.next() - 1) * (noise / 100);
  let away = 0;
  let open = rounded(from);
  return Array.from({ length: count }, (_, index) => {
    away = 0.7 * away + chance();
    const swing =
      wave === null ? 0 : (wave.percent / 100) * Math.sin((2 * Math.PI * (index + 1)) / wave.bars);
    const close = rounded(from * (1 + trend / 100) ** (index + 1) * (1 + swing) * (1 + away));
    const high = rounded(Math.max(open, close) * (1 + Math.abs(chance()) / 2));
    const low = rounded(Math.min(open, close) * (1 - Math.abs(chance()) / 2));
    const bar = { open, high, low, close };
    open = close;
    return bar;
  });
}
