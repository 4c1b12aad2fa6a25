/** The bot's time as of its newest reading; null where nothing was read yet. */
export function newestReading(readTimes: Readonly<Record<string, number>>): number | null {
  const times = Object.values(readTimes);
  return times.length === 0 ? null : Math.floor(Math.max(...times));
}
