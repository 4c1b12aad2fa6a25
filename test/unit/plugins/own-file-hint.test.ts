import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ownFileHint } from '../../../src/plugins/own-files.ts';

test('a name of no bundled strategy is held against the files of the folder that one works in', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sarraf-hint-'));
  try {
    expect(ownFileHint('dip', folder)).toBe('');
    mkdirSync(join(folder, 'strategies'));
    writeFileSync(join(folder, 'strategies', 'dip.ts'), '');
    expect(ownFileHint('dip', folder)).toBe(
      '; there is strategies/dip.ts: name it by its path, ./strategies/dip.ts',
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});
