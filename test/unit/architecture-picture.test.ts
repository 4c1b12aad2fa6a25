import { expect, test } from 'vitest';
import { importPicture } from '../../docs/architecture-picture.ts';

const imports = (of: Record<string, readonly string[]>) =>
  new Map(Object.entries(of).map(([folder, targets]) => [folder, new Set(targets)]));

test('the picture of imports leaves out what a longer way says', () => {
  const picture = importPicture(imports({ cli: ['engine', 'domain'], engine: ['domain'], domain: [] }));
  expect(picture.split('\n').slice(2, -1)).toEqual([
    '  cli["cli/"] --> engine["engine/"]',
    '  engine["engine/"] --> domain["domain/"]',
  ]);
});

test('the picture of imports refuses folders that import each other', () => {
  expect(() => importPicture(imports({ cli: ['engine'], engine: ['venues'], venues: ['engine'] }))).toThrow(
    'found cli -> engine -> venues -> engine',
  );
});
