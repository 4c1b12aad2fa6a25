import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { formatProblems, loadYaml, plainIssues, readYaml } from '../../../src/configuration/load-yaml.ts';
import { didYouMean, nearestWord } from '../../../src/domain/errors.ts';
import { exchangeConfig } from '../../../src/simulator-server/exchange-config.ts';
import { folderOfThisTest } from '../../support/temporary-folder.ts';

const problems = (text: string, schema: z.ZodType = exchangeConfig): readonly string[] => {
  const read = readYaml(text, schema);
  return read.ok ? [] : formatProblems('f', read.problems).split('\n');
};

describe('a file', () => {
  test('gets all of its problems at once, each with its path, line and column', () => {
    const text = [
      'exchange:',
      '  name: 7up!',
      'marketz: []',
      'markets:',
      '  - symbol: BTCIRT',
      '    priceStep: "0"',
      '    amountStep: 0.000001',
      '    initialPrice: 1',
      '    colour: red',
      'users:',
      '  - username: a',
      '    tokens: [t]',
      '    featuers: {}',
      '  - username: b',
      '    tokens: [t]',
      'limits:',
      '  overrides:',
      '    order/add: none',
      'faults:',
      '  rules:',
      '    - {kind: late, probability: 2}',
    ].join('\n');
    expect(problems(text)).toEqual([
      'f:2:9: exchange.name: expected letters and digits',
      'f:3:1: marketz: unknown key, did you mean markets?',
      'f:6:16: markets[0].priceStep: expected a positive decimal such as "0.000001", was "0"',
      'f:9:5: markets[0].colour: unknown key, expected one of symbol, priceStep, amountStep, initialPrice, minOrderValue',
      'f:13:5: users[0].featuers: unknown key, did you mean features?',
      'f:15:14: users[1].tokens[0]: expected a token that no other user has, users[0] has it too',
      'f:18:5: limits.overrides.order/add: unknown key, did you mean orders/add?',
      'f:21:33: faults.rules[0].probability: Too big: expected number to be <=1',
    ]);
  });

  test('names what is there twice', () => {
    const text = 'users:\n  - {username: a, tokens: [t]}\n  - {username: a, tokens: [t]}\n';
    expect(problems(text)).toEqual([
      'f:3:16: users[1].username: expected a username that no other user has, users[0] has it too',
      'f:3:28: users[1].tokens[0]: expected a token that no other user has, users[0] has it too',
    ]);
  });

  test('points at what stands around a value that is missing', () => {
    expect(problems('markets:\n  - symbol: BTCIRT\n    priceStep: 10\n    amountStep: 1\n')).toEqual([
      expect.stringMatching(/^f:2:5: markets\[0\]\.initialPrice: /) as unknown,
    ]);
  });

  test('with a price off its grid, an unknown market or a fee too fine says so', () => {
    expect(
      problems('markets: [{symbol: BTCIRT, priceStep: 10, amountStep: 1, initialPrice: 15}]')[0],
    ).toMatch(/markets\[0\]\.initialPrice: expected a price of BTCIRT in steps of 10, was 15/);
    expect(problems('markets: [{symbol: gold, priceStep: 10, amountStep: 1, initialPrice: 20}]')[0]).toMatch(
      /markets\[0\]\.symbol/,
    );
    expect(problems('fees: {rls: {maker: 0.12345, taker: 1}}')[0]).toMatch(
      /fees\.rls\.maker: .*four decimals/,
    );
  });

  test('with a bare number of too many digits asks for quotes', () => {
    const text = 'users: [{username: a, balances: {rls: 12345678901234567890}}]';
    expect(problems(text)[0]).toMatch(/f:1:39: users\[0\]\.balances\.rls: .* in quotes/);
  });

  test('with more decimals than the books keep says how many', () => {
    const text = 'users: [{username: a, balances: {rls: "0.12345678901"}}]';
    expect(problems(text)[0]).toMatch(
      /f:1:39: users\[0\]\.balances\.rls: .* with at most 10 decimals, was "0\.12345678901"/,
    );
  });

  test('that is no YAML says where', () => {
    expect(problems('a: [1, 2\nb: }')[0]).toMatch(/^f:\d+:\d+: /);
    expect(problems('a: 1\na: 2')[0]).toMatch(/^f:2:1: .*unique/);
  });

  test('that is empty is all defaults', () => {
    const read = readYaml('# nothing yet\n', exchangeConfig);
    expect(read.ok && read.value.markets.map(({ market }) => market.symbol)).toContain('SHIBUSDT');
  });

  test('that is not there, or is a folder, is a problem of the file', () => {
    const folder = folderOfThisTest();
    const file = join(folder, 'x.yaml');
    const schema = z.strictObject({ a: z.int() });
    expect(loadYaml(file, schema)).toMatchObject({
      ok: false,
      problems: [{ message: 'expected a file, found none' }],
    });
    expect(loadYaml(folder, schema)).toMatchObject({
      ok: false,
      problems: [{ message: expect.stringContaining('EISDIR') as unknown }],
    });
    writeFileSync(file, 'a: 5');
    expect(loadYaml(file, schema)).toEqual({ ok: true, value: { a: 5 } });
  });
});

test('the nearest word is near', () => {
  expect(nearestWord('Markets', ['margin', 'markets'])).toBe('markets');
  expect(nearestWord('amountStpe', ['priceStep', 'amountStep'])).toBe('amountStep');
  expect(nearestWord('colour', ['symbol', 'priceStep'])).toBeNull();
  expect(nearestWord('x'.repeat(10_000), ['x'])).toBeNull();
  expect(didYouMean('colour', ['color'])).toBe(': did you mean color?');
  expect(didYouMean('colour', [])).toBe('');
});

const size = z.union([z.enum(['small', 'large']), z.strictObject({ width: z.number().min(1) })]);
const sizes = z.union([size, z.array(size)]);

function said(schema: z.ZodType, value: unknown): readonly string[] {
  const { error } = schema.safeParse(value);
  return (error?.issues ?? [])
    .flatMap(plainIssues)
    .map(({ path, message }) => `${path.join('.')}: ${message}`);
}

describe('what is wrong with a value that may have several forms', () => {
  test('is what is wrong with the form that it has', () => {
    expect(said(size, { width: 0 })).toEqual(['width: Too small: expected number to be >=1']);
    expect(said(sizes, ['small', { width: 0 }])).toEqual(['1.width: Too small: expected number to be >=1']);
  });

  test('is what each form expects where it has none of them', () => {
    const form = z.union([
      z.string({ error: 'expected a name' }),
      z.boolean({ error: 'expected yes or no' }),
    ]);
    expect(said(form, 5)).toEqual([': expected a name; or expected yes or no']);
  });

  test('is what the schema says of it where it says something', () => {
    const own = z.union([z.number().max(5), z.literal('all')], { error: 'expected at most 5, or all' });
    expect(said(own, true)).toEqual([': expected at most 5, or all']);
  });
});
