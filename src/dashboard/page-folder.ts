import { ownFile } from '../plugins/own-files.ts';

/** Where `node bundle.mjs` builds the page. */
export function pageFolder(): string {
  return ownFile('dist/src/dashboard/page');
}
