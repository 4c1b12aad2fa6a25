import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { writePrivateFile } from '../configuration/private-file.ts';

const stored = z.object({ aheadMs: z.number() });

const clockNotePath = (dataFolder: string): string => join(dataFolder, 'clock.json');

/**
 * Notes down how far the machine's clock is ahead of the exchange's, for those who look at the folder alone;
 * null takes the note away. A note that can not be written is none: the log has said it.
 */
export function writeClockNote(dataFolder: string, aheadMs: number | null): void {
  try {
    if (aheadMs === null) rmSync(clockNotePath(dataFolder), { force: true });
    else writePrivateFile(clockNotePath(dataFolder), JSON.stringify({ aheadMs }));
  } catch {
    // A full disk is the mirror's to report.
  }
}

/** Returns how far the clock is ahead; null if it is right, as far as the last run knew. */
export function readClockNote(dataFolder: string): number | null {
  try {
    return stored.parse(JSON.parse(readFileSync(clockNotePath(dataFolder), 'utf8'))).aheadMs;
  } catch {
    return null;
  }
}
