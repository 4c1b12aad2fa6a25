import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { readFailure, type ReadSmallFile } from '../../configuration/secret-file.ts';

/** Names of variables and their values. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A larger file is none of secrets. */
const LARGEST_BYTES = 65_536;

/**
 * The environment with what `.env` in the folder of a configuration adds to it, as Docker reads such a file
 * for a container. A variable of the environment that is not empty goes before the file. Warnings are lines
 * for people.
 */
export function withEnvironmentFile(
  environment: Environment,
  of: { readonly folder: string; readonly readFile: ReadSmallFile },
): { readonly environment: Environment; readonly warnings: readonly string[] } {
  const path = join(of.folder, '.env');
  try {
    const { text, isOpenToAll } = of.readFile(path, LARGEST_BYTES);
    const filled = Object.entries(environment).filter(([, value]) => value !== undefined && value !== '');
    return {
      environment: { ...environment, ...parseEnv(text), ...Object.fromEntries(filled) },
      warnings: isOpenToAll ? [`everyone on this machine can read ${path}: run chmod 600 ${path}`] : [],
    };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { environment, warnings: [] };
    return { environment, warnings: [`${path} is not used: ${readFailure(error)}`] };
  }
}
