import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  readFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { failed, wrongInput } from '../command-error.ts';
import { z } from 'zod';
import { VERSION } from '../../exchange/version.ts';
import { IS_CHECKOUT, ownFile } from '../../plugins/own-files.ts';

export interface FolderContent {
  /** Texts of files by their paths in the folder. */
  readonly texts: ReadonlyMap<string, string>;
  /** Files to copy, by their paths in the folder. */
  readonly copies: ReadonlyMap<string, string>;
}

/** Files that editors and version control leave in an otherwise empty folder. */
const HARMLESS = /^(?:\.git|\.gitattributes|\.hg|\.idea|\.vscode|\.DS_Store|Thumbs\.db|LICEN[CS]E(?:\..*)?)$/;

/** Prefix of the folder that is filled first; when complete it is moved to its place, or its files are. */
const DRAFT = '.sarraf-init-';

/** Returns the obstacle in a folder, as a sentence; null if it is new or empty. */
export function folderProblem(folder: string): string | null {
  if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) return null;
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    return `expected a folder at ${folder}, found something else`;
  const found = readdirSync(folder).filter((name) => !HARMLESS.test(name));
  if (found.length === 0) return null;
  return `expected ${folder} to be new or empty, found ${found.toSorted().join(', ')} in it`;
}

const topsOf = ({ texts, copies }: FolderContent): readonly string[] => [
  ...new Set([...texts.keys(), ...copies.keys()].map((path) => path.split('/')[0] ?? path)),
];

/** Throws if a folder is not empty, with the entries that it has. */
export function checkIsFree(folder: string): void {
  const problem = folderProblem(folder);
  if (problem !== null) throw wrongInput(`${problem}: nothing was changed; name another folder`);
}

/**
 * Writes a new folder completely or not at all: it is filled beside its place, and moved there. Nothing is
 * overwritten. It runs synchronously, so that signals are handled before or after it. Throws what the system
 * throws.
 */
export function writeBotFolder(folder: string, content: FolderContent): void {
  checkIsFree(folder);
  const made = makeParents(existsSync(folder) ? folder : dirname(folder));
  const isNew = !existsSync(folder);
  let draft: string | null = null;
  try {
    draft = mkdtempSync(join(isNew ? dirname(folder) : folder, DRAFT));
    fill(draft, content);
    if (isNew) renameSync(draft, folder);
    else moveEach(draft, folder, topsOf(content));
  } catch (error) {
    if (draft !== null) rmSync(draft, { recursive: true, force: true });
    for (const parent of made) rmSync(parent, { recursive: true, force: true });
    throw error;
  }
}

/** Creates the folders above one, and returns the first that did not exist. */
function makeParents(folder: string): readonly string[] {
  const first = mkdirSync(folder, { recursive: true });
  return first === undefined ? [] : [first];
}

/**
 * Modes of the new files. Other files of sarraf are for its user alone, but these are a project's and hold no
 * secret, and the user of a container must read them.
 */
const MODES = { folder: 0o755, file: 0o644 };

function fill(draft: string, { texts, copies }: FolderContent): void {
  chmodSync(draft, MODES.folder);
  for (const path of [...texts.keys(), ...copies.keys()]) {
    const at = join(draft, path);
    if (dirname(at) !== draft && !existsSync(dirname(at))) {
      mkdirSync(dirname(at));
      chmodSync(dirname(at), MODES.folder);
    }
    const from = copies.get(path);
    if (from === undefined) writeFileSync(at, texts.get(path) ?? '', { flag: 'wx', flush: true });
    else copyFileSync(from, at);
    chmodSync(at, MODES.file);
  }
}

/** Checks before each move for files that appeared in the folder meanwhile; they end all moves. */
function moveEach(draft: string, folder: string, names: readonly string[]): void {
  const moved: string[] = [];
  try {
    for (const name of names) {
      const to = join(folder, name);
      if (existsSync(to)) throw failed(`expected ${to} not to be there, it has just been made`);
      renameSync(join(draft, name), to);
      moved.push(to);
    }
    rmSync(draft, { recursive: true });
  } catch (error) {
    for (const path of moved) rmSync(path, { recursive: true, force: true });
    throw error;
  }
}

/** Returns the path, in a new folder, of the copy of a packed sarraf. */
export const vendorPath = (packed: string): string => `vendor/${basename(packed)}`;

/** Source of a new bot's sarraf: the version that creates it, and no other. */
export type PackageOrigin =
  /** Name given to npm to install, which npm finds by itself. */
  | { readonly kind: 'named'; readonly name: string }
  /** Packed file; the new folder gets a copy of it. */
  | { readonly kind: 'file'; readonly path: string }
  /** Folder of a checkout, which must be packed first. */
  | { readonly kind: 'checkout'; readonly folder: string };

const RECORD = z.object({
  packages: z.record(z.string(), z.object({ resolved: z.string().optional() })),
});

/** Returns the origin of an installed package, from the record that npm stores in each `node_modules`. */
export function packageOriginOf(root: string, isCheckout: boolean): PackageOrigin {
  if (isCheckout) return { kind: 'checkout', folder: root };
  const modules = dirname(root);
  const resolved = resolvedBy(join(modules, '.package-lock.json'), `node_modules/${basename(root)}`);
  if (resolved === null || /\/sarraf\/-\/sarraf-/.test(resolved)) return { kind: 'named', name: VERSION };
  if (!resolved.startsWith('file:')) return { kind: 'named', name: resolved };
  const path = resolve(dirname(modules), resolved.slice('file:'.length));
  return existsSync(path) ? { kind: 'file', path } : { kind: 'named', name: VERSION };
}

/** Returns where npm resolved a package; null if there is no such record, as with other package managers. */
function resolvedBy(record: string, name: string): string | null {
  if (!existsSync(record)) return null;
  try {
    return RECORD.parse(JSON.parse(readFileSync(record, 'utf8'))).packages[name]?.resolved ?? null;
  } catch {
    return null;
  }
}

/** Returns the origin of the running program. */
export const ownOrigin = (): PackageOrigin => packageOriginOf(ownFile('.'), IS_CHECKOUT);

const OWN_PACKAGE = z.object({
  dependencies: z.object({ zod: z.string() }),
  devDependencies: z.object({ node: z.string(), typescript: z.string(), vitest: z.string() }),
  overrides: z.record(z.string(), z.string()).default({}),
});

/** Versions that a new bot shares with the sarraf that creates it. */
export interface TestedVersions {
  /** Versions of the tools that the bot installs besides sarraf. */
  readonly tools: Readonly<Record<'node' | 'typescript' | 'vitest' | 'zod', string>>;
  /**
   * Versions of indirect dependencies. npm applies overrides only of the folder that it installs; without
   * them it writes a lock file that `npm ci` refuses.
   */
  readonly overrides: Readonly<Record<string, string>>;
}

/** Returns the versions that this sarraf is built and tested with. */
export function testedVersions(): TestedVersions {
  const { dependencies, devDependencies, overrides } = OWN_PACKAGE.parse(
    JSON.parse(readFileSync(ownFile('package.json'), 'utf8')),
  );
  return { tools: { ...devDependencies, ...dependencies }, overrides };
}
