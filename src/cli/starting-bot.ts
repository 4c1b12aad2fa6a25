import { messageOf } from '../domain/errors.ts';
import { dataFolderOwner, isDataFolderInUse } from '../daemon/run-locks.ts';
import { askHealth, healthAddress } from './ask-health.ts';

/** A bot that has a data folder and no mirror open: it starts, or is about to end. */
export interface StartingBot {
  readonly pid: number | null;
  /** Name of the process, for people. */
  readonly who: string;
}

/**
 * The bot that has a folder whose mirror is not open; null where there is none, or that is unknown.
 */
export function startingBot(dataFolder: string): StartingBot | null {
  try {
    if (!isDataFolderInUse(dataFolder)) return null;
  } catch {
    // Whoever only reads may have no right to look at the lock; what it came to read is read or refused all
    // the same.
    return null;
  }
  const owner = dataFolderOwner(dataFolder);
  return owner === null
    ? { pid: null, who: 'another process' }
    : { pid: owner.pid, who: `pid ${owner.pid} on ${owner.host}` };
}

/** Returns the reason for its wait, in its own words if it serves health. */
export async function startWaitsFor(dataFolder: string): Promise<string> {
  const unserved = 'no answer from the exchange yet, as far as the command can see without health.port';
  const address = healthAddress(dataFolder);
  if (address === null) return unserved;
  try {
    const { reasons } = await askHealth(`${address}/readyz`);
    return reasons.length === 0 ? 'it has just begun' : reasons.join('; ');
  } catch (error) {
    return `what for is not known: ${messageOf(error)}`;
  }
}
