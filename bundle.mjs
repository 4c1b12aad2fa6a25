// Bundles the program into dist/: a start loads a few files in place of seven hundred modules, most of them of
// dependencies. `npm ci` runs it in a checkout, `npm run build` for the package and the image.
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const ROOT = import.meta.dirname;
const [folder = 'dist'] = process.argv.slice(2);
const OUT = resolve(folder);
/** Made here and then moved, so that an end in the middle leaves no half of a bundle to be run. */
const MADE = `${OUT}.new`;

/** Files that are loaded by their place; the package's entries, and what src/plugins/own-files.ts is asked for. */
const ENTRIES = [
  'src/cli/main',
  'src/index',
  'src/research',
  'src/testing',
  'src/strategy/sdk',
  'src/plugins/strategy-worker',
  'src/plugins/load-watch-worker',
  'src/daemon/seal-beside',
  'src/alerts/alerts-worker',
  'src/dashboard/dashboard-worker',
  'src/fuzz/seed-worker',
  'src/study/trials/trial-worker',
  'src/study/question/engine-version',
];

/**
 * Dependencies of many small modules, which cost the most at a start. All others stay outside: they have binary
 * parts, are loaded seldom, or are shared with those who import the package. The binary part of DuckDB stays outside,
 * so it is a dependency of its own.
 */
const BUNDLED = ['@duckdb/node-api', 'commander', 'croner', 'csv-parse', 'trading-signals', 'yaml', 'zod'];

async function loadRolldown() {
  try {
    return await import('rolldown');
  } catch (error) {
    if (error.code === 'ERR_MODULE_NOT_FOUND') return null;
    throw error;
  }
}

/** What the page of the dashboard is made of. Browsers load it from dist/, so none of it is a dependency of the package. */
const IN_PAGE = [
  'preact',
  '@preact/signals',
  '@preact/signals-core',
  'uplot',
  'lightweight-charts',
  '@fontsource-variable/vazirmatn',
];

function licences() {
  return [...BUNDLED, ...IN_PAGE]
    .map((name) => {
      const { version, license } = JSON.parse(
        readFileSync(join(ROOT, 'node_modules', name, 'package.json'), 'utf8'),
      );
      const file = ['LICENSE', 'LICENSE.md', 'LICENCE']
        .map((each) => join(ROOT, 'node_modules', name, each))
        .find(existsSync);
      if (file === undefined) throw new Error(`expected a licence file of ${name}, was none`);
      return `${name} ${version} (${license})\n\n${readFileSync(file, 'utf8').trim()}\n`;
    })
    .join('\n----\n\n');
}

/**
 * Messages of zod in other languages: half of its size, which would be read at each start. They are loaded from the
 * package when one of them is asked for.
 */
async function lateLocales() {
  const others = Object.keys(await import('zod/locales')).filter((name) => name !== 'en');
  const code = [
    `import { createRequire } from 'node:module';`,
    `export { default as en } from './en.js';`,
    `const late = (name) => () => createRequire(import.meta.url)('zod/locales')[name]();`,
    ...others.map((name) => `export const ${name} = late('${name}');`),
  ];
  return {
    name: 'late-locales',
    load: (id) => (/zod[\\/]v4[\\/]locales[\\/]index\.js$/.test(id) ? code.join('\n') : null),
  };
}

const rolldown = existsSync(join(ROOT, 'src')) ? await loadRolldown() : null;
if (rolldown === null) {
  process.stdout.write('not bundled: the sources or the bundler are not installed\n');
} else {
  rmSync(MADE, { recursive: true, force: true });
  const isBundled = new RegExp(`^(?:${BUNDLED.join('|')})(?:/|$)`);
  const bundle = await rolldown.rolldown({
    cwd: ROOT,
    platform: 'node',
    plugins: [await lateLocales()],
    input: {
      ...Object.fromEntries(ENTRIES.map((entry) => [entry, join(ROOT, `${entry}.ts`)])),
      'src/zod': 'zod',
    },
    external: (name, importer) =>
      /^(?:node:|[^./#])/.test(name) &&
      importer !== undefined &&
      !isBundled.test(name) &&
      !name.startsWith(ROOT),
  });
  await bundle.write({
    dir: MADE,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'src/chunks/[name]-[hash].js',
  });
  await bundle.close();
  // Node strips no types below node_modules, so that the package has its strategies built, one file each.
  const strategies = await rolldown.rolldown({
    input: Object.fromEntries(
      readdirSync(join(ROOT, 'strategies'))
        .filter((file) => file.endsWith('.ts'))
        .map((file) => [`strategies/${file.slice(0, -3)}`, join(ROOT, 'strategies', file)]),
    ),
    external: /^[^./]/,
  });
  await strategies.write({ dir: MADE, format: 'esm', entryFileNames: '[name].js' });
  await strategies.close();
  for (const page of ['src/backtest/report/page', 'src/study/report/page'])
    cpSync(join(ROOT, page), join(MADE, page), { recursive: true });
  const { buildPage } = await import('./src/dashboard/page/build-page.mjs');
  await buildPage(join(MADE, 'src/dashboard/page'));
  writeFileSync(join(MADE, 'THIRD-PARTY-LICENCES.txt'), licences());
  // The package has no sources that it could be worked out from.
  const engine = await import(pathToFileURL(join(MADE, 'src/study/question/engine-version.js')).href);
  writeFileSync(join(MADE, 'engine-version'), `${engine.versionOfSources(ROOT)}\n`);
  rmSync(OUT, { recursive: true, force: true });
  renameSync(MADE, OUT);
}
