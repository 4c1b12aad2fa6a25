import { describe, expect, test } from 'vitest';
import type { FidelityStatement } from '../../../../src/backtest/backtest-run.ts';
import { describeBarRules, describePollRules } from '../../../../src/backtest/describe-rules.ts';
import { describeMirror } from '../../../../src/backtest/live/mirror-history.ts';
import { reportVoice } from '../../../../src/backtest/report-voice.ts';
import { universeCaveats } from '../../../../src/backtest/run-currency.ts';
import type { Language } from '../../../../src/language/locale.ts';
import { withoutDirectionMarks } from '../../../../src/language/isolate.ts';
import type { SessionRows } from '../../../../src/mirror/read-session-rows.ts';
import { createBarRules, createPollRules } from '../../../../src/venues/fill-rules.ts';

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
