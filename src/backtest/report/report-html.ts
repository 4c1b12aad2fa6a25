import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { ownFolder } from '../../plugins/own-files.ts';
import type { FinishedRun } from '../result/finish-run.ts';
import { reportData } from './report-data.ts';
import {
  configSection,
  fidelitySection,
  logSection,
  refusalsSection,
  runSection,
} from './sections/basis-sections.ts';
import {
  chartSection,
  tradesSection,
  headerSection,
  tilesSection,
  warningsSection,
  summarySection,
} from './sections/header-sections.ts';
import { locksSection, membersSection } from './sections/band-sections.ts';
import { distributionSection, monthlySection } from './sections/return-sections.ts';
import type { BandColumns } from './time-bands.ts';
import { escapeHtml } from './value-text.ts';

/**
 * Nothing but what is in the file may run or load: a report opens offline and tells nobody that it was
 * opened.
 */
const POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:";

/** The level of gzip: the highest one takes ten times as long, for a file that is a twentieth smaller. */
const PACKING = 4;

/**
 * A run as one HTML file: charts, figures, trades and what they rest on, with its data and its scripts
 * inside. Long runs are thinned for drawing (the page says so) and stay below two megabytes.
 */
export function reportHtml(finished: FinishedRun): string {
  const { run, head, trips } = finished;
  const data = reportData(finished);
  const packed = gzipSync(JSON.stringify(data), { level: PACKING }).toString('base64');
  return `<!doctype html>
<html lang="en" data-theme="light">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<title>${escapeHtml(head.name)}</title>
<style>${pageStyle()}</style>
</head>
<body>
${headerSection(head)}
<main>
${warningsSection(head)}
${tilesSection(head)}
${chartSection(data)}
${summarySection(head)}
${monthlySection(head)}
${distributionSection(trips)}
${tradesSection({ shown: data.trades.number.length, all: trips.length })}
${refusalsSection(head)}
${locksSection(run, drawnOf(data.locks))}
${membersSection(run, drawnOf(data.members))}
${fidelitySection(head)}
${runSection(head)}
${logSection(head)}
${configSection(head)}
</main>
<footer><p>Made by sarraf on ${new Date(head.createdAtMs).toISOString().slice(0, 10)}. Figures are explained in docs/metrics.md; times are UTC.
Charts: TradingView Lightweight Charts, Copyright (c) TradingView, Inc., <a href="https://www.tradingview.com/">tradingview.com</a>, Apache License 2.0.</p></footer>
<script type="text/plain" id="data">${packed}</script>
<script>${inScript(chartLibrary())}</script>
<script>${inScript(pageScript())}</script>
</body>
</html>
`;
}

const drawnOf = ({ all, market }: BandColumns) => ({ all, drawn: market.length });

/** A script within a page: what would end its element early is written otherwise. */
function inScript(script: string): string {
  return script.replaceAll('</script', String.raw`<\/script`);
}

/** What the page runs, each file after those that it imports. */
const SCRIPTS = [
  'read-data.js',
  'texts.js',
  'theme.js',
  'legend.js',
  'fill-marks.js',
  'price-lines.js',
  'series.js',
  'time-bands.js',
  'charts.js',
  'trade-table.js',
  'main.js',
];

const require = createRequire(import.meta.url);

const PAGE = ownFolder('backtest/report/page');

const fileOfPage = (name: string): string => readFileSync(join(PAGE, name), 'utf8');

/** The style sheet of the report. */
function pageStyle(): string {
  return fileOfPage('report.css');
}

/**
 * The scripts of the report as one. A page from a file can not load modules beside it, so they are put one
 * after another, without their imports and exports: all their names are in one scope, and no two files may
 * use the same.
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
function chartLibrary(): string {
  const description = require.resolve('lightweight-charts/package.json');
  return readFileSync(join(dirname(description), 'dist/lightweight-charts.standalone.production.js'), 'utf8');
}
