import { execFileSync } from 'node:child_process';
import { pageFolder } from '../../src/plugins/own-files.ts';

const BUILD = `import('./src/dashboard/page/build-page.mjs').then(({ buildPage }) => buildPage(process.argv[1]))`;

/** Builds the page of a bot before its tests, which would otherwise see the page of the last bundle. */
export default function buildFreshPage(): void {
  execFileSync(process.execPath, ['--eval', BUILD, pageFolder()], { stdio: ['ignore', 'ignore', 'inherit'] });
}
