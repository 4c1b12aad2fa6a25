/**
 * What an order is to a position that it leaves: its target, its stop (fixed, following the price, or at what
 * was paid), its end by time, or its end by the strategy's own decision.
 */
export const EXIT_KINDS = [
  'take-profit',
  'stop-loss',
  'trail',
  'break-even',
  'time-stop',
  'decision',
] as const;

export type ExitKind = (typeof EXIT_KINDS)[number];
