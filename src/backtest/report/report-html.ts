import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { FinishedRun } from '../result/finish-run.ts';
import { htmlPage } from './html-page.ts';
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
import { drawdownsSection, rollingSection } from './sections/risk-sections.ts';
import { openSection, pausesSection, strategiesSection } from './sections/session-sections.ts';
import { thinnedPlots } from './plot-columns.ts';
import type { BandColumns } from './time-bands.ts';

/**
 * A run as one HTML file: charts, figures, trades and what they rest on, with its data and its scripts
 * inside. Long runs are thinned for drawing (the page says so) and stay below three megabytes.
 */
export function reportHtml(finished: FinishedRun): string {
  const { run, head, trips } = finished;
  const data = reportData(finished);
  return htmlPage({
    title: head.name,
    header: headerSection(head),
    main: [
      warningsSection(head),
      tilesSection(head),
      chartSection(data, thinnedPlots(run)),
      summarySection(head),
      strategiesSection(head),
      openSection(head),
      pausesSection(head),
      drawdownsSection(run),
      rollingSection(run),
      monthlySection(head),
      distributionSection(trips),
      tradesSection({ shown: data.trades.number.length, all: trips.length }),
      refusalsSection(head),
      locksSection(run, drawnOf(data.locks)),
      membersSection(run, drawnOf(data.members)),
      fidelitySection(head),
      runSection(head),
      logSection(head),
      configSection(head),
    ],
    footer: `Made by sarraf on ${new Date(head.createdAtMs).toISOString().slice(0, 10)}. Figures are explained in docs/metrics.md; times are UTC.
Charts: TradingView Lightweight Charts, Copyright (c) TradingView, Inc., <a href="https://www.tradingview.com/">tradingview.com</a>, Apache License 2.0.`,
    data,
    styles: [`${PAGE}/report.css`],
    libraries: [chartLibrary()],
    scripts: RUN_SCRIPTS,
  });
}

const drawnOf = ({ all, market }: BandColumns) => ({ all, drawn: market.length });

const PAGE = 'backtest/report/page';

/** What the page runs, each file after those that it imports. */
export const RUN_SCRIPTS: readonly string[] = [
  'packed-data.js',
  'read-data.js',
  'texts.js',
  'theme.js',
  'page-elements.js',
  'legend.js',
  'fill-marks.js',
  'plots.js',
  'price-lines.js',
  'series.js',
  'time-bands.js',
  'charts.js',
  'trade-table.js',
  'main.js',
].map((name) => `${PAGE}/${name}`);

const require = createRequire(import.meta.url);

/** The library that draws the charts, as one script that makes `LightweightCharts`. */
function chartLibrary(): string {
  const description = require.resolve('lightweight-charts/package.json');
  return readFileSync(join(dirname(description), 'dist/lightweight-charts.standalone.production.js'), 'utf8');
}
