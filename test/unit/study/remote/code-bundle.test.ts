import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  codeHash,
  checkSecret,
  isSignedBundle,
  signBundle,
  unpackBundle,
  writeBundle,
} from '../../../../src/study/code-bundle.ts';
import { folderOfEachTest } from '../../../support/temporary-folder.ts';

const SECRET = 'a secret of some length';

const folder = folderOfEachTest();
let strategy: string;
beforeEach(() => {
  mkdirSync(join(folder, 'mine', 'parts'), { recursive: true });
  strategy = join(folder, 'mine', 'trend.ts');
  writeFileSync(strategy, `import { lift } from './parts/lift.ts';\nimport { z } from 'zod';\n`);
  writeFileSync(
    join(folder, 'mine', 'parts', 'lift.ts'),
    `import '../../shared.ts';\nexport const lift = 1;\n`,
  );
  writeFileSync(join(folder, 'shared.ts'), 'export {};\n');
  writeFileSync(join(folder, 'unrelated.ts'), 'export {};\n');
});

const unpack = (bytes: Uint8Array, code = codeHash(strategy)): string =>
  unpackBundle(bytes, { folder: join(folder, 'cache'), code });

test('code is the same after it was sent, with what it imports and nothing else', () => {
  const file = unpack(writeBundle(strategy));
  expect(codeHash(file)).toBe(codeHash(strategy));
  expect(file.endsWith('/mine/trend.ts')).toBe(true);
  expect(readFileSync(file, 'utf8')).toBe(readFileSync(strategy, 'utf8'));
  expect(existsSync(join(file, '../../unrelated.ts'))).toBe(false);
  // A bundle that is unpacked again goes to the same place.
  expect(unpack(writeBundle(strategy))).toBe(file);
  expect(readdirSync(join(folder, 'cache'))).toHaveLength(1);
});

test('code other than the one that was named is not kept', () => {
  expect(() => unpack(writeBundle(strategy), 'a'.repeat(64))).toThrow(/^expected code with SHA-256 aaaa/);
  expect(readdirSync(join(folder, 'cache'))).toEqual([]);
});

test.each(['../out.ts', '/etc/out.ts', 'a/../../out.ts', 'a\\out.ts', './out.ts', 'c:out.ts'])(
  'a file at %s is refused before any is written',
  (path) => {
    const bytes = Buffer.from(JSON.stringify({ entry: path, files: [{ path, text: '' }] }));
    expect(() => unpack(bytes)).toThrow(/expected a path below/);
    expect(existsSync(join(folder, 'out.ts'))).toBe(false);
  },
);

describe('the signature', () => {
  const bytes = Buffer.from('code');

  test('holds for the same code and secret alone', () => {
    const hmac = signBundle(bytes, SECRET);
    expect(isSignedBundle(bytes, hmac, SECRET)).toBe(true);
    expect(isSignedBundle(Buffer.from('other'), hmac, SECRET)).toBe(false);
    expect(isSignedBundle(bytes, hmac, `${SECRET}!`)).toBe(false);
    expect(isSignedBundle(bytes, '', SECRET)).toBe(false);
  });

  test('needs a secret that can not be guessed', () => {
    expect(checkSecret(`  ${SECRET}\n`)).toBe(SECRET);
    expect(() => checkSecret('short\n')).toThrow(/^expected a secret of at least 16 characters, found 5/);
  });
});
