import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { codeHash } from '../../../../src/study/code-bundle.ts';
import { folderOfEachTest } from '../../../support/temporary-folder.ts';

const folder = folderOfEachTest();

function write(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

describe('the hash of code', () => {
  test('is that of what the file says, wherever it is', () => {
    const text = `import { z } from 'zod';\nexport default 1;\n`;
    expect(codeHash(write('a.ts', text))).toBe(codeHash(write('b.ts', text)));
    expect(codeHash(write('c.ts', `${text}// more`))).not.toBe(codeHash(write('a.ts', text)));
  });

  test('changes with a file that it imports by a path, and with those of that one', () => {
    write('deep.ts', 'export const deep = 1;');
    write('near.ts', `export * from './deep.ts';`);
    const file = write('a.ts', `import { deep } from './near.ts';\nexport default deep;\n`);
    const before = codeHash(file);
    write('deep.ts', 'export const deep = 2;');
    expect(codeHash(file)).not.toBe(before);
  });

  test('ends where files import each other', () => {
    const file = write('a.ts', `import './b.ts';`);
    write('b.ts', `import './a.ts';`);
    expect(codeHash(file)).toMatch(/^[0-9a-f]{64}$/);
  });
});
