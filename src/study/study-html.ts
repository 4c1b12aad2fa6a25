import { DAY_MS } from '../domain/durations.ts';
import { htmlPage } from '../backtest/html-page.ts';
import { escapeHtml } from '../backtest/value-text.ts';
import { ENGLISH_PAGE } from '../backtest/english-page.ts';
import { PERSIAN_PAGE } from '../backtest/persian-page.ts';
import type { Language } from '../language/locale.ts';
import { ENGLISH_STUDY_PAGE } from './texts/english-study-page.ts';
import { PERSIAN_STUDY_PAGE } from './texts/persian-study-page.ts';
import { studyVoice } from './study-voice.ts';
import type { ReportedStudy } from './reported-study.ts';
import { askedSection, holdoutSection } from './report/sections/asked-sections.ts';
import { chartSections } from './report/sections/chart-sections.ts';
import { bestTrialsSection, failuresSection } from './report/sections/trial-sections.ts';
import {
  luckSection,
  studyHeader,
  stressSection,
  studyTiles,
  verdictSection,
} from './report/sections/verdict-sections.ts';
import { walkSections } from './report/sections/walk-sections.ts';
import { studyReportData } from './report/study-report-data.ts';

/**
 * A study as one HTML file: the verdict, how much is luck, the trials and what was asked, with its data and
 * its scripts inside. It stays below three megabytes: of more than 2,000 trials it shows a sample, and says
 * so.
 */
export function studyHtml(reported: ReportedStudy, language: Language = 'en'): string {
  const { study, createdAtMs } = reported;
  const voice = studyVoice(language);
  const data = studyReportData(reported, voice);
  return htmlPage({
    language,
    texts:
      language === 'fa'
        ? { ...PERSIAN_PAGE, ...PERSIAN_STUDY_PAGE }
        : { ...ENGLISH_PAGE, ...ENGLISH_STUDY_PAGE },
    title: voice.say('title', { name: study.study }),
    header: studyHeader(study, voice),
    main: [
      verdictSection(study, voice),
      studyTiles(study, voice),
      luckSection(study, voice),
      stressSection(study, voice),
      bestTrialsSection(study, voice),
      ...chartSections(data, voice),
      ...walkSections(reported, voice),
      holdoutSection(study, voice),
      failuresSection(study, voice),
      askedSection(reported, voice),
    ],
    footer: escapeHtml(
      voice.say('footer', {
        day: voice.day(Math.floor(createdAtMs / DAY_MS)),
        studies: 'docs/studies.md',
        metrics: 'docs/metrics.md',
      }),
    ),
    data,
    styles: ['backtest/report/page/report.css', 'study/report/page/study.css'],
    libraries: [],
    scripts: STUDY_SCRIPTS,
  });
}

/** Scripts of the page, each file after those that it imports. */
export const STUDY_SCRIPTS: readonly string[] = [
  ...['packed-data.js', 'words.js', 'texts.js', 'theme.js', 'page-elements.js'].map(
    (name) => `backtest/report/page/${name}`,
  ),
  ...[
    'study-words.js',
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
