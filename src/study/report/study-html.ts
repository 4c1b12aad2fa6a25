import { htmlPage } from '../../backtest/report/html-page.ts';
import type { ReportedStudy } from './reported-study.ts';
import { askedSection, holdoutSection } from './sections/asked-sections.ts';
import { chartSections } from './sections/chart-sections.ts';
import { bestTrialsSection, failuresSection } from './sections/trial-sections.ts';
import {
  luckSection,
  studyHeader,
  stressSection,
  studyTiles,
  verdictSection,
} from './sections/verdict-sections.ts';
import { walkSections } from './sections/walk-sections.ts';
import { studyReportData } from './study-report-data.ts';

/**
 * A study as one HTML file: the verdict, how much is luck, the trials and what was asked, with its data and
 * its scripts inside. It stays below three megabytes: of more than 2,000 trials it shows a sample, and says
 * so.
 */
export function studyHtml(reported: ReportedStudy): string {
  const { study, createdAtMs } = reported;
  const data = studyReportData(reported);
  return htmlPage({
    language: 'en',
    title: `Study ${study.study}`,
    header: studyHeader(study),
    main: [
      verdictSection(study),
      studyTiles(study),
      luckSection(study),
      stressSection(study),
      bestTrialsSection(study),
      ...chartSections(data),
      ...walkSections(reported.walk),
      holdoutSection(study),
      failuresSection(study),
      askedSection(reported),
    ],
    footer: `Made by sarraf on ${new Date(createdAtMs).toISOString().slice(0, 10)}. Studies are explained in docs/studies.md, figures in docs/metrics.md; times are UTC.`,
    data,
    styles: ['backtest/report/page/report.css', 'study/report/page/study.css'],
    libraries: [],
    scripts: STUDY_SCRIPTS,
  });
}

/** What the page runs, each file after those that it imports. */
export const STUDY_SCRIPTS: readonly string[] = [
  ...['packed-data.js', 'words.js', 'texts.js', 'theme.js', 'page-elements.js'].map(
    (name) => `backtest/report/page/${name}`,
  ),
  ...[
    'study-data.js',
    'drawing.js',
    'axis.js',
    'tip.js',
    'dots.js',
    'slices.js',
    'pareto.js',
    'heat-map.js',
    'parallel.js',
    'walk-charts.js',
    'study-main.js',
  ].map((name) => `study/report/page/${name}`),
];
