const DAY_MS = 86_400_000;

/** The bounds of the time filters `from` and `to`: days as YYYY-MM-DD, both included, UTC. The 29th of February of a common year is the 1st of March. */
export function dayRange(days: { readonly from?: string | undefined; readonly to?: string | undefined }): {
  readonly fromMs: number;
  readonly beforeMs: number;
} {
  return {
    fromMs: days.from === undefined ? Number.NEGATIVE_INFINITY : dayStartMs(days.from),
    beforeMs: days.to === undefined ? Number.POSITIVE_INFINITY : dayStartMs(days.to) + DAY_MS,
  };
}

function dayStartMs(day: string): number {
  return Date.parse(`${day}T00:00:00Z`);
}
