import { describe, expect, it } from 'vitest';
import { parseUnits } from '../../../src/domain/money.ts';
import type { MirrorChange } from '../../../src/engine/mirror-change.ts';
import { createAlgorithm } from '../../../src/engine/algorithms/algorithms.ts';
import { algorithmToJson } from '../../../src/engine/algorithm-json.ts';
import { DustChecker } from '../../../src/fuzz/checkers/exposure-checker.ts';
import type { HoldingBot } from '../../../src/fuzz/checkers/exchange-truth.ts';
import { intentRecord } from '../mirror/mirror-fixture.ts';
import { CREATED } from '../execution/algorithms/algorithm-table.ts';
import { english } from '../../../src/language/sentence.ts';

/** A bot whose strategy holds as much. */
function holding(btc: string): HoldingBot {
  const holdings = new Map([['btc', { held: parseUnits(btc) }]]);
  return { instances: [{ name: 'one', ledger: { state: { holdings } } }] } as unknown as HoldingBot;
}

/** A bracket begins, and takes dust along. */
function began(intentId: string, dust: string): { readonly changes: readonly MirrorChange[] } {
  const entry = { amount: '1' };
  const intent = { kind: 'bracket', market: 'BTCUSDT', entry, stopLoss: { percent: '5' } } as const;
  const made = createAlgorithm(intent, CREATED);
  if (!made.ok) throw new Error(english(made.reason));
  const json = algorithmToJson({ ...made.algorithm, bought: parseUnits(dust) } as typeof made.algorithm);
  return {
    changes: [{ kind: 'algorithm', algorithm: { intentId, strategy: 'one', market: 'BTCUSDT', json } }],
  };
}

function faults(checker: DustChecker): readonly string[] {
  return checker.violations().map(({ message }) => message);
}

describe('a checker of dust', () => {
  it('lets a bracket take what its strategy holds, once', () => {
    const checker = new DustChecker();
    expect(checker.watch(holding('0.0006'), began('i1', '0.0006'))).toBe(1);
    expect(checker.watch(holding('0.0006'), began('i1', '0.0006'))).toBe(0);
    expect(checker.watch(holding('0.0006'), began('i2', '0'))).toBe(0);
    checker.watch(holding('0.0006'), { changes: [{ kind: 'algorithm-end', intentId: 'i1' }] });
    checker.watch(holding('0.0006'), began('i3', '0.0006'));
    expect(faults(checker)).toEqual([]);
  });

  it('finds one that takes more', () => {
    const checker = new DustChecker();
    checker.watch(holding('0.0006'), began('i1', '0.0012'));
    expect(faults(checker)).toEqual([
      'expected brackets of one btc to take at most what is held, 0 or 0.0006, they took 0.0012',
    ]);
  });

  it('finds a second one that takes the same, while neither has an exit', () => {
    const checker = new DustChecker();
    checker.watch(holding('0.0006'), began('i1', '0.0006'));
    checker.watch(holding('0.0006'), began('i2', '0.0006'));
    expect(faults(checker)).toHaveLength(1);
  });

  it('judges a bracket with the id of one that its life died over before it was written', () => {
    const checker = new DustChecker();
    checker.watch(holding('0.0006'), began('i1', '0.0006'));
    checker.died();
    const begins = { kind: 'intent', intent: intentRecord({ id: 'i1', kind: 'bracket' }) } as const;
    const { changes } = began('i1', '0.0012');
    checker.watch(holding('0.0006'), { changes: [begins, ...changes] });
    expect(faults(checker)).toHaveLength(1);
  });
});
