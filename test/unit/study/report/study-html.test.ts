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
import { demoStudy, demoWalk, manyTimes, keepDemoStudy } from './demo-study.ts';
import { folderOfAllTests } from '../../../support/temporary-folder.ts';
import { ENGLISH_STUDY, finding, storedFinding } from '../../../../src/study/english-study.ts';
import { PERSIAN_STUDY } from '../../../../src/study/texts/persian-study.ts';
import { ENGLISH_STUDY_PAGE, PERSIAN_STUDY_PAGE } from '../../../../src/page/study-texts.ts';
import { notTested } from '../../../../src/study/validation/luck-statistics.ts';
import { textProblems } from '../../../support/text-problems.ts';
import { inEnglish } from '../in-english.ts';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { StudyStore } from '../../../../src/study/study-store.ts';
import { sarrafHere } from '../../../support/sarraf-here.ts';

const folder = folderOfAllTests();
const data = folderOfAllTests();
beforeAll(() => {
  mkdirSync(join(data, 'studies'));
  keepDemoStudy(join(data, 'studies', 'demo.sqlite'), { trials: 30, days: 10 });
});

describe('sarraf study report', () => {
  test('writes a page and its trials into a folder beside the study, or where it is told to', async () => {
    const usual = join(data, 'studies', 'demo');
    for (const [folder, args] of [
      [usual, []],
      [join(data, 'a', 'b'), ['--out', join(data, 'a', 'b')]],
    ] as const) {
      const { code, out, error } = await sarrafHere([
        'study',
        'report',
        'demo',
        '--data',
        data,
        ...args,
        '--json',
      ]);
      expect({ code, error }).toEqual({ code: 0, error: '' });
      const [page, parquet] = [join(folder, 'report.html'), join(folder, 'trials.parquet')];
      expect(JSON.parse(out)).toEqual({ study: 'demo', page, parquet, trials: 30 });
      expect(readdirSync(folder).toSorted()).toEqual(['report.html', 'trials.parquet']);
      expect(readFileSync(page, 'utf8')).toContain('<title>Study demo</title>');
    }
    const again = await sarrafHere(['study', 'report', 'demo', '--data', data]);
    expect(again.out).toBe(
      `demo: 30 trials\n${join(usual, 'report.html')}\n${join(usual, 'trials.parquet')}\n`,
    );
  });

  test('shows all but the walk-forward where its candles are gone, and says so', async () => {
    const path = join(data, 'studies', 'walked.sqlite');
    keepDemoStudy(path, { trials: 30, days: 10 });
    const store = StudyStore.open(path);
    store.walkForward.begin({});
    store.walkForward.persistAccount({});
    store.close();
    const { code } = await sarrafHere(['study', 'report', 'walked', '--data', data]);
    expect(code).toBe(0);
    const html = readFileSync(join(data, 'studies', 'walked', 'report.html'), 'utf8');
    expect(html).toMatch(/<h2>Walk-forward<\/h2><p>One was run, and can not be shown here: .*expected/);
    expect(html).toContain('id="slices"');
  });

  test('takes what is no study, or no folder, for a mistake of the user', async () => {
    const none = await sarrafHere(['study', 'report', 'nothing', '--data', data]);
    expect(none.code).toBe(2);
    expect(none.error).toMatch(/expected a study called nothing in .*, found demo/);
    writeFileSync(join(data, 'file'), '');
    const file = await sarrafHere(['study', 'report', 'demo', '--data', data, '--out', join(data, 'file')]);
    expect(file.code).not.toBe(0);
    expect(file.error).toMatch(/expected a folder at .*file, found a file: name another with --out/);
    expect(file.error.trim().split('\n')).toHaveLength(1);
  });
});

const bps = finding('paid.bps', { bps: { digits: '2' } });

let shown: string;
beforeAll(() => {
  const walk = { kind: 'known', result: demoWalk() } as const;
  const made = demoStudy(join(data, 'demo.sqlite'), { walk, holdout: 'opened' });
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
      ['trades', 'معامله‌ها'],
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
      'دست‌کم ۱۰ معامله لازم است، فقط ۳ معامله هست.',
    );
  });

  test('is read from a file as it was kept, also from one of before that has words', () => {
    expect(storedFinding.parse(JSON.parse(JSON.stringify(bps)))).toEqual(bps);
    expect(inEnglish(storedFinding.parse('2 bps'))).toBe('2 bps');
    expect(withoutDirectionMarks(studyVoice('fa').format(storedFinding.parse('0.1 %')))).toBe('۰٫۱٪');
    expect(storedFinding.safeParse({ fact: 'paid.gold', figures: {} }).success).toBe(false);
  });
});

const MEGABYTE = 1_000_000;

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
      'No figure of a year (sharpe and others) is shown: the trials saw 29 d, and less than 30 days say nothing of a year. Trials are still ranked by such figures.',
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
