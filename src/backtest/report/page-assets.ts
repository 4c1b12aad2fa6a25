import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** What the page runs, each file after those that it imports. */
const SCRIPTS = [
  'read-data.js',
  'texts.js',
  'theme.js',
  'legend.js',
  'fill-marks.js',
  'series.js',
  'charts.js',
  'trade-table.js',
  'main.js',
];

const require = createRequire(import.meta.url);

const fileOfPage = (name: string): string => readFileSync(new URL(`page/${name}`, import.meta.url), 'utf8');

/** The style sheet of the report. */
export function pageStyle(): string {
  return fileOfPage('report.css');
}

/**
 * The scripts of the report as one. A page from a file can not load modules beside it, so they are put one after another, without their imports and
 * exports: all their names are in one scope, and no two files may use the same.
 */
export function pageScript(): string {
  const parts = SCRIPTS.map((name) =>
    fileOfPage(name)
      .replaceAll(/^import [^;]*;\n/gm, '')
      .replaceAll(/^export (?=async function|function|const)/gm, ''),
  );
  return `(() => {\n'use strict';\n${parts.join('\n')}})();\n`;
}

/** The library that draws the charts, as one script that makes `LightweightCharts`. */
export function chartLibrary(): string {
  const description = require.resolve('lightweight-charts/package.json');
  return readFileSync(join(dirname(description), 'dist/lightweight-charts.standalone.production.js'), 'utf8');
}
