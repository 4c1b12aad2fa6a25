/** A length of time, exact: `3 h`, `90 min`, `1.5 s`. */
export function lengthText(lengthMs: number): string {
  if (lengthMs % 86_400_000 === 0) return `${lengthMs / 86_400_000} d`;
  if (lengthMs % 3_600_000 === 0) return `${lengthMs / 3_600_000} h`;
  if (lengthMs % 60_000 === 0) return `${lengthMs / 60_000} min`;
  return `${lengthMs / 1_000} s`;
}
