const DAY_MS = 86_400_000;

/** A length of time for people: the largest unit that leaves a whole number at least 2, rounded up. */
export function lengthText(lengthMs: number): string {
  const seconds = Math.ceil(lengthMs / 1_000);
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7_200) return `${Math.ceil(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.ceil(seconds / 3_600)} h` : `${Math.ceil(seconds / 86_400)} days`;
}

/** A time in UTC for people: without its day where that is today. */
export function clockText(timeMs: number, nowMs: number): string {
  if (Number.isNaN(new Date(timeMs).getTime())) return String(timeMs);
  const text = new Date(timeMs).toISOString();
  const isToday = Math.floor(timeMs / DAY_MS) === Math.floor(nowMs / DAY_MS);
  return isToday ? text.slice(11, 19) : `${text.slice(0, 10)} ${text.slice(11, 16)}`;
}

/** How long ago something was, such as `5 s ago`; what lies ahead of the clock, as times of a faster one do, is said as a time. */
export function agoText(timeMs: number | null, nowMs: number): string {
  if (timeMs === null) return 'never';
  return timeMs > nowMs + 1_000 ? clockText(timeMs, nowMs) : `${lengthText(Math.max(0, nowMs - timeMs))} ago`;
}
