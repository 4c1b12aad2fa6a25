import { describe, expect, it } from 'vitest';
import { reportVoice } from '../../../../src/backtest/report-voice.ts';
import { describePollRules } from '../../../../src/backtest/poll/describe-poll-rules.ts';
import { createPollRules, DEFAULT_POLL_RULES, type PollRules } from '../../../../src/venues/poll-rules.ts';

describe('the rules of a recorded market', () => {
  it('are the worst for us where nothing is said', () => {
    expect(createPollRules()).toEqual(DEFAULT_POLL_RULES);
    expect(DEFAULT_POLL_RULES.queue).toEqual({ kind: 'back' });
    expect(DEFAULT_POLL_RULES.liquidity).toBe('until-change');
  });

  it.each([
    [{ queue: { kind: 'share', millionths: 1_000_001 } }, 'queue.millionths'],
    [{ queue: { kind: 'share', millionths: 0.5 } }, 'queue.millionths'],
    [{ latency: { kind: 'constant', outMs: -1, backMs: 0 } }, 'latency.outMs'],
    [{ latency: { kind: 'constant', outMs: 0, backMs: 1.5 } }, 'latency.backMs'],
    [{ latency: { kind: 'drawn', roundTripsMs: [], seed: 1 } }, 'at least one round trip'],
    [{ latency: { kind: 'drawn', roundTripsMs: [Number.NaN], seed: 1 } }, 'latency.roundTripsMs'],
    [{ tradesLagMs: -5 }, 'tradesLagMs'],
  ] as const satisfies readonly (readonly [Partial<PollRules>, string])[])('refuse %j', (given, named) => {
    expect(() => createPollRules(given)).toThrow(named);
  });

  it('are each said in the statement of a run, so that another setting reads otherwise', () => {
    const { tell } = reportVoice('en');
    const textOf = (rules: PollRules): string =>
      describePollRules(rules)
        .rules.map(({ rule, setting }) => `${tell(rule)}: ${tell(setting)}`)
        .join('\n');
    const plain = textOf(DEFAULT_POLL_RULES);
    const others: readonly Partial<PollRules>[] = [
      { queue: { kind: 'front' } },
      { queue: { kind: 'share', millionths: 250_000 } },
      { through: 'volume' },
      { liquidity: 'next-book' },
      { latency: { kind: 'constant', outMs: 1, backMs: 2 } },
      { latency: { kind: 'drawn', roundTripsMs: [10], seed: 9 } },
      { tradesLagMs: 500 },
    ];
    const said = others.map((given) => textOf(createPollRules(given)));
    expect(new Set([plain, ...said]).size).toBe(others.length + 1);
    expect(plain).not.toMatch(/undefined|NaN|\[object/);
  });
});
