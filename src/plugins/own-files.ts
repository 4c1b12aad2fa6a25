import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Usual folders of people's own strategies, in the working folder. */
const PLACES = ['strategies', 'my-strategies', '.'] as const;

/** Returns a hint for an unknown strategy name: the file that was probably meant; an empty text if none. */
export function ownFileHint(name: string, workingFolder: string): string {
  for (const place of PLACES) {
    for (const ending of ['.ts', '.js']) {
      const path = join(place, name + ending);
      if (existsSync(join(workingFolder, path))) return `; there is ${path}: name it by its path, ./${path}`;
    }
  }
  return '';
}

/** True if this code is the bundle, false if it is the sources. */
export const IS_BUNDLE = import.meta.filename.endsWith('.js');

const rootAbove = (folder: string): string =>
  existsSync(join(folder, 'package.json')) ? folder : rootAbove(dirname(folder));

/** Folder of the package: the nearest one above with a package.json. */
const ROOT = rootAbove(import.meta.dirname);

const buildOf = (folder: string): string =>
  basename(folder) === 'src' ? dirname(folder) : buildOf(dirname(folder));

/** Folder with `src/` and `strategies/` of this build; other builds may be beside it. */
const BUILD = buildOf(import.meta.dirname);

/** True if the package is a checkout with its sources. */
export const IS_CHECKOUT = existsSync(join(ROOT, 'src'));

/**
 * Returns the URL of a module of this package that is loaded by its path, such as the entry of a thread. In
 * the bundle it has the same name, since each is an entry in `bundle.mjs`.
 * @param name its path in `src`, without an extension, such as `plugins/strategy-worker`
 */
export const ownModule = (name: string): URL =>
  pathToFileURL(join(BUILD, 'src', `${name}.${IS_BUNDLE ? 'js' : 'ts'}`));

/** Returns the folder of the strategies of the package: in a checkout its sources, else built ones. */
export const ownStrategies = (): string =>
  IS_CHECKOUT ? join(ROOT, 'strategies') : join(BUILD, 'strategies');

/** Returns the path of a file that ships with the package, such as `config/study.schema.json`. */
export const ownFile = (path: string): string => join(ROOT, path);

/** Returns the path of a file or folder of `src` that is read as it is, such as the report's page. */
export const ownFolder = (name: string): string => join(BUILD, 'src', name);

/** Returns the folder of the dashboard's page: that of this build, or of a checkout's newest build. */
export const pageFolder = (): string =>
  IS_BUNDLE ? ownFolder('dashboard/page') : ownFile('dist/src/dashboard/page');
