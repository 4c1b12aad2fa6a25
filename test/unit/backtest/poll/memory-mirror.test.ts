import { join } from 'node:path';
import { expect, it } from 'vitest';
import { MemoryMirror } from '../../../../src/backtest/poll/poll-bot.ts';
import type { MirrorChange } from '../../../../src/engine/mirror-change.ts';
import { openMirror } from '../../../support/open-mirror.ts';
import { folderOfThisTest } from '../../../support/temporary-folder.ts';

it('a mirror in memory has the hash of the journal that a mirror on the disk has', () => {
  const path = join(folderOfThisTest(), 'mirror.sqlite');
  const store = openMirror(path, 1_000, 'poll');
  const memory = new MemoryMirror();
  expect(memory.load()).toEqual(store.load());
  for (let step = 1; step <= 5; step += 1) {
    const changes: readonly MirrorChange[] = [
      { kind: 'kept', name: 'x', json: '1' },
      {
        kind: 'journal',
        entry: {
          kind: 'intent',
          subject: `intent "${step}"`,
          json: JSON.stringify({ step, why: 'x'.repeat(9_000) }),
        },
      },
      { kind: 'journal', entry: { kind: 'notice', subject: '', json: '{}' } },
    ];
    memory.apply(changes, { atMs: 1_000 * step });
    store.apply(changes, { atMs: 1_000 * step, isDurable: step === 2 });
    if (step !== 4) expect(memory.journalHash()).toBe(store.journalHash());
  }
  store.close();
});
