/**
 * What an order is to a position that it leaves: its target, its stop (fixed, following the price, or at what
 * was paid), or its end by time.
 */
export const EXIT_KINDS = ['take-profit', 'stop-loss', 'trail', 'break-even', 'time-stop'] as const;

export type ExitKind = (typeof EXIT_KINDS)[number];
