import fc from 'fast-check';
import { expect, test } from 'vitest';
import { indentedJson } from '../../../src/language/indented-json.ts';

test('JSON gets a line for each field, with every number as it was written', () => {
  const text = '{"price":12600000000.00,"id":9007199254740993,"none":{},"legs":[1e3,"a \\"{,"]}';
  expect(indentedJson(text)).toBe(
    [
      '{',
      '  "price": 12600000000.00,',
      '  "id": 9007199254740993,',
      '  "none": {},',
      '  "legs": [',
      '    1e3,',
      '    "a \\"{,"',
      '  ]',
      '}',
    ].join('\n'),
  );
});

test.each(['', '<html>{"a":1}</html>', '{"a":1', '{"a":1}}'])('%j is no JSON, and stays as it is', (text) => {
  expect(indentedJson(text)).toBe(text);
});

test('values are indented as JSON.stringify does it', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(indentedJson(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2));
    }),
  );
});

test('what is nested without an end is indented no further than a page is wide', () => {
  const text = `${'['.repeat(2_000)}${']'.repeat(2_000)}`;
  expect(indentedJson(text).length).toBeLessThan(200_000);
});
