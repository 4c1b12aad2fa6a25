import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { referencePages } from '../../docs/generate-reference.ts';

describe('the reference pages', () => {
  test.each([...referencePages()])('%s says what the code says (npm run docs writes it)', (path, text) => {
    expect(readFileSync(path, 'utf8')).toBe(text);
  });
});
