import { defineConfig } from 'vitest/config';
import { reporters } from './test/tally/reporters.ts';

/**
 * Tests of pages in headless Chromium: `npm run test:browser`. They need Debian's chromium at
 * /usr/bin/chromium, or another one named by CHROMIUM, so they are not part of `npm test`. SARRAF_SCREENSHOTS
 * names a folder in which pictures of every page are kept, to be looked at. SARRAF_DOCS_PICTURES=1 writes those of the
 * docs again.
 */
export default defineConfig({
  test: {
    include: ['test/browser/**/*.browser.ts'],
    globalSetup: ['test/browser/build-fresh-page.ts'],
    // Strategies are imported by Node, whose hooks the runner of vite does not ask.
    experimental: { viteModuleRunner: false },
    testTimeout: 120_000,
    hookTimeout: 60_000,
    reporters: reporters('browser', 'verbose'),
  },
});
