/** A time of records: ISO 8601 with offset, in UTC. Source: interface, "General conventions". */
export function writeTime(timeMs: number): string {
  return new Date(timeMs).toISOString().replace('Z', '+00:00');
}
