import { IS_BUNDLE, ownFile, ownFolder } from '../plugins/own-files.ts';

/** Returns the folder of the page: that of this very build, or of a checkout's newest one. */
export function pageFolder(): string {
  return IS_BUNDLE ? ownFolder('dashboard/page') : ownFile('dist/src/dashboard/page');
}
