import { describe, expect, it } from 'vitest';
import { parseJson } from '../../../src/exchange/json.ts';

describe('parseJson', () => {
  it.each([
    ['{"a":0.10}', { a: '0.10' }],
    ['{"a":12345678901234567890}', { a: '12345678901234567890' }],
    ['[1e5, 0E-10, -2.5]', ['1e5', '0E-10', '-2.5']],
    ['{"a": 9007199254740993}', { a: '9007199254740993' }],
    ['0.1', '0.1'],
    ['[-0, 1.0]', ['-0', '1.0']],
  ])('gives the source text of numbers that a float may change: %s', (text, expected) => {
    expect(parseJson(text)).toEqual(expected);
  });

  it.each([
    ['{"id":25,"big":9007199254740991,"no":-3}', { id: 25, big: Number.MAX_SAFE_INTEGER, no: -3 }],
    [
      '{"text":"a:1.5","list":["0.10"],"flag":true,"none":null}',
      { text: 'a:1.5', list: ['0.10'], flag: true, none: null },
    ],
  ])('leaves safe integers and everything that is no number as they are: %s', (text, expected) => {
    expect(parseJson(text)).toEqual(expected);
  });

  it('refuses what is no JSON', () => {
    expect(() => parseJson('{"a":1.5')).toThrow(SyntaxError);
  });
});
