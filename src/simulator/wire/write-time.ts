let lastMs = Number.NaN;
let lastText = '';

/** A time of records: ISO 8601 with offset, in UTC. Source: interface, "General conventions". */
export function writeTime(timeMs: number): string {
  // Many records share their moment: the last text is kept.
  if (timeMs !== lastMs) {
    lastText = `${new Date(timeMs).toISOString().slice(0, -1)}+00:00`;
    lastMs = timeMs;
  }
  return lastText;
}
