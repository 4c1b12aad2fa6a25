import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { ReportedStudy } from '../../../../src/study/validated-study.ts';
import { studyReportData, studyHtml } from '../../../../src/study/study-html.ts';
import { askedSection } from '../../../../src/study/report/sections/verdict-sections.ts';
import { studyVoice } from '../../../../src/study/study-voice.ts';
import { STATISTIC_NOTES } from '../../../../src/study/study-validation.ts';
import { stressVerdict } from '../../../../src/study/validation/verdict.ts';
import { present } from '../../../../src/domain/errors.ts';
import { withoutDirectionMarks } from '../../../../src/language/isolate.ts';
import { stressLines } from '../../../../src/cli/study/study-lines.ts';
import { walkForwardLines } from '../../../../src/cli/study/walk-forward-command.ts';
import { stressTexts, accountTexts, driftTexts, windowTexts } from '../../../../src/study/study-texts.ts';
import { known, madeFindings } from '../validation/made-findings.ts';
import { demoStudy, demoWalk, manyTimes } from './demo-study.ts';
import { folderOfAllTests } from '../../../support/temporary-folder.ts';

const MEGABYTE = 1_000_000;

const folder = folderOfAllTests();
let reported: ReportedStudy;
let html: string;
beforeAll(() => {
  reported = demoStudy(join(folder, 'demo.sqlite'), { holdout: 'opened' });
  html = studyHtml(reported);
});

/** Returns the text that a reader sees, as one line. */
function textOf(html: string): string {
  const [, main = ''] = /<main>(.*)<\/main>/s.exec(html) ?? [];
  return main.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
}

describe('the report of a study', () => {
  test('begins with the verdict, and has every statistic with its formula and source', () => {
    const text = textOf(html);
    expect(text.trimStart()).toMatch(
      /^Verdict on trial \d+, the best one Luck (?:Likely|Perhaps|Unlikely) luck/,
    );
    expect(text).toContain('Nobody has tested');
    for (const [name, { source, formula }] of Object.entries(STATISTIC_NOTES)) {
      const [, row = ''] = new RegExp(`data-statistic="${name}">(.*?)</b>`, 's').exec(html) ?? [];
      const words = row.replaceAll(/&gt;/g, '>').replaceAll('&lt;', '<').replaceAll('&#39;', "'");
      expect(words).toContain(source);
      expect(words).toContain(formula);
    }
  });

  test('has no figure of a year of trials that saw less than 30 days, and says by what they are compared', () => {
    const short = demoStudy(join(folder, 'short.sqlite'), { days: 29, holdout: 'opened' });
    const { trials, best, notes } = short.study;
    expect(trials.map(({ metrics }) => metrics?.['sharpe'] ?? null)).toEqual(trials.map(() => null));
    expect(best?.values[0]).toBeGreaterThan(0);
    const { format: tell } = studyVoice('en');
    expect(notes.map(tell)).toContain(
      'No figure of a year (sharpe and others) is shown: the trials saw 29 d, and less than 30 days say nothing of a year. They are compared by it all the same.',
    );
    const { figures, trials: drawn, plateau } = studyReportData(short);
    expect([figures[0]?.name, new Set(drawn.figures[0]), plateau]).toEqual(['sharpe', new Set([null]), null]);
    expect(textOf(studyHtml(short))).not.toMatch(/sharpe -?\d/);
  });

  test('says what breaks under stress, and that it was not tested where it was not', () => {
    expect(textOf(html)).toMatch(/Under stress Not tested Nobody has tested/);
    const { study } = reported;
    const validation = present(study.validation, 'figures');
    const stress = stressVerdict(
      madeFindings({ costs: { all: known({ totalReturn: -0.03 }), each: [], paid: [] } }),
    );
    const verdict = { ...validation.verdict, stress };
    const broken = studyHtml({ ...reported, study: { ...study, validation: { ...validation, verdict } } });
    expect(textOf(broken)).toContain('Under stress Breaks With doubled costs it loses: -3.00 %.');
    expect(broken).toContain('<h3>Under stress</h3><p class="word loss">');
  });

  test('has the same cells as the commands for what was run under stress and for a walk-forward', () => {
    const { study } = reported;
    const validation = { ...present(study.validation, 'figures'), stress: madeFindings() };
    const walk = demoWalk();
    const page = studyHtml({
      ...reported,
      study: { ...study, validation },
      walk: { kind: 'known', result: walk },
    });
    const cells = new Set([...page.matchAll(/<(?:td|dd)>([^<]*)</g)].map(([, cell = '']) => cell));
    const stress = stressTexts(madeFindings()).map(({ figure }) => figure ?? '');
    const windows = [...windowTexts(walk), ...driftTexts(walk)].flatMap((column) => column.cells);
    const shown = [...stress, ...windows, ...accountTexts(walk).map(([, text]) => text)];
    expect(shown.length).toBeGreaterThan(60);
    expect(shown.filter((text) => !cells.has(text))).toEqual([]);
    const lines = [...stressLines(madeFindings()), ...walkForwardLines(walk)].join('\n');
    expect(shown.filter((text) => !lines.includes(text))).toEqual([]);
    expect(lines).toContain('ends with                                 10,240.5');
  });

  test('loads nothing, and shows text of the study as text', () => {
    const [markup = ''] = html.split('<script type="text/plain"');
    expect(markup).not.toMatch(/ src=|<link|@import|url\(|https?:/);
    expect(html).not.toContain('<b>both</b>');
    expect(html).toContain('&lt;b&gt;both&lt;/b&gt;');
  });

  test('says why trials failed, what the hold-out brought and what was asked', () => {
    const text = textOf(html);
    expect(text).toMatch(
      /refused the strategy refuses these params \d+ \d+ expected fast below slow, found 60/,
    );
    expect(text).toMatch(/stopped the strategy threw on the way, and stopped \d+ \d+ expected calm/);
    expect(text).toMatch(/Trial 3 on 2024-03-21 to .*, opened on 2025-06-01 UTC after 200 trials/);
    expect(text).toMatch(/totalReturn -?[\d.]+ % -3\.10 %/);
    expect(text).toContain(`Code of the strategy ${'c3'.repeat(32)}`);
    expect(text).toContain('a1'.repeat(32));
    expect(text).toContain('strategy: ma-cross');
  });

  test.each([
    ['en', '3 signals, 2024-01-05 08:30 to 2024-02-06 17:00'],
    ['fa', '۳ سیگنال، از ۱۴۰۲/۱۰/۱۵ ۱۲:۰۰ تا ۱۴۰۲/۱۱/۱۷ ۲۰:۳۰'],
  ] as const)(
    'names the signals that the strategy was told, by what they are known by: %s',
    (language, row) => {
      const sha256 = 'd4'.repeat(32);
      const asked = (signals: ReportedStudy['study']['signals']): string => {
        const study = { ...reported.study, signals };
        const section = askedSection({ ...reported, study }, studyVoice(language));
        return withoutDirectionMarks(textOf(`<main>${section}</main>`));
      };
      const times = { firstMs: Date.UTC(2024, 0, 5, 8, 30), lastMs: Date.UTC(2024, 1, 6, 17) };
      expect(asked({ count: 3, ...times, sha256 })).toContain(`${row} ${sha256}`);
      expect(asked({ count: 0, firstMs: 0, lastMs: 0, sha256 })).toMatch(
        /(?:none of which|هیچ سیگنالی).* (?:d4){32}/,
      );
      expect(asked(null)).not.toContain(sha256);
    },
  );

  test('of trials that all failed says so, and draws nothing', () => {
    const failed = studyHtml(demoStudy(join(folder, 'failed.sqlite'), { trials: 20, fails: true }));
    expect(textOf(failed)).toContain('No trial has values.');
    expect(failed).not.toContain('id="slices"');
    expect(textOf(failed)).toContain('20 of 20 trials have no values.');
  });

  test('of 100,000 trials says which it shows, and is below three megabytes', () => {
    const large = studyHtml(manyTimes(reported, 100_000));
    expect(large.length).toBeLessThan(3 * MEGABYTE);
    expect(textOf(large)).toMatch(
      /Of 100,000 trials the charts have 1,9\d\d: 1,500 drawn by the study's id, and the best ones\./,
    );
    expect(textOf(large)).toMatch(/The 50 best of \d\d,\d{3} trials with values; trials\.parquet has all/);
  });
});
