import { DAY_MS } from '../domain/time-text.ts';
import { htmlPage } from '../backtest/html-page.ts';
import { escapeHtml } from '../backtest/value-text.ts';
import type { Language } from '../language/locale.ts';
import { studyVoice } from './study-voice.ts';
import type { ReportedStudy } from './validated-study.ts';
import {
  askedSection,
  holdoutSection,
  luckSection,
  studyHeader,
  stressSection,
  studyTiles,
  verdictSection,
} from './report/sections/verdict-sections.ts';
import { chartSections, bestTrialsSection, failuresSection } from './report/sections/trial-sections.ts';
import { walkSections } from './report/sections/walk-sections.ts';
import { studyReportData } from './report/study-report-data.ts';

/**
 * A study as one HTML file: the verdict, how much is luck, the trials and what was asked, with its data and
 * its script inside. It stays below three megabytes: of more than 2,000 trials it shows a sample, and says
 * so.
 */
export function studyHtml(reported: ReportedStudy, language: Language = 'en'): string {
  const { study, createdAtMs } = reported;
  const voice = studyVoice(language);
  const data = studyReportData(reported, voice);
  return htmlPage({
    language,
    title: voice.t('title', { name: study.study }),
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
      voice.t('footer', {
        day: voice.day(Math.floor(createdAtMs / DAY_MS)),
        studies: 'docs/studies.md',
        metrics: 'docs/metrics.md',
      }),
    ),
    data,
    styles: ['palette.css', 'report.css', 'study.css'],
    script: 'study',
  });
}
