import { createRandom } from '../domain/random.ts';
import type { ScriptedBar } from './scripted-market.ts';

/** Properties of generated bars. Percentages are of the price. */
export interface GeneratedBars {
  readonly count: number;
  /** The same seed gives the same bars. */
  readonly seed: number;
  /** The first open, in the quote currency; 100 without it. */
  readonly from?: number;
  /** Price change of each bar, in percent; default 0; -0.2 for a fall. */
  readonly trend?: number;
  /** Random price change of each bar, in percent, up or down; default 0.5. */
  readonly noise?: number;
  /** A wave around the trend: how far it goes either way in percent, and its length in bars. */
  readonly wave?: { readonly percent: number; readonly bars: number };
  /** Price decimals; 2 without it. */
  readonly decimals?: number;
}

/**
 * A market that trends, swings or goes sideways, as the options say. What chance adds
 * in one bar fades in the next ones, so that a market without a trend stays where it is.
 */
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
