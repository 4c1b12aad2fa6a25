import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { referencePages } from '../../docs/generate-reference.ts';

test.each([...referencePages()])(
  'the reference pages %s says what the code says (npm run docs writes it)',
  (path, text) => {
    expect(readFileSync(path, 'utf8')).toBe(text);
  },
);
