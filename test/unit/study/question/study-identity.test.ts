import { describe, expect, test } from 'vitest';
import { dataSetOf } from '../../../../src/study/data-set.ts';
import { readWrittenStudy } from '../../../../src/study/read-study.ts';
import {
  canonicalJson,
  differenceOf,
  identityOf,
  storedIdentity,
} from '../../../../src/study/study-identity.ts';
import { studyQuestion } from '../../../../src/study/prepare-study.ts';
import { readSpace } from '../../../../src/search/space-declaration.ts';
import { generatedCandles } from '../generated-candles.ts';

const space = readSpace({ fast: { kind: 'integer', min: 2, max: 9 } });
const LEAST = { strategy: 'a/ma-cross.ts', markets: 'BTCUSDT', balances: { usdt: 10_000 } };

const questionOf = (more: object = {}) =>
  studyQuestion(readWrittenStudy({ ...LEAST, ...more }).settings, space);

const bars = dataSetOf(generatedCandles({ count: 200 }));
const identity = (of: object = {}) => identityOf({ question: questionOf(), code: 'c0', data: [bars], ...of });

describe('a study is the same', () => {
  test.each([
    ['with other budgets', { budget: { trials: 7, time: '1m' } }],
    ['with its data elsewhere', { csv: 'elsewhere/hours.csv' }],
    ['with its strategy in another folder', { strategy: 'b/ma-cross.ts' }],
    ['with its defaults written down', { objectives: ['sharpe'], sampler: { seed: 1 }, rules: {} }],
  ])('%s', (_, more) => {
    expect(differenceOf(identity(), identity({ question: questionOf(more) }))).toBeNull();
  });

  test('after it was stored and read', () => {
    const stored = storedIdentity.parse(JSON.parse(JSON.stringify(identity())));
    expect(differenceOf(stored, identity())).toBeNull();
  });
});

describe('what differs between two studies is said', () => {
  test.each([
    [{ question: questionOf({ sampler: { seed: 8 } }) }, /^sampler: \{.*"seed":1\}, now \{.*"seed":8\}$/],
    [{ question: questionOf({ fee: '0.2%' }) }, /^fee: nothing, now "0\.2"$/],
    [{ code: 'c1' }, /^the strategy's code has changed$/],
    [
      { data: [dataSetOf(generatedCandles({ count: 201 }))] },
      /^data of BTCUSDT: 200 candles .*, now 201 candles/,
    ],
  ])('%#', (of, message) => {
    expect(differenceOf(identity(), identity(of))).toMatch(message);
  });
});

test('canonical JSON has the keys of objects in order, and lists as they are', () => {
  expect(canonicalJson({ b: [2, 1], a: { d: null, c: 'x' } })).toBe('{"a":{"c":"x","d":null},"b":[2,1]}');
});
