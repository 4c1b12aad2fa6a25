import { describe, expect, test } from 'vitest';
import { createBarRules, DEFAULT_CANDLE_RULES, type BarRules } from '../../../../src/venues/fill-rules.ts';
import { reportVoice } from '../../../../src/backtest/report-voice.ts';
import { describeBarRules } from '../../../../src/backtest/describe-rules.ts';

const { format: tell } = reportVoice('en');

function settingOf(given: Partial<BarRules>, name: string): string | undefined {
  const { rules } = describeBarRules(createBarRules(given));
  return rules.flatMap(({ rule, setting }) => (tell(rule) === name ? [tell(setting)] : []))[0];
}

describe('the rules of fills in candles', () => {
  test('are the defaults where nothing is said', () => {
    expect(createBarRules()).toEqual(DEFAULT_CANDLE_RULES);
    expect(createBarRules({ spreadBps: 0.07 }).spreadBps).toBe(0.07);
  });

  test.each([
    [{ spreadBps: -1 }, 'spreadBps'],
    [{ spreadBps: 0.001 }, 'spreadBps'],
    [{ spreadBps: Number.NaN }, 'spreadBps'],
    [{ slippage: { kind: 'bps', bps: 10_001 } }, 'slippage.bps'],
    [{ slippage: { kind: 'range', millionths: 1.5 } }, 'slippage.millionths'],
    [{ volumeShareMillionths: 0 }, 'volumeShareMillionths'],
    [{ volumeShareMillionths: 1_000_001 }, 'volumeShareMillionths'],
  ] as const)('refuse %j', (rules, name) => {
    expect(() => createBarRules(rules)).toThrow(new RegExp(`expected ${name.replace('.', String.raw`\.`)} `));
  });
});

describe('the statement of fidelity', () => {
  test('names each rule once', () => {
    const { kind, rules } = describeBarRules(DEFAULT_CANDLE_RULES);
    expect(kind).toBe('candles');
    expect(new Set(rules.map(({ rule }) => tell(rule))).size).toBe(rules.length);
  });

  test.each([
    [{ arrival: 'this-close' }, 'market orders', 'the close'],
    [
      { spreadBps: 2.5, slippage: { kind: 'bps', bps: 7 } },
      'price of what takes',
      '2.5 bps, and 7 bps of the price',
    ],
    [
      { slippage: { kind: 'range', millionths: 70_000 } },
      'price of what takes',
      "7 % of the bar's high less low",
    ],
    [{ limitFill: 'touch' }, 'limit orders', 'touches it'],
    [
      { limitFill: 'touch' },
      'limit orders, already beyond their price as they arrive',
      'at their very price too',
    ],
    [{ limitFill: 'touch' }, 'stop orders', 'no worse than its limit and'],
    [{ limitGap: 'own-price' }, 'limit orders, gap', 'their own price'],
    [{ path: 'nearest-first' }, 'path inside a bar', 'nearer'],
    [{ volumeShareMillionths: 250_000 }, 'volume', '25 %'],
    [{ volumeShareMillionths: null }, 'volume', 'no bound'],
    [{ path: 'open-high-low-close' }, 'volume', 'as the path comes to them'],
    [{ marketBand: 'exchange' }, 'market orders, bound', 'one percent'],
    [{ arrival: 'this-close' }, 'time of a fill', 'the order does, at a close'],
  ] as const)('of %j says so', (rules, name, words) => {
    expect(settingOf(rules, name)).toContain(words);
    expect(settingOf({}, name)).not.toContain(words);
  });

  test('warns of what a rule makes too good', () => {
    const careful = describeBarRules(
      createBarRules({ spreadBps: 1, limitGap: 'own-price', marketBand: 'exchange' }),
    ).caveats;
    const careless = describeBarRules(
      createBarRules({
        arrival: 'this-close',
        limitFill: 'touch',
        path: 'open-high-low-close',
        volumeShareMillionths: null,
      }),
    ).caveats;
    expect(careful).toHaveLength(5);
    expect(careless).toHaveLength(11);
    expect(careless).toEqual(
      expect.arrayContaining(careful.filter(({ fact }) => fact !== 'bars.unknown.volume')),
    );
  });
});
