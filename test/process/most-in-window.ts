/** Returns the most of the ascending `times` that lie in any window, both ends included. */
export function mostInWindow(times: readonly number[], windowMs: number): number {
  let first = 0;
  let most = 0;
  for (const [index, time] of times.entries()) {
    while ((times[first] ?? time) < time - windowMs) first += 1;
    most = Math.max(most, index - first + 1);
  }
  return most;
}
