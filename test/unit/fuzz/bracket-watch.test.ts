import { expect, test } from 'vitest';
import type { EngineOutput } from '../../../src/engine/engine-command.ts';
import { createAlgorithm } from '../../../src/engine/algorithms/algorithms.ts';
import { algorithmToJson } from '../../../src/engine/algorithm-json.ts';
import { BracketWatch } from '../../../src/fuzz/checkers/protection-checker.ts';
import { CREATED } from '../execution/algorithms/algorithm-table.ts';
import { english } from '../../../src/language/sentence.ts';

/** A step in which a bracket begins. */
function beginOf(intentId: string): Pick<EngineOutput, 'changes'> {
  const intent = {
    kind: 'bracket',
    market: 'BTCUSDT',
    entry: { amount: '1' },
    stopLoss: { percent: '5' },
  } as const;
  const made = createAlgorithm(intent, CREATED);
  if (!made.ok) throw new Error(english(made.reason));
  const json = algorithmToJson(made.algorithm);
  return {
    changes: [{ kind: 'algorithm', algorithm: { intentId, strategy: 'one', market: 'BTCUSDT', json } }],
  };
}

test('a watch of brackets forgets one that a life before wrote to no disk, and keeps the others', () => {
  const watch = new BracketWatch();
  watch.take(beginOf('i1'), 1_000);
  watch.take(beginOf('i2'), 2_000);
  watch.begin(new Set(['i1']));
  expect(watch.brackets.map(({ intentId, untilMs }) => [intentId, untilMs])).toEqual([
    ['i1', Number.POSITIVE_INFINITY],
    ['i2', 2_000],
  ]);
});
