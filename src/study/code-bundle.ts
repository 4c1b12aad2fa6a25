import { createHmac, timingSafeEqual } from 'node:crypto';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix, relative, resolve, sep } from 'node:path';
import { z } from 'zod';
import { SarrafError } from '../domain/errors.ts';
import { codeFiles, codeHash } from './data/code-hash.ts';

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
