/** How a backtest made its fills: said in every result, so that nobody takes its numbers for more than they are. */
export interface FidelityStatement {
  /** `candles`: bars only. `poll`: the whole live bot against recorded books and trades. */
  readonly kind: 'candles' | 'poll';
  /** Each rule that decided a fill, as a name and what it was set to: `{ rule: 'market orders', setting: 'next open' }`. */
  readonly rules: readonly { readonly rule: string; readonly setting: string }[];
  /** What these rules can not know, one sentence each. */
  readonly caveats: readonly string[];
}
