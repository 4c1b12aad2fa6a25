import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Usual folders of people's strategies, in the working folder. */
const PLACES = ['strategies', 'my-strategies', '.'] as const;

/** For a name that is of no bundled strategy: the file of that name that was probably meant; else nothing. */
export function ownFileHint(name: string, workingFolder: string): string {
  for (const place of PLACES) {
    for (const ending of ['.ts', '.js']) {
      const path = join(place, name + ending);
      if (existsSync(join(workingFolder, path))) return `; there is ${path}: name it by its path, ./${path}`;
    }
  }
  return '';
}
