import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { importsOf } from '../support/layering.ts';

interface HouseLine {
  readonly figures: Readonly<Record<string, number>>;
  readonly files: readonly string[];
}

const filesBelow = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:tsx?|m?js)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));

const linesIn = (files: readonly string[]): number =>
  files.reduce((sum, file) => sum + readFileSync(file, 'utf8').split('\n').length - 1, 0);

/** `src/room/folder/file.ts` → room, and whether the file is in one of its private folders. */
function placeOf(file: string): { readonly room: string; readonly isPrivate: boolean } {
  const [, room = '', ...rest] = file.split('/');
  return { room, isPrivate: rest.length > 1 };
}

const targetsOf = (file: string): readonly string[] =>
  importsOf(readFileSync(file, 'utf8'))
    .filter((target) => target.startsWith('.'))
    .map((target) => join(dirname(file), target));

/** Sizes of the code, and how much the rooms of `src` know of each other's insides. */
export function houseFigures(): Readonly<Record<string, HouseLine>> {
  const src = filesBelow('src');
  const tests = filesBelow('test');
  const inside = src.flatMap((file) =>
    targetsOf(file)
      .filter((target) => target.startsWith('src/'))
      .filter((target) => placeOf(target).isPrivate && placeOf(target).room !== placeOf(file).room)
      .map((target) => `${file} ${target}`),
  );
  const ofEngine = targetsOf('src/engine/engine.ts');
  return {
    src: { figures: { lines: linesIn(src), files: src.length }, files: src },
    test: { figures: { lines: linesIn(tests), files: tests.length }, files: tests },
    "imports from other rooms' folders": { figures: { imports: inside.length }, files: inside },
    'imports of engine.ts': { figures: { imports: ofEngine.length }, files: ofEngine },
  };
}
