import { ownFile } from '../plugins/own-files.ts';

/** Returns the folder of the page built by `node bundle.mjs`. */
export function pageFolder(): string {
  return ownFile('dist/src/dashboard/page');
}
