import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Checkout } from '../../mutants/checkout.ts';
import { COMMAND } from '../../mutants/fuzz-run.ts';
import { planted, readMutants } from '../../mutants/mutant.ts';
import { verdictOnReport } from '../../mutants/suite-run.ts';
import { verdictOn } from '../../mutants/verdict.ts';

const mutants = readMutants('test/mutants/planted');

test('there are twenty mutants or more, each of its own name', () => {
  expect(new Set(mutants.map(({ name }) => name)).size).toBeGreaterThanOrEqual(20);
});

test.each(mutants.map((mutant) => [mutant.name, mutant] as const))(
  '"%s" fits the bot as it is',
  (_, mutant) => {
    const source = readFileSync(mutant.file, 'utf8');
    expect(planted(source, mutant)).not.toBe(source);
  },
);

test('a copy of the project has what the fuzzer is started from', () => {
  const checkout = new Checkout('.', null);
  try {
    expect(existsSync(join(checkout.folder, COMMAND))).toBe(true);
  } finally {
    checkout.remove();
  }
});

test.each([['nothing'], ['twice twice']])('an edit is refused where its text is there %s', (source) => {
  const mutant = { name: 'm', file: 'src/a.ts', find: 'twice', replace: 'once', why: 'w' };
  expect(() => planted(source, mutant)).toThrow('the mutant no longer fits: m');
});

const seed = (number: number, violations: readonly { check: string; message: string }[] = []) => ({
  kind: 'seed' as const,
  seed: number,
  tookMs: 1,
  counts: { orders: 3 },
  violations: [...violations],
});

const mistake = (message: string) => ({ check: 'no mistakes', message });

describe('the verdict on a run', () => {
  const orders = { check: 'orders', message: 'two of them' };
  const run = (...seeds: readonly ReturnType<typeof seed>[]) =>
    verdictOn({ exitCode: 1, seeds, complaint: '' });

  test('is found at the first seed that fails, by the checkers that stand apart', () => {
    const expected = { kind: 'found', seed: 2, checks: ['orders'], message: 'two of them' };
    expect(run(seed(1), seed(3, [mistake('x')]), seed(2, [mistake('INVARIANT'), orders, orders]))).toEqual(
      expected,
    );
  });

  test('takes the bot that stops itself for found, too', () => {
    expect(run(seed(1, [mistake('SarrafError: expected')]))).toMatchObject({
      kind: 'found',
      checks: ['no mistakes'],
    });
  });

  test.each([
    ['code that is nonsense', [seed(1, [mistake('TypeError: x is undefined'), orders])]],
    ['a harness that ends', [seed(1, [{ check: 'the run ends', message: 'hangs' }])]],
    ['a bot that never plans an order', [{ ...seed(1, [orders]), counts: { orders: 0 } }]],
    ['no seed at all', []],
  ])('is broken for %s', (_, seeds) => {
    expect(run(...seeds).kind).toBe('broken');
  });

  test('is survived where every seed held, whether or not everything was met', () => {
    expect(verdictOn({ exitCode: 0, seeds: [seed(1)], complaint: '' }).kind).toBe('survived');
    expect(verdictOn({ exitCode: 1, seeds: [seed(1)], complaint: 'it never met: ocos' }).kind).toBe(
      'survived',
    );
    expect(verdictOn({ exitCode: 1, seeds: [seed(1)], complaint: 'out of memory' }).kind).toBe('broken');
  });
});

const report = (status: string, failure?: string) =>
  verdictOnReport(
    JSON.stringify({
      numTotalTests: 1,
      numPendingTests: status === 'pending' ? 1 : 0,
      testResults: [
        {
          message: '',
          assertionResults: [{ title: 'it holds', status, failureMessages: failure ? [failure] : [] }],
        },
      ],
    }),
  );

describe('the verdict on a report of vitest', () => {
  test('is found by the test that failed, unless the code made no sense or no test ran', () => {
    expect(report('failed', 'AssertionError: no')).toMatchObject({ kind: 'found', checks: ['it holds'] });
    expect(report('passed')).toEqual({ kind: 'survived' });
    expect(report('failed', 'TypeError: x is no function')).toMatchObject({ kind: 'broken' });
    expect(report('pending')).toMatchObject({ kind: 'broken' });
    expect(verdictOnReport('')).toMatchObject({ kind: 'broken' });
  });
});
