import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { VERSION } from '../../exchange/version.ts';
import { IS_BUNDLE, ownFile, ownFolder } from '../../plugins/own-files.ts';

/** Folders of `src/` that change no trial: commands, reports, and what reads trials that are there. */
const NOT_OF_TRIALS: ReadonlySet<string> = new Set([
  'backtest/report',
  'cli',
  'fuzz',
  'library',
  'page',
  'query',
  'statistics',
  'study/remote',
  'study/report',
  'study/store',
  'study/validation',
]);

/** File in which a build stores the version of the sources it was made of. */
const ENGINE_VERSION_FILE = 'engine-version';

const manifest = z.object({ dependencies: z.record(z.string(), z.string()) });

let known: string | null = null;

/**
 * Version of the code that runs trials: the version of sarraf, and the first 12 hexadecimal digits of the
 * SHA-256 of its code and of the versions of its dependencies. The version alone would not do: two checkouts
 * of one version differ. The sources and the bundle that is made of them have the same one.
 */
export function engineVersion(): string {
  known ??= IS_BUNDLE
    ? readFileSync(ownFolder(ENGINE_VERSION_FILE), 'utf8').trim()
    : versionOfSources(ownFile('.'));
  return known;
}

/** The same, worked out from the sources of a checkout. */
export function versionOfSources(checkout: string): string {
  const hash = createHash('sha256');
  const packageJson = readFileSync(join(checkout, 'package.json'), 'utf8');
  const { dependencies } = manifest.parse(JSON.parse(packageJson));
  for (const name of Object.keys(dependencies).toSorted()) hash.update(`${name} ${dependencies[name]}\n`);
  for (const path of filesBelow(join(checkout, 'src'), '')) {
    const text = readFileSync(join(checkout, 'src', path));
    hash.update(`\n${path} ${text.length}\n`).update(text);
  }
  return `${VERSION}+${hash.digest('hex').slice(0, 12)}`;
}

/** In one order on every machine. */
function filesBelow(root: string, folder: string): readonly string[] {
  const entries = readdirSync(join(root, folder), { withFileTypes: true });
  const paths = new Map(
    entries.map((entry) => [folder === '' ? entry.name : `${folder}/${entry.name}`, entry.isDirectory()]),
  );
  return [...paths.keys()].toSorted().flatMap((path) => {
    if (paths.get(path) !== true) return [path];
    return NOT_OF_TRIALS.has(path) ? [] : filesBelow(root, path);
  });
}
