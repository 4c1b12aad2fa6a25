import { createHmac, timingSafeEqual, createHash } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  writeFileSync,
  existsSync,
  readFileSync,
  readdirSync,
} from 'node:fs';
import { dirname, join, posix, relative, resolve, sep } from 'node:path';
import { z } from 'zod';
import { invalidOptions, invalidStrategy } from '../domain/errors.ts';
import { VERSION } from '../exchange/version.ts';
import { IS_BUNDLE, ownFile, ownFolder } from '../plugins/own-files.ts';

/** Maximum size of strategy code that is sent to workers, in bytes; larger code is refused. */
const MOST_BYTES = 4 * 1024 * 1024;
const MOST_FILES = 200;
/** Minimum length of a shared secret, in characters: a shorter one can be guessed. */
const LEAST_SECRET = 16;

/** Prefix of everything that is signed here, so that a signature is valid for nothing else. */
const PURPOSE = 'sarraf strategy code\n';

/** Relative path of a file inside a folder: one that leads out of the folder is refused. */
const innerPath = z
  .string()
  .max(300)
  .refine(
    (path) => path === posix.normalize(path) && !/^[/.]|[\\\0:]/.test(path),
    'expected a path below the folder of the strategy',
  );

const BUNDLE = z.strictObject({
  entry: innerPath,
  files: z
    .array(z.strictObject({ path: innerPath, text: z.string() }))
    .min(1)
    .max(MOST_FILES),
});

/** Packs a strategy's file and all files that it imports by a path. Throws `INVALID_OPTIONS` if too large. */
export function writeBundle(file: string): Buffer {
  const texts = codeFiles(file);
  const root = commonFolder([...texts.keys()]);
  const inner = (path: string): string => relative(root, path).split(sep).join('/');
  const files = [...texts].map(([path, text]) => ({ path: inner(path), text }));
  const bundle = BUNDLE.safeParse({ entry: inner(resolve(file)), files });
  const bytes = Buffer.from(JSON.stringify(bundle.success ? bundle.data : null));
  if (bundle.success && bytes.length <= MOST_BYTES) return bytes;
  throw invalidOptions(
    `expected code of at most ${MOST_FILES} files and ${MOST_BYTES} bytes to send, found more or odd paths in ${file}: copy it to the workers`,
  );
}

/** Returns the HMAC-SHA256 of code, in hex. */
export const signBundle = (bytes: Uint8Array, secret: string): string =>
  createHmac('sha256', secret).update(PURPOSE).update(bytes).digest('hex');

/** True if the signer of the code knew the secret. */
export function isSignedBundle(bytes: Uint8Array, hmac: string, secret: string): boolean {
  const expected = Buffer.from(signBundle(bytes, secret), 'hex');
  const found = Buffer.from(hmac, 'hex');
  return expected.length === found.length && timingSafeEqual(expected, found);
}

/**
 * Unpacks signed code into a new folder and returns the path of the strategy's file. Throws
 * `INVALID_STRATEGY`, and leaves no file behind, if the code is not the code that was named.
 */
export function unpackBundle(
  bytes: Uint8Array,
  of: { readonly folder: string; readonly code: string },
): string {
  const bundle = BUNDLE.parse(JSON.parse(Buffer.from(bytes).toString('utf8')));
  const target = join(of.folder, of.code);
  mkdirSync(of.folder, { recursive: true });
  const made = mkdtempSync(join(of.folder, 'new-'));
  try {
    for (const { path, text } of bundle.files) {
      const file = join(made, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
    const found = codeHash(join(made, bundle.entry));
    if (found !== of.code)
      throw invalidStrategy(
        `expected code with SHA-256 ${of.code.slice(0, 12)}…, found ${found.slice(0, 12)}…`,
      );
    rmSync(target, { recursive: true, force: true });
    renameSync(made, target);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
  return join(target, bundle.entry);
}

/** Returns a shared secret. Throws `INVALID_OPTIONS` if it is too short. */
export function checkSecret(secret: string): string {
  const text = secret.trim();
  if (text.length >= LEAST_SECRET) return text;
  throw invalidOptions(
    `expected a secret of at least ${LEAST_SECRET} characters, found ${text.length}: make one with "openssl rand -hex 32"`,
  );
}

/** Returns the deepest folder that contains all files. */
function commonFolder(files: readonly string[]): string {
  const [first = '', ...others] = files.map((file) => dirname(file));
  let folder = first;
  while (
    others.some(
      (other) => other !== folder && !other.startsWith(folder.endsWith(sep) ? folder : folder + sep),
    )
  )
    folder = dirname(folder);
  return folder;
}

const IMPORT = /\bfrom\s*['"](\.{1,2}\/[^'"]+)['"]|\bimport\s*\(?\s*['"](\.{1,2}\/[^'"]+)['"]/g;

/** Reads a strategy's file and all that it imports by a path, by absolute path, but for the SDK. */
function codeFiles(file: string): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  const waiting = [resolve(file)];
  while (waiting.length > 0 && texts.size < MOST_FILES) {
    const path = waiting.pop() ?? '';
    if (texts.has(path)) continue;
    const text = readFileSync(path, 'utf8');
    texts.set(path, text);
    for (const [, from, plain] of text.matchAll(IMPORT)) {
      const imported = resolve(dirname(path), from ?? plain ?? '');
      if (existsSync(imported)) waiting.push(imported);
    }
  }
  return texts;
}

/** Returns the SHA-256 of a strategy's code. With other code a study is another study. */
export function codeHash(file: string): string {
  const hash = createHash('sha256');
  // The hash is of the contents: a strategy that was moved to another folder stays the same.
  for (const text of [...codeFiles(file).values()].toSorted()) hash.update(`${text.length}\n${text}`);
  return hash.digest('hex');
}

/** Folders of `src/` whose code changes no result of a trial, such as commands and reports. */
const NOT_OF_TRIALS: ReadonlySet<string> = new Set([
  'backtest/report',
  'cli',
  'fuzz',
  'lab',
  'library',
  'page',
  'query',
  'statistics',
  'study/remote',
  'study/report',
  'study/store',
  'study/validation',
]);

/** Name of the file in which a build stores the version of the sources that it was built from. */
const ENGINE_VERSION_FILE = 'engine-version';

const manifest = z.object({ dependencies: z.record(z.string(), z.string()) });

let known: string | null = null;

/**
 * Returns the version of the code that runs trials: the version of sarraf, and the first 12 hexadecimal
 * digits of the SHA-256 of its code and of the versions of its dependencies. The version alone is not enough:
 * two checkouts of one version differ. The sources and the bundle built from them have the same version.
 */
export function engineVersion(): string {
  known ??= IS_BUNDLE
    ? readFileSync(ownFolder(ENGINE_VERSION_FILE), 'utf8').trim()
    : versionOfSources(ownFile('.'));
  return known;
}

/** Returns the version that `engineVersion` names, computed from the sources of a checkout. */
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

/** Lists all files below a folder, in the same order on every machine. */
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
