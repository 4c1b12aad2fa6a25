import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** Files that one strategy may be made of. */
const MOST_FILES = 200;

const IMPORT = /\bfrom\s*['"](\.{1,2}\/[^'"]+)['"]|\bimport\s*\(?\s*['"](\.{1,2}\/[^'"]+)['"]/g;

/**
 * A strategy's file and the files that it imports by a path, theirs too, with what they say, by whole paths.
 * Packages and the SDK are not looked into.
 */
export function codeFiles(file: string): ReadonlyMap<string, string> {
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
