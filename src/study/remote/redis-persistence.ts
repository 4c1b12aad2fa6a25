import type { Redis } from 'ioredis';

/**
 * What is lost with a Redis that keeps nothing on the disk; null for one that does, and for one that does not
 * tell.
 */
export async function persistenceWarning(client: Redis, shown: string): Promise<string | null> {
  const [save, appendOnly] = await Promise.all([setting(client, 'save'), setting(client, 'appendonly')]);
  if (save !== '' || appendOnly !== 'no') return null;
  return (
    `Redis at ${shown} keeps nothing on its disk: where it ends, trials under way run again, and so do those of ` +
    'other studies that this one could have shared. Trials that have ended are in the file of the study'
  );
}

/** One setting; null where it may not be asked for, as at those who rent it out. */
async function setting(client: Redis, name: string): Promise<string | null> {
  try {
    const answer = await client.config('GET', name);
    const value: unknown = Array.isArray(answer) ? answer[1] : Object(answer)[name];
    return typeof value === 'string' ? value : null;
  } catch {
    return null;
  }
}
