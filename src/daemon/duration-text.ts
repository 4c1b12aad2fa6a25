const UNITS_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Form of a duration: digits and a unit. */
export const DURATION = /^(\d{1,9})(ms|s|m|h|d)$/;

/** Returns the ms of a text such as `250ms`, `30s`, `5m`, `2h` or `1d`; null for any other text. */
export function parseDuration(text: string): number | null {
  const parts = DURATION.exec(text);
  const unit = UNITS_MS[parts?.[2] ?? ''];
  return parts === null || unit === undefined ? null : Number(parts[1]) * unit;
}

/** Writes ms as the shortest text that `parseDuration` reads back. */
export function formatDuration(durationMs: number): string {
  if (durationMs === 0) return '0s';
  const [unit, length] = Object.entries(UNITS_MS).findLast(([, length]) => durationMs % length === 0) ?? [
    'ms',
    1,
  ];
  return `${durationMs / length}${unit}`;
}
