// Builds the page into a folder, with compressed copies that the server sends as they are, and holds its size.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

/** The most bytes, compressed, of scripts and styles: at first, and with every view and the heaviest chart. */
const MOST_AT_FIRST = 40 * 1_024;
const MOST_WITH_CHART = 110 * 1_024;
/** Of what the bot says, in Persian: it comes after the page is shown, and is kept by the browser. */
const MOST_OF_SENTENCES = 10 * 1_024;

/** What is worth compressing; a font and a small icon are not. */
const TEXT = /\.(?:js|css|html|svg)$/;

/** The scripts and styles that a page of this manifest loads for an entry, of all that it imports by itself. */
function filesOf(manifest, name, found = new Set()) {
  const chunk = manifest[name];
  if (chunk === undefined) throw new Error(`expected ${name} in the manifest of the page`);
  for (const file of [chunk.file, ...(chunk.css ?? [])]) found.add(file);
  for (const imported of chunk.imports ?? []) filesOf(manifest, imported, found);
  return found;
}

/** Builds the page with Vite into `outDir`; throws where it is heavier than it may be. */
export async function buildPage(outDir) {
  // Vite would else build a page for whatever the one that asks is run as, such as a test: it is twice as heavy.
  process.env.NODE_ENV = 'production';
  const { build } = await import('vite');
  await build({
    root: import.meta.dirname,
    configFile: false,
    logLevel: 'warn',
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      outDir,
      emptyOutDir: true,
      target: 'es2023',
      manifest: 'manifest.json',
      // A strict policy allows nothing inline, and every browser that can show the page knows modulepreload.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
    },
  });
  const manifest = JSON.parse(readFileSync(join(outDir, 'manifest.json'), 'utf8'));
  const sizeOf = (files) =>
    [...files].reduce(
      (sum, file) => sum + gzipSync(readFileSync(join(outDir, file)), { level: 9 }).length,
      0,
    );
  const first = (language) => {
    const files = filesOf(manifest, 'index.html');
    filesOf(manifest, `texts/${language}.ts`, files);
    return files;
  };
  const withChart = ['charts/candle-chart.ts', 'charts/line-chart.ts'].map((chart) =>
    sizeOf(filesOf(manifest, chart, filesOf(manifest, 'views/further-view.tsx', first('persian')))),
  );
  const sizes = {
    english: sizeOf(first('english')),
    persian: sizeOf(first('persian')),
    chart: Math.max(...withChart),
    sentences: sizeOf([manifest['../../language/persian-sentences.ts'].file]),
  };
  if (
    sizes.english > MOST_AT_FIRST ||
    sizes.persian > MOST_AT_FIRST ||
    sizes.chart > MOST_WITH_CHART ||
    sizes.sentences > MOST_OF_SENTENCES
  )
    throw new Error(
      `expected a page of at most ${MOST_AT_FIRST} bytes at first, ${MOST_WITH_CHART} with a chart and ${MOST_OF_SENTENCES} of sentences, was ${JSON.stringify(sizes)}`,
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
