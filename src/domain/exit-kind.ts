/**
 * Role of an order that leaves a position: target, stop (fixed, following the price, or at the price paid),
 * end by time, or end by the strategy's own decision.
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
