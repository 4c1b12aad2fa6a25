import { expect, test } from 'vitest';
import type { CanceledEntries } from '../../../../src/daemon/cancel-entries.ts';
import { MOST_ATTEMPTS, Watchdog, type WatchdogNews } from '../../../../src/daemon/watchdog.ts';

const SECOND_MS = 1_000;
const NOTHING: CanceledEntries = { canceled: [], kept: [], left: [], unseen: [], isBack: false };

test('counts only tries that begin, however long one of them takes', async () => {
  let steadyMs = 0;
  let tries = 0;
  const news: WatchdogNews[] = [];
  const hanging = Promise.withResolvers<CanceledEntries>();
  const watchdog = new Watchdog({
    rule: { silentAfterMs: 10 * SECOND_MS, cancelEntriesAfterMs: 20 * SECOND_MS },
    readPulse: () => ({ pid: 1, sinceMs: 0, beatMs: 1, endedAtMs: null, failure: null }),
    steadyMs: () => steadyMs,
    cancel: async () => {
      tries += 1;
      if (tries === 1) return hanging.promise;
      if (tries < MOST_ATTEMPTS) throw new Error('locked out');
      return NOTHING;
    },
    onNews: (one) => news.push(one),
  });
  const look = async (forMs: number): Promise<void> => {
    for (const untilMs = steadyMs + forMs; steadyMs < untilMs;) {
      steadyMs += 5 * SECOND_MS;
      watchdog.poll();
      if (tries !== 1) await watchdog.rest();
    }
  };
  // Longer than all waits between the attempts together.
  await look(10_000 * SECOND_MS);
  expect(tries).toBe(1);
  hanging.reject(new Error('no answer'));
  await watchdog.rest();
  await look(10_000 * SECOND_MS);
  expect(tries).toBe(MOST_ATTEMPTS);
  expect(news.at(-1)).toMatchObject({ kind: 'canceled' });
});
