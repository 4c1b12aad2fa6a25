/** A stretch of time in ms since 1970; its end is not in it. */
export interface Stretch {
  readonly fromMs: number;
  readonly toMs: number;
}
