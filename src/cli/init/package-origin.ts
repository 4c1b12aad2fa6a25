import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { VERSION } from '../../exchange/version.ts';
import { IS_CHECKOUT, ownFile } from '../../plugins/own-files.ts';

/** Source of a new bot's sarraf: the version that creates it, and no other. */
export type PackageOrigin =
  /** Name given to npm to install, which npm finds by itself. */
  | { readonly kind: 'named'; readonly name: string }
  /** The packed file, which the new folder gets a copy of. */
  | { readonly kind: 'file'; readonly path: string }
  /** A checkout, which has to be packed first. */
  | { readonly kind: 'checkout'; readonly folder: string };

const RECORD = z.object({
  packages: z.record(z.string(), z.object({ resolved: z.string().optional() })),
});

/** From where npm installed a package is in the record that it keeps of each `node_modules`. */
export function packageOriginOf(root: string, isCheckout: boolean): PackageOrigin {
  if (isCheckout) return { kind: 'checkout', folder: root };
  const modules = dirname(root);
  const resolved = resolvedBy(join(modules, '.package-lock.json'), `node_modules/${basename(root)}`);
  if (resolved === null || /\/sarraf\/-\/sarraf-/.test(resolved)) return { kind: 'named', name: VERSION };
  if (!resolved.startsWith('file:')) return { kind: 'named', name: resolved };
  const path = resolve(dirname(modules), resolved.slice('file:'.length));
  return existsSync(path) ? { kind: 'file', path } : { kind: 'named', name: VERSION };
}

/** Null where npm keeps no such record, as with other package managers. */
function resolvedBy(record: string, name: string): string | null {
  if (!existsSync(record)) return null;
  try {
    return RECORD.parse(JSON.parse(readFileSync(record, 'utf8'))).packages[name]?.resolved ?? null;
  } catch {
    return null;
  }
}

/** That of the running program. */
export const ownOrigin = (): PackageOrigin => packageOriginOf(ownFile('.'), IS_CHECKOUT);

const OWN_PACKAGE = z.object({
  dependencies: z.object({ zod: z.string() }),
  devDependencies: z.object({ node: z.string(), typescript: z.string(), vitest: z.string() }),
  overrides: z.record(z.string(), z.string()).default({}),
});

/** The versions that a new bot has in common with the sarraf that makes it. */
export interface TestedVersions {
  /** Of what the bot installs beside it. */
  readonly tools: Readonly<Record<'node' | 'typescript' | 'vitest' | 'zod', string>>;
  /**
   * Of parts of its dependencies. npm takes overrides only from the folder that it installs. Without these it
   * makes a lock file that `npm ci` refuses.
   */
  readonly overrides: Readonly<Record<string, string>>;
}

/** The versions that this sarraf is made and tested with. */
export function testedVersions(): TestedVersions {
  const { dependencies, devDependencies, overrides } = OWN_PACKAGE.parse(
    JSON.parse(readFileSync(ownFile('package.json'), 'utf8')),
  );
  return { tools: { ...devDependencies, ...dependencies }, overrides };
}
