import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { testedVersions } from '../init/package-origin.ts';
import { notChecked, ok, warning, type CheckFinding } from './check-finding.ts';

const versions = z.record(z.string(), z.unknown()).default({});
const PACKAGE = z.object({ dependencies: versions, devDependencies: versions, overrides: versions });

/**
 * Checks that the image of a bot's folder can be built: an older `sarraf init` wrote no overrides, without
 * which `npm ci` refuses what `npm install` locked. Returns nothing for a folder that does not install
 * sarraf.
 */
export function checkPackage(
  folder: string,
  needed: Readonly<Record<string, string>> = testedVersions().overrides,
): readonly CheckFinding[] {
  const path = join(folder, 'package.json');
  if (!existsSync(path)) return [];
  let found: z.output<typeof PACKAGE>;
  try {
    found = PACKAGE.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return [notChecked('package', `${path} can not be read as that of npm`, 'see what npm says of it')];
  }
  const { dependencies, devDependencies, overrides } = found;
  if (!('sarraf' in dependencies || 'sarraf' in devDependencies)) return [];
  const lacking = Object.entries(needed).filter(([name]) => !(name in overrides));
  if (lacking.length === 0) return [ok('package', `${path} has the overrides that "npm ci" needs`)];
  const names = lacking.map(([name]) => name).join(', ');
  return [
    warning(
      'package',
      `${path} has no overrides of ${names}: "npm ci" refuses its lock file, so no image is built`,
      `add ${JSON.stringify({ overrides: Object.fromEntries(lacking) }).slice(1, -1)} to ${path}, remove package-lock.json and node_modules, and run "npm install"`,
    ),
  ];
}
