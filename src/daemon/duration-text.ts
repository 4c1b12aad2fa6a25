const UNITS_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** A length of time as it is written. */
export const DURATION = /^(\d{1,9})(ms|s|m|h|d)$/;

/** Milliseconds of a text such as `250ms`, `30s`, `5m`, `2h` or `1d`; null for anything else. */
export function parseDuration(text: string): number | null {
  const parts = DURATION.exec(text);
  const unit = UNITS_MS[parts?.[2] ?? ''];
  return parts === null || unit === undefined ? null : Number(parts[1]) * unit;
}

/** Milliseconds as the shortest text that `parseDuration` reads back. */
export function formatDuration(durationMs: number): string {
  if (durationMs === 0) return '0s';
  const [unit, length] = Object.entries(UNITS_MS).findLast(([, length]) => durationMs % length === 0) ?? [
    'ms',
    1,
  ];
  return `${durationMs / length}${unit}`;
}
