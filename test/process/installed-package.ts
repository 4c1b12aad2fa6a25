import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { assemblePackage } from '../../src/cli/init/pack-checkout.ts';

/** The package as npm would install it, in a project of its own, but without a network. */
export interface InstalledPackage {
  /** The project. */
  readonly folder: string;
  /** The package in it. */
  readonly installed: string;
  /** What npm takes from the checkout, but for what the build makes. */
  readonly packed: readonly string[];
  readonly remove: () => void;
}

/**
 * Installs the files that npm packs, beside their dependencies. `tools` are packages that the project has
 * besides, with the programs `bins` of them.
 */
export async function installPackage(
  tools: readonly string[] = [],
  bins: Readonly<Record<string, string>> = {},
): Promise<InstalledPackage> {
  const folder = mkdtempSync(join(tmpdir(), 'sarraf-package-'));
  const modules = join(process.cwd(), 'node_modules');
  const installed = join(folder, 'node_modules', 'sarraf');
  const packed = await assemblePackage(process.cwd(), installed, new AbortController().signal);
  symlinkSync(modules, join(installed, 'node_modules'));
  const link = (from: string, to: string): void => {
    mkdirSync(dirname(join(folder, 'node_modules', to)), { recursive: true });
    symlinkSync(from, join(folder, 'node_modules', to));
  };
  for (const tool of tools) link(join(modules, tool), tool);
  for (const [name, path] of Object.entries(bins)) link(path, join('.bin', name));
  return { folder, installed, packed, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
