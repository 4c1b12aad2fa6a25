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
import { SarrafError } from '../domain/errors.ts';
import { VERSION } from '../exchange/version.ts';
import { IS_BUNDLE, ownFile, ownFolder } from '../plugins/own-files.ts';

/** Code of a strategy that is larger is not sent. */
const MOST_BYTES = 4 * 1024 * 1024;
const MOST_FILES = 200;
/** A shorter secret can be guessed. */
const LEAST_SECRET = 16;

/** So that what is signed here is nothing else anywhere. */
const PURPOSE = 'sarraf strategy code\n';

/** A path below a folder: nothing leads out of it. */
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

/**
 * A strategy's file with all that it imports by a path, as bytes. Throws `INVALID_OPTIONS` where it is too
 * much.
 */
export function writeBundle(file: string): Buffer {
  const texts = codeFiles(file);
  const root = commonFolder([...texts.keys()]);
  const inner = (path: string): string => relative(root, path).split(sep).join('/');
  const files = [...texts].map(([path, text]) => ({ path: inner(path), text }));
  const bundle = BUNDLE.safeParse({ entry: inner(resolve(file)), files });
  const bytes = Buffer.from(JSON.stringify(bundle.success ? bundle.data : null));
  if (bundle.success && bytes.length <= MOST_BYTES) return bytes;
  throw new SarrafError(
    'INVALID_OPTIONS',
    `expected code of at most ${MOST_FILES} files and ${MOST_BYTES} bytes to send, found more or odd paths in ${file}: copy it to the workers`,
  );
}

/** HMAC-SHA256 of code, in hex. */
export function signBundle(bytes: Uint8Array, secret: string): string {
  return createHmac('sha256', secret).update(PURPOSE).update(bytes).digest('hex');
}

/** True if the signer of the code knew the secret. */
export function isSignedBundle(bytes: Uint8Array, hmac: string, secret: string): boolean {
  const expected = Buffer.from(signBundle(bytes, secret), 'hex');
  const found = Buffer.from(hmac, 'hex');
  return expected.length === found.length && timingSafeEqual(expected, found);
}

/**
 * Writes code that was signed into a folder of its own, and answers the path of the strategy. Throws
 * `INVALID_STRATEGY` where it is not the code that was named; nothing is left of it then.
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
      throw new SarrafError(
        'INVALID_STRATEGY',
        `expected code with SHA-256 ${of.code.slice(0, 12)}…, found ${found.slice(0, 12)}…`,
      );
    rmSync(target, { recursive: true, force: true });
    renameSync(made, target);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
  return join(target, bundle.entry);
}

/** Throws `INVALID_OPTIONS` for a secret that can be guessed. */
export function checkSecret(secret: string): string {
  const text = secret.trim();
  if (text.length >= LEAST_SECRET) return text;
  throw new SarrafError(
    'INVALID_OPTIONS',
    `expected a secret of at least ${LEAST_SECRET} characters, found ${text.length}: make one with "openssl rand -hex 32"`,
  );
}

/** The deepest folder that all files are below. */
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

/**
 * A strategy's file and the files that it imports by a path, theirs too, with what they say, by whole paths.
 * Packages and the SDK are not looked into.
 */
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

/** SHA-256 of the code of a strategy: with other code a study would go on as another one. */
export function codeHash(file: string): string {
  const hash = createHash('sha256');
  // By what they say: a strategy that was moved to another folder is the same.
  for (const text of [...codeFiles(file).values()].toSorted()) hash.update(`${text.length}\n${text}`);
  return hash.digest('hex');
}

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
