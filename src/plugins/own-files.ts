import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

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

/** True if this is the bundle, and not its sources. */
export const IS_BUNDLE = import.meta.filename.endsWith('.js');

/** The folder of the package: the nearest one above with a package.json. */
const ROOT = rootAbove(import.meta.dirname);

function rootAbove(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : rootAbove(dirname(folder));
}

/** The folder with `src/` and `strategies/` of this very build. Other builds may be beside it. */
const BUILD = buildOf(import.meta.dirname);

function buildOf(folder: string): string {
  return basename(folder) === 'src' ? dirname(folder) : buildOf(dirname(folder));
}

/** True if the package is in a checkout, with its sources. */
export const IS_CHECKOUT = existsSync(join(ROOT, 'src'));

/**
 * A module of this package that is loaded by its place, such as the entry of a thread. The bundle has it
 * under the same name: each is an entry in `bundle.mjs`.
 * @param name its path in `src`, without an ending, such as `plugins/strategy-worker`
 */
export function ownModule(name: string): URL {
  return pathToFileURL(join(BUILD, 'src', `${name}.${IS_BUNDLE ? 'js' : 'ts'}`));
}

/** The strategies that come with the package: a checkout's own, or those that were built. */
export function ownStrategies(): string {
  return IS_CHECKOUT ? join(ROOT, 'strategies') : join(BUILD, 'strategies');
}

/** A file or folder that ships with the package beside its code, such as `config/study.schema.json`. */
export function ownFile(path: string): string {
  return join(ROOT, path);
}

/** A file or folder of `src` that is read as it is, such as the page of the report. */
export function ownFolder(name: string): string {
  return join(BUILD, 'src', name);
}
