/**
 * A length of time for people: seconds up to five minutes, then minutes, then hours, with a decimal where it
 * tells something.
 */
export function ageText(ageMs: number): string {
  if (!Number.isFinite(ageMs)) return 'never';
  if (ageMs < 10_000) return `${decimalText(ageMs / 1_000)} s`;
  if (ageMs < 300_000) return `${Math.ceil(ageMs / 1_000)} s`;
  if (ageMs < 7_200_000) return `${decimalText(ageMs / 60_000)} min`;
  return `${decimalText(ageMs / 3_600_000)} h`;
}

/** Rounded up to a tenth: what is said to be the most is never passed. */
function decimalText(value: number): string {
  return String(Math.ceil(Number((value * 10).toFixed(6))) / 10);
}
