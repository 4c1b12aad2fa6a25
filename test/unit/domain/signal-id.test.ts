import { expect, test } from 'vitest';
import { isSignalId } from '../../../src/domain/signal-id.ts';

test.each(['BTCUSDT-2026-01-05T10:00:00Z', 'ES1!-2026-01-05T10:00:00Z', 'M&M-2026-01-05T10:00:00Z'])(
  'the id that the template of an alert makes, %s, is one',
  (id) => {
    expect(isSignalId(id)).toBe(true);
  },
);

test.each(['', 'a b', 'a/b', 'a"b', 'x'.repeat(65), 7])('%s is none', (id) => {
  expect(isSignalId(id)).toBe(false);
});
