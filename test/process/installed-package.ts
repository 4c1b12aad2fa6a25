import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** The package installed as npm would do it, in its own project, but without a network. */
export interface InstalledPackage {
  /** Folder of the project. */
  readonly folder: string;
  /** Folder of the package in it. */
  readonly installed: string;
  /** Its files, as npm lists them. */
  readonly packed: readonly string[];
  readonly remove: () => void;
}

interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

/**
 * Packs the package with "npm pack", runs its scripts, and installs the tarball with its dependencies.
 * `tools` are more packages of the project, and `bins` their programs.
 */
export function installPackage(
  tools: readonly string[] = [],
  bins: Readonly<Record<string, string>> = {},
): InstalledPackage {
  const folder = mkdtempSync(join(tmpdir(), 'sarraf-package-'));
  const modules = join(process.cwd(), 'node_modules');
  const installed = join(folder, 'node_modules', 'sarraf');
  const text = execFileSync('npm', ['pack', '--json', '--pack-destination', folder], { encoding: 'utf8' });
  const [packed] = JSON.parse(text.slice(text.indexOf('[\n'))) as [Packed];
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['-xzf', join(folder, packed.filename), '-C', installed, '--strip-components=1']);
  symlinkSync(modules, join(installed, 'node_modules'));
  const link = (from: string, to: string): void => {
    mkdirSync(dirname(join(folder, 'node_modules', to)), { recursive: true });
    symlinkSync(from, join(folder, 'node_modules', to));
  };
  for (const tool of tools) link(join(modules, tool), tool);
  for (const [name, path] of Object.entries(bins)) link(path, join('.bin', name));
  const paths = packed.files.map(({ path }) => path);
  return { folder, installed, packed: paths, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
