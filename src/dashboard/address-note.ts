import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { writePrivateFile } from '../configuration/private-file.ts';

const stored = z.object({ address: z.url({ protocol: /^https?$/ }).max(200) });

const notePath = (dataFolder: string): string => join(dataFolder, 'dashboard.json');

/** Notes down where the page of a data folder is, for commands that make links. */
export function writeAddressNote(dataFolder: string, address: string): void {
  writePrivateFile(notePath(dataFolder), JSON.stringify({ address } satisfies z.output<typeof stored>));
}

/** Returns its last address; null if unknown. */
export function readAddressNote(dataFolder: string): string | null {
  try {
    return stored.safeParse(JSON.parse(readFileSync(notePath(dataFolder), 'utf8'))).data?.address ?? null;
  } catch {
    return null;
  }
}
