import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { writePrivateFile } from '../configuration/private-file.ts';

/** Place where the requests of a data folder's bot are counted, for readers of the folder alone. */
interface LedgerNote {
  /** The ledger's file. */
  readonly ledger: string;
  /** Under which names the ledger counts the bot's address and account. */
  readonly subjects: readonly string[];
}

const stored = z.object({ ledger: z.string().max(4_096), subjects: z.array(z.string().max(64)).max(8) });

const notePath = (dataFolder: string): string => join(dataFolder, 'ledger.json');

/**
 * Notes down where the ledger is; null, where the exchange is in the bot itself, takes the note away. Throws
 * what the system throws.
 */
export function writeLedgerNote(dataFolder: string, note: LedgerNote | null): void {
  if (note === null) rmSync(notePath(dataFolder), { force: true });
  else writePrivateFile(notePath(dataFolder), JSON.stringify(note));
}

/**
 * The note of the last run that had a ledger; null where there is none that can be read. It stays when the
 * run has ended.
 */
export function readLedgerNote(dataFolder: string): LedgerNote | null {
  try {
    return stored.safeParse(JSON.parse(readFileSync(notePath(dataFolder), 'utf8'))).data ?? null;
  } catch {
    return null;
  }
}
