import { expect, test } from 'vitest';
import { tryDecimalText } from '../../../src/domain/decimal-text.ts';

test.each([
  ['1.50', '1.5'],
  ['1.00', '1'],
  ['100', '100'],
  ['+100', '100'],
  ['007', '7'],
  ['00.50', '0.5'],
  ['-00.050', '-0.05'],
  ['0', '0'],
  ['000', '0'],
  ['-0', '0'],
  ['-0.00', '0'],
  ['+0.0', '0'],
  ['0.0000000001', '0.0000000001'],
  ['126000000000000000000.10', '126000000000000000000.1'],
])('a decimal written as "%s" is the text "%s"', (written, text) => {
  expect(tryDecimalText(written)).toBe(text);
});
