// Builds the page into a folder, with compressed copies for the server, and checks its size.
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

/** Maximum compressed bytes of scripts, styles and HTML: at first, and of any one view with its chart. */
const MOST_AT_FIRST = 40 * 1_024;
const MOST_WITH_CHART = 110 * 1_024;

/** Endings of files that are worth compressing, which fonts and small icons are not. */
const TEXT = /\.(?:js|css|html|svg)$/;

/** Returns the scripts and styles that a page loads for an entry of the manifest, with all static imports. */
function filesOf(manifest, name, found = new Set()) {
  const chunk = manifest[name];
  if (chunk === undefined) throw new Error(`expected ${name} in the manifest of the page`);
  for (const file of [chunk.file, ...(chunk.css ?? [])]) found.add(file);
  for (const imported of chunk.imports ?? []) filesOf(manifest, imported, found);
  return found;
}

/** Settings of Vite for one page. */
const settings = (input, into) => ({
  root: import.meta.dirname,
  configFile: false,
  logLevel: 'warn',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: into,
    rolldownOptions: { input: join(import.meta.dirname, input) },
    emptyOutDir: true,
    target: 'es2023',
    manifest: 'manifest.json',
    // The page's policy forbids inline code, and every browser that can show the page has modulepreload.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
});

/** Builds the page with Vite into `outDir`. Throws if it is larger than allowed. */
export async function buildPage(outDir) {
  // In the environment of a caller such as a test, Vite would build a page that is twice as large.
  process.env.NODE_ENV = 'production';
  const { build } = await import('vite');
  // Two builds: parts that both pages shared would be more files, which compress worse.
  const lab = join(outDir, 'lab');
  await build(settings('index.html', outDir));
  await build(settings('lab.html', lab));
  rmSync(join(lab, 'manifest.json'));
  cpSync(lab, outDir, { recursive: true });
  rmSync(lab, { recursive: true });
  const manifest = JSON.parse(readFileSync(join(outDir, 'manifest.json'), 'utf8'));
  const sizeOf = (files) =>
    [...files].reduce(
      (sum, file) => sum + gzipSync(readFileSync(join(outDir, file)), { level: 9 }).length,
      0,
    );
  const loaded = (...names) =>
    sizeOf(names.reduce((found, name) => filesOf(manifest, name, found), new Set(['index.html'])));
  const english = ['index.html', 'texts/english.ts'];
  const persian = ['index.html', 'texts/persian.ts', 'persian-font.ts'];
  // The bot's Persian sentences are loaded when they are shown, which may be beside any chart.
  const persianWithChart = [...persian, '../../language/persian-sentences.ts'];
  const sizes = {
    first: Math.max(loaded(...english), loaded(...persian)),
    market: loaded(...persianWithChart, 'charts/candle-chart.ts'),
    others: loaded(
      ...persianWithChart,
      'texts/persian-further.ts',
      'charts/line-chart.ts',
      'views/further-view.tsx',
    ),
  };
  if (sizes.first > MOST_AT_FIRST || sizes.market > MOST_WITH_CHART || sizes.others > MOST_WITH_CHART)
    throw new Error(
      `expected a page of at most ${MOST_AT_FIRST} bytes at first and ${MOST_WITH_CHART} in a view with a chart, was ${JSON.stringify(sizes)}`,
    );
  rmSync(join(outDir, 'manifest.json'));
  compressFiles(outDir);
  return sizes;
}

function compressFiles(folder) {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !TEXT.test(entry.name)) continue;
    const path = join(entry.parentPath, entry.name);
    const bytes = readFileSync(path);
    writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
    writeFileSync(
      `${path}.br`,
      brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
    );
  }
}
