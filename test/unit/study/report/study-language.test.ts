import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { withoutDirectionMarks } from '../../../../src/language/isolate.ts';
import { present } from '../../../../src/domain/errors.ts';
import type { ReportedStudy } from '../../../../src/study/validated-study.ts';
import { studyHtml, studyReportData } from '../../../../src/study/study-html.ts';
import { ENGLISH_STUDY, finding, storedFinding } from '../../../../src/study/english-study.ts';
import { PERSIAN_STUDY } from '../../../../src/study/texts/persian-study.ts';
import { ENGLISH_STUDY_PAGE, PERSIAN_STUDY_PAGE } from '../../../../src/page/study-texts.ts';
import { studyVoice } from '../../../../src/study/study-voice.ts';
import { notTested } from '../../../../src/study/validation/luck-statistics.ts';
import { textProblems } from '../../../support/text-problems.ts';
import { madeFindings } from '../validation/made-findings.ts';
import { inEnglish } from '../in-english.ts';
import { demoStudy, demoWalk } from './demo-study.ts';
import { folderOfAllTests } from '../../../support/temporary-folder.ts';

const bps = finding('paid.bps', { bps: { digits: '2' } });

const folder = folderOfAllTests();
let reported: ReportedStudy;
let shown: string;
beforeAll(() => {
  const walk = { kind: 'known', result: demoWalk() } as const;
  const made = demoStudy(join(folder, 'demo.sqlite'), { walk, holdout: 'opened' });
  const stress = madeFindings({
    costs: {
      ...madeFindings().costs,
      paid: [{ cost: 'spread', from: bps, to: bps }],
      all: notTested(finding('lack.costs')),
    },
  });
  const validation = { ...present(made.study.validation, 'figures'), stress };
  reported = { ...made, study: { ...made.study, validation } };
  shown = studyHtml(reported, 'fa')
    .replace(/^.*<body>/s, '')
    // Parts that are written from left to right in every language: code, sources, names, sums and settings.
    .replaceAll(/<(script|style|pre|code|cite)\b.*?<\/\1>/gs, '')
    .replace(/<dl class="rules hashes">.*?<\/dl>/s, '')
    .replaceAll(/<[^>]*>/g, ' ');
});

/** Isolated runs of text (Unicode isolates) without another one inside. */
const ISLAND = /[\u2066\u2068]([^\u2066\u2068\u2069]*)\u2069/g;

test('texts of a study are written in Persian as careful writers do', () => {
  expect(textProblems(ENGLISH_STUDY, PERSIAN_STUDY)).toEqual([]);
  expect(textProblems(ENGLISH_STUDY_PAGE, PERSIAN_STUDY_PAGE)).toEqual([]);
});

describe('a study in Persian', () => {
  test('has Latin letters and digits in islands alone, and no English sentence but reasons of trials', () => {
    const islands = new Set([...shown.matchAll(ISLAND)].map(([, text = '']) => text));
    const sentences = [...islands].filter((text) => (text.match(/[A-Za-z]+/g) ?? []).length > 1);
    expect(sentences.toSorted()).toEqual([
      '&lt;b&gt;both&lt;/b&gt;',
      'd4'.repeat(32),
      'docs/metrics.md',
      'docs/statistics.md',
      'docs/studies.md',
      'expected calm, found a storm',
      'expected fast below slow, found 60',
      'ma-cross',
      'sarraf study stress',
      'sarraf study walk-forward',
      'trials.parquet',
    ]);
    const outside = shown.replaceAll(ISLAND, '').replaceAll(/&#?\w+;/g, '');
    expect(outside.match(/[0-9]/g)).toBeNull();
    expect(new Set(outside.match(/[A-Za-z]+/g))).toEqual(new Set(['sarraf', 'CSCV', 'p']));
  });

  test('has Jalali days, the unit of the account and names of figures', () => {
    const plain = withoutDirectionMarks(shown).replaceAll(/\s+/g, ' ');
    expect(plain).toContain('آزمایش‌ها از ۱۴۰۲/۱۰/۱۱ ۰۳:۳۰ تا ۱۴۰۳/۰۱/۰۲ ۰۳:۳۰ به وقت تهران');
    expect(plain).toContain('در آغاز ۱۰٬۰۰۰ تتر');
    expect(plain).toContain('شارپ، هرچه بیشتر');
    expect(plain).toContain('هزینه‌های دو برابر (اسپرد از ۲ ده‌هزارم به ۲ ده‌هزارم)');
    expect(plain).toContain('آزموده نشده: کارمزد، اسپرد یا لغزش قیمتی نیست که دو برابر شود');
    expect(plain).toContain('۲۰۰ آزمایش در ۴ پنجره؛ ۲۴۰ آزمایش روی این داده در ۲ بهینه‌سازی.');
  });

  test('has charts with titles in Persian, and cells in its digits', () => {
    const { figures, parameters } = studyReportData(reported, studyVoice('fa'));
    expect(figures.map(({ name, title }) => [name, title])).toEqual([
      ['sharpe', 'شارپ'],
      ['totalReturn', 'بازده'],
      ['maxDrawdown', 'بیشترین افت سرمایه'],
      ['trades', 'دادوستدها'],
    ]);
    expect(parameters.map(({ cells }) => withoutDirectionMarks(cells[0] ?? ''))).toEqual([
      '۵ تا ۹',
      '۰٫۱',
      'trail',
      '۱۰ تا ۱۴٫۷',
    ]);
  });
});

describe('a finding', () => {
  test('is told in the language of the reader, and is the same sentence in JSON', () => {
    const told = finding('sentence', { text: finding('lack.trades', { least: 10, found: 3 }) });
    expect(inEnglish({ told })).toEqual({ told: 'Expected at least 10 trades, was 3.' });
    expect(withoutDirectionMarks(studyVoice('fa').format(told))).toBe(
      'دست‌کم ۱۰ دادوستد لازم است، ۳ دادوستد هست.',
    );
  });

  test('is read from a file as it was kept, also from one of before that has words', () => {
    expect(storedFinding.parse(JSON.parse(JSON.stringify(bps)))).toEqual(bps);
    expect(inEnglish(storedFinding.parse('2 bps'))).toBe('2 bps');
    expect(withoutDirectionMarks(studyVoice('fa').format(storedFinding.parse('0.1 %')))).toBe('۰٫۱٪');
    expect(storedFinding.safeParse({ fact: 'paid.gold', figures: {} }).success).toBe(false);
  });
});
