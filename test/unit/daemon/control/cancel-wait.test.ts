import { describe, expect, test } from 'vitest';
import { CommitTimes } from '../../../../src/budget/commit-times.ts';
import { CancelWait, cancelWaitText, slowDiskFault } from '../../../../src/daemon/control/control-inbox.ts';
import { english } from '../../../../src/language/sentence.ts';

describe('what the cancels of a halt wait for', () => {
  const well = { ledgerFault: null, longestCommitMs: 150 };
  const waiting = { waiting: 20, inFlight: 1, heldBy: null, forMs: 12_000 } as const;

  test.each([
    [
      { ...waiting, heldBy: 'full' },
      well,
      '20 cancels wait for the limit of the exchange, 12 s more at most',
    ],
    [
      { ...waiting, heldBy: 'locked out' },
      well,
      '20 cancels wait: the exchange has locked them out for 12 s more',
    ],
    [
      { ...waiting, heldBy: 'credential refused' },
      well,
      '20 cancels wait: the exchange refuses the credential',
    ],
    [waiting, { ...well, ledgerFault: 'no ledger' }, '20 cancels wait: no ledger'],
    [waiting, well, '20 cancels leave one after the other; the slowest commit took 0.2 s'],
    [{ ...waiting, waiting: 0 }, well, '1 cancel waits for the answer of the exchange'],
  ] as const)('is said of %j', (wait, of, text) => {
    expect(english(cancelWaitText(wait, of))).toBe(text);
  });
});

const twoOnTheWay = () => ({ waiting: 0, inFlight: 2, heldBy: null, forMs: 0 });

test('is said every five seconds while no order closes', () => {
  const said: string[] = [];
  const wait = new CancelWait({ cancelWait: twoOnTheWay }, { onWait: (text) => said.push(english(text)) });
  const text = '2 cancels wait for the answer of the exchange';
  expect(
    [0, 4_999, 5_000, 9_999].map((nowMs) => english(wait.update(3, nowMs) ?? null) ?? undefined),
  ).toEqual([undefined, undefined, text, text]);
  expect([10_000, 10_100].map((nowMs) => wait.update(2, nowMs))).toEqual([undefined, undefined]);
  expect(said).toEqual([text]);
  expect(english(wait.update(2, 15_000) ?? null)).toBe(text);
  expect(said).toEqual([text, text]);
});

describe('a disk on which the end of a run is too short', () => {
  test('is one whose slowest commit of the last minutes, for every cancel, does not fit into it', () => {
    let nowMs = 0;
    const commits = new CommitTimes(() => nowMs);
    const fault = (openOrders: number): string | null =>
      english(slowDiskFault({ commits }, { openOrders, withinMs: 60_000 }));
    commits.add(20);
    commits.add(1_000);
    commits.add(150);
    expect(fault(20)).toBe(null);
    expect(fault(21)).toBe(
      'a commit took 1 s: 21 open orders could not be canceled within drain.within, 60 s',
    );
    nowMs = 299_999;
    expect(fault(21)).not.toBe(null);
    nowMs = 600_000;
    expect(fault(21)).toBe(null);
    expect(slowDiskFault({}, { openOrders: 1_000, withinMs: 1 })).toBe(null);
  });
});
