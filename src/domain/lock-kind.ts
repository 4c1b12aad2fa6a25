/** Causes of a lock: a kind of rule, or an operator (`hand`). */
export const LOCK_KINDS = ['cooldown', 'stops', 'low-profit', 'drawdown', 'hours', 'dates', 'hand'] as const;

export type LockKind = (typeof LOCK_KINDS)[number];
