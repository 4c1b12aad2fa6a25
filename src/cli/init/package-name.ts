import { basename } from 'node:path';

/** Name used if nothing is left of the folder's name, as with one in Persian. */
const USUAL = 'trading-bot';
/** npm allows 214. */
const LONGEST = 100;

/**
 * A name that npm and Docker take, after that of the folder: "My Bot" becomes "my-bot". `taken` are those of
 * its dependencies: npm refuses a package that depends on its own name.
 */
export function packageNameOf(folder: string, taken: readonly string[]): string {
  const letters = basename(folder)
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, LONGEST)
    .replaceAll(/^-+|-+$/g, '');
  const name = letters === '' ? USUAL : letters;
  return taken.includes(name) || name === 'node-modules' ? `${name}-bot` : name;
}
