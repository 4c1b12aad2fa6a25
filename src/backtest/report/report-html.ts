import { DAY_MS } from '../../domain/time-text.ts';
import type { FinishedRun } from '../finish-run.ts';
import { htmlPage } from '../html-page.ts';
import { reportData, thinnedPlots } from './report-data.ts';
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
} from '../header-sections.ts';
import {
  locksSection,
  membersSection,
  openSection,
  pausesSection,
  strategiesSection,
} from './sections/session-sections.ts';
import {
  distributionSection,
  monthlySection,
  drawdownsSection,
  rollingSection,
} from './sections/return-sections.ts';
import { jalaliMonth, monthlyReturns } from '../metrics/return-tables.ts';
import { numberOf } from '../statistics.ts';
import type { Language } from '../../language/locale.ts';
import { reportVoice } from '../report-voice.ts';
import type { BandColumns } from '../../page/run-data.ts';

/**
 * A run as one HTML file: charts, figures, trades and what they rest on, with its data and its script
 * inside. Long runs are thinned for drawing (the page says so) and stay below three megabytes.
 */
export function reportHtml(finished: FinishedRun, language: Language = 'en'): string {
  const voice = reportVoice(language);
  const { run, head, trips } = finished;
  const data = reportData(finished, voice);
  const monthly =
    language === 'fa' ? monthlyReturns(numberOf(run.initialEquity), run.curve, jalaliMonth) : head.monthly;
  const made = { day: voice.day(Math.floor(head.createdAtMs / DAY_MS)), page: 'docs/metrics.md' };
  return htmlPage({
    language,
    title: head.name,
    header: headerSection(head, voice),
    main: [
      warningsSection(finished, voice),
      tilesSection(head, voice),
      chartSection(data, thinnedPlots(run, voice), voice),
      summarySection(head, voice),
      strategiesSection(head, voice),
      openSection(head, voice),
      pausesSection(head, voice),
      drawdownsSection(run, voice),
      rollingSection(run, voice),
      monthlySection(monthly, voice),
      distributionSection(trips, voice),
      tradesSection({ shown: data.trades.number.length, all: trips.length }, voice),
      refusalsSection(head, voice),
      locksSection(run, drawnOf(data.locks), voice),
      membersSection(run, drawnOf(data.members), voice),
      fidelitySection(run.fidelity, voice),
      runSection(head, voice),
      logSection(head, voice),
      configSection(head, voice),
    ],
    footer: `${voice.t('footer', made)}
${voice.t('library')} ${language === 'fa' ? `<bdi>${CREDIT}</bdi>` : CREDIT}`,
    data,
    styles: ['palette.css', 'report.css'],
    script: 'run',
  });
}

const CREDIT =
  'TradingView Lightweight Charts, Copyright (c) TradingView, Inc., <a href="https://www.tradingview.com/">tradingview.com</a>, Apache License 2.0.';

const drawnOf = ({ all, market }: BandColumns) => ({ all, drawn: market.length });
