import { describe, expect, test } from 'vitest';
import { jalaliMonth, monthlyReturns } from '../../../../src/backtest/metrics/equity-metrics.ts';
import { reportHtml } from '../../../../src/backtest/report/report-html.ts';
import { ENGLISH_REPORT } from '../../../../src/backtest/english-report.ts';
import { ENGLISH_PAGE, PERSIAN_PAGE } from '../../../../src/page/report-texts.ts';
import { PERSIAN_REPORT } from '../../../../src/backtest/report/texts/persian-report.ts';
import { EXIT_KINDS } from '../../../../src/domain/order.ts';
import { finishRun, intentWarnings } from '../../../../src/backtest/finish-run.ts';
import { sentence } from '../../../../src/language/sentence.ts';
import { withoutDirectionMarks } from '../../../../src/language/isolate.ts';
import { textProblems } from '../../../support/text-problems.ts';
import { demoRun } from '../demo-run.ts';
import { lockRecord } from '../run-records.ts';
import { reportVoice } from '../../../../src/backtest/report-voice.ts';
import type { FidelityStatement } from '../../../../src/backtest/backtest-run.ts';
import { describeBarRules, describePollRules } from '../../../../src/backtest/describe-rules.ts';
import { describeMirror } from '../../../../src/backtest/live/mirror-history.ts';
import { universeCaveats } from '../../../../src/backtest/run-currency.ts';
import type { Language } from '../../../../src/language/locale.ts';
import type { SessionRows } from '../../../../src/mirror/read-session-rows.ts';
import { createBarRules, createPollRules } from '../../../../src/venues/fill-rules.ts';

const HOUR_MS = 3_600_000;
const run = demoRun({ bars: 3_000, tradeChance: 0.05, warnings: ['The fees of BTCUSDT are 0.1 %.'] });
const held = { beganAtMs: run.fromMs, endedAtMs: run.fromMs + HOUR_MS, refused: 3 };
const records = [
  lockRecord({ ...held, reason: 'the moon is full' }),
  lockRecord({ ...held, reason: sentence('lock-stops', { count: 3, within: '4 h', limit: 2 }) }),
];
const html = reportHtml(finishRun({ ...run, locks: { records, more: 0 } }), 'fa');

const REFUSAL = {
  what: 'place',
  code: 'risk',
  count: 2,
  example: 'no',
  firstAtMs: Date.UTC(2024, 0, 1),
  lastAtMs: Date.UTC(2024, 0, 1),
} as const;
const FIT = { ...REFUSAL, code: 'fit', example: sentence('by-hand') };

/** Text that a reader sees before scripts run. */
const body = html.replace(/^.*<body>/s, '').replaceAll(/<(script|style|pre|bdi)\b.*?<\/\1>/gs, '');
const shown = body.replaceAll(/<[^>]*>/g, ' ');
const plain = withoutDirectionMarks(shown).replaceAll(/\s+/g, ' ');

describe('texts of a report', () => {
  test('are written in Persian as careful writers do', () => {
    expect(textProblems(ENGLISH_REPORT, PERSIAN_REPORT)).toEqual([]);
    expect(textProblems(ENGLISH_PAGE, PERSIAN_PAGE)).toEqual([]);
  });

  test('name every kind of exit', () => {
    const exits = Object.entries(ENGLISH_PAGE).flatMap(([key, text]) =>
      key.startsWith('exit.') ? [[key, text]] : [],
    );
    expect(exits).toEqual(EXIT_KINDS.map((kind) => [`exit.${kind}`, kind]));
  });
});

describe('a page in Persian', () => {
  test('is from right to left', () => {
    expect(html).toContain('<html lang="fa" dir="rtl" data-theme="light">');
    expect(reportHtml(finishRun(run))).toContain('<html lang="en" data-theme="light">');
  });

  test('has no Latin digit but in names and English sentences', () => {
    const names = /\u2068[^\u2068\u2069]*[A-Za-z][^\u2068\u2069]*\u2069/g;
    expect(
      shown
        .replaceAll(names, '')
        .replaceAll('&#39;', '')
        .match(/.{0,20}[0-9].{0,20}/g),
    ).toBeNull();
  });

  test('has Jalali days on the clock of Tehran', () => {
    expect(plain).toContain('۱۴۰۱/۱۰/۱۱ ۰۳:۳۰ تا ');
    expect(plain).toContain('ساعت‌ها به وقت تهران است.');
  });

  test('writes the unit of money at each number', () => {
    expect(plain).toMatch(/ارزش کل در پایان +[۰-۹٬]+٫[۰-۹]{2} تتر/);
    expect(plain).toContain('از ۱۰٬۰۰۰٫۰۰ تتر');
  });

  test('warns in Persian, with what a result has in English', () => {
    const few = finishRun(demoRun({ bars: 60, tradeChance: 0 }));
    const warned = withoutDirectionMarks(reportHtml(few, 'fa').replaceAll(/<[^>]*>/g, ' '));
    expect(few.head.warnings.at(-1)).toMatch(/^no figure of a year .* is shown: the run is 2 d 12 h long/);
    expect(warned).toContain('کالمار) نشان داده نمی‌شوند: اجرا ۲ روز و ۱۲ ساعت است');
    const refused = intentWarnings({
      intents: [{ strategy: 'grid', count: 4, refusals: [REFUSAL, FIT] }],
      orders: [],
    }).map((warning) => withoutDirectionMarks(reportVoice('fa').format(warning)));
    expect(refused).toEqual([
      'grid سفارشی نگذاشت: ۴ تصمیم گرفت و رد شد: ۲ بار سفارش با قاعدهٔ risk (۱۴۰۲/۱۰/۱۱ ۰۳:۳۰: no)؛ ۲ بار سفارش با قاعدهٔ fit (۱۴۰۲/۱۰/۱۱ ۰۳:۳۰: دستی)',
    ]);
  });

  test('says reasons of the bot, and leaves words of others as files have them', () => {
    expect(shown).toContain('\u2068The fees of BTCUSDT are 0.1 %.\u2069');
    expect(shown).toContain('\u2068the moon is full\u2069');
    expect(plain).toContain('۳ حد ضرر در ۴ ساعت اجرا شد و قاعده ۲ است');
  });
});

test('returns by Jalali months end where months end in Tehran, and bring the same in all', () => {
  const months = monthlyReturns(10_000, run.curve, jalaliMonth);
  expect(months.map(({ year, month }) => `${year}/${month}`)).toEqual([
    '1401/10',
    '1401/11',
    '1401/12',
    '1402/1',
    '1402/2',
  ]);
  const whole = months.reduce((product, { change }) => product * (1 + change), 10_000);
  expect(whole).toBeCloseTo(run.curve.equity.at(-1) ?? 0, 6);
  expect(new Date(jalaliMonth(Date.UTC(2023, 2, 1)).endMs).toISOString()).toBe('2023-03-20T20:30:00.000Z');
});

/** Writes a statement as lines, as the report shows it. */
function linesOf({ rules, caveats }: FidelityStatement, language: Language): readonly string[] {
  const tell = (fact: FidelityStatement['caveats'][number]): string =>
    withoutDirectionMarks(reportVoice(language).format(fact));
  return [...rules.map(({ rule, setting }) => `${tell(rule)}: ${tell(setting)}`), ...caveats.map(tell)];
}

const SINCE_MS = Date.UTC(2024, 0, 1);
const KEPT = { removed: 0, sinceMs: null };

/** Rows of a mirror of which retention has removed a part. */
const ROWS: Pick<SessionRows, 'tables' | 'moreFills' | 'moreOrders' | 'series' | 'plots'> = {
  tables: {
    fills: { removed: 1_234, sinceMs: SINCE_MS },
    orders: { removed: 1, sinceMs: SINCE_MS },
    intents: KEPT,
    journal: KEPT,
  },
  moreFills: 1,
  moreOrders: 20_000,
  series: [],
  plots: [],
};

const STATEMENTS = {
  bars: describeBarRules(
    createBarRules({
      spreadBps: 2.5,
      slippage: { kind: 'range', millionths: 70_000 },
      volumeShareMillionths: 250_000,
      path: 'nearest-first',
    }),
  ),
  poll: describePollRules(
    createPollRules({
      queue: { kind: 'share', millionths: 125_000 },
      latency: {
        kind: 'drawn',
        roundTripsMs: [40, 1_800, 42],
        orderTripsMs: [90],
        seed: 12_345,
      },
      tradesLagMs: 1_500,
    }),
  ),
  live: describeMirror(ROWS as SessionRows, {
    range: { fromMs: SINCE_MS, toMs: SINCE_MS },
    unvalued: ['eth', 'usdt', 'rls'],
    opening: 'books',
    hasParams: false,
  }),
} satisfies Readonly<Record<string, FidelityStatement>>;

/** Returns the line of a statement that contains these words. */
const said = (name: keyof typeof STATEMENTS, language: Language, words: string): string | undefined =>
  linesOf(STATEMENTS[name], language).find((line) => line.includes(words));

describe('the fidelity of a run', () => {
  test.each(Object.entries(STATEMENTS))('of %s has no English but names', (_name, statement) => {
    const names = /OCO|fuzz|sarraf budget|--config|ETH|USDT/g;
    const persian = linesOf(statement, 'fa').join('\n').replaceAll(names, '');
    expect(persian).not.toMatch(/[A-Za-z0-9{}]/);
    expect(linesOf(statement, 'fa')).toHaveLength(linesOf(statement, 'en').length);
  });

  test('has its figures in both languages', () => {
    expect(said('bars', 'en', 'price of what takes')).toContain(
      "worse by half of a spread of 2.5 bps, and 7 % of the bar's high less low; rounded",
    );
    expect(said('bars', 'fa', 'قیمت سفارش‌های تیکر')).toContain(
      'به اندازهٔ نیمی از اسپرد ۲٫۵ صدم درصدی و ۷٪ از فاصلهٔ بیشترین و کمترین قیمت کندل؛',
    );
    expect(said('poll', 'fa', 'تأخیر:')).toBe(
      'تأخیر: برای هر درخواست به تصادف از ۳ رفت‌وبرگشت ضبط‌شده، از ۴۰ تا ۱۸۰۰ میلی‌ثانیه (میانه ۴۲ میلی‌ثانیه)، برای سفارش‌ها از ۱ رفت‌وبرگشت ضبط‌شده، از ۹۰ تا ۹۰ میلی‌ثانیه (میانه ۹۰ میلی‌ثانیه)؛ نیمی از آن در هر سو، بذر تصادفی ۱۲۳۴۵',
    );
    expect(said('live', 'en', 'fills;')).toBe(
      'Retention has removed 1,234 fills; the oldest that is left is of 2024-01-01 UTC. Equity begins there, and what was bought before has no cost here.',
    );
    expect(said('live', 'fa', 'ارزش کل از آنجا')).toContain(
      '۱٬۲۳۴ معامله را پاک کرده است؛ قدیمی‌ترین معاملهٔ مانده از ۱۴۰۲/۱۰/۱۱ ۰۳:۳۰ است.',
    );
    expect(said('live', 'en', 'older fill')).toMatch(/^1 older fill is left out/);
    expect(said('live', 'fa', 'ETH')).toContain('حساب ETH، تتر، ریال دارد');
  });

  test('says what universes can not know', () => {
    const caveats = universeCaveats([{ filters: { maxSpreadBps: 5 } }], {
      markets: 12,
      hasBooks: false,
    });
    expect(linesOf({ kind: 'candles', rules: [], caveats }, 'fa')).toEqual([
      expect.stringMatching(/^سوگیری بقا: مجموعه‌ها از میان ۱۲ بازار این داده/),
      expect.stringContaining('با کندل‌های یک روز پیش از هر لحظه'),
      'کندل‌ها اسپرد را نشان نمی‌دهند، پس maxSpreadBps هیچ بازاری را کنار نگذاشت.',
    ]);
  });
});
