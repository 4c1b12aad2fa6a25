import { DEFAULT_CANDLE_RULES, type BarPath, type BarRules } from '../venues/bar-rules.ts';

export const PATHS: readonly BarPath[] = [
  'worst-first',
  'open-high-low-close',
  'open-low-high-close',
  'nearest-first',
];

/**
 * Rules for how orders fill inside candles, as people write them: in percent, and only what is not the
 * default.
 */
export interface CandleRuleOptions {
  readonly marketOrders?: BarRules['arrival'];
  readonly limitFill?: BarRules['limitFill'];
  readonly path?: BarPath;
  readonly spreadBps?: number;
  readonly slippageBps?: number;
  /** In percent of the range of a candle; in place of `slippageBps`. */
  readonly slippageRange?: number;
  /** In percent of the volume of a candle. */
  readonly volumeShare?: number | 'all';
}

/** Rules of the options; what is left out has its default. */
export function barRulesOf(options: CandleRuleOptions): BarRules {
  const { marketOrders, limitFill, path, spreadBps, slippageBps, slippageRange, volumeShare } = options;
  const defaults = DEFAULT_CANDLE_RULES;
  const slippage: BarRules['slippage'] =
    slippageRange === undefined
      ? { kind: 'bps', bps: slippageBps ?? 0 }
      : { kind: 'range', millionths: Math.round(slippageRange * 10_000) };
  return {
    ...defaults,
    arrival: marketOrders ?? defaults.arrival,
    limitFill: limitFill ?? defaults.limitFill,
    path: path ?? defaults.path,
    spreadBps: spreadBps ?? defaults.spreadBps,
    slippage,
    volumeShareMillionths: shareOf(volumeShare),
  };
}

function shareOf(share: number | 'all' | undefined): number | null {
  if (share === 'all') return null;
  return share === undefined ? DEFAULT_CANDLE_RULES.volumeShareMillionths : Math.round(share * 10_000);
}
