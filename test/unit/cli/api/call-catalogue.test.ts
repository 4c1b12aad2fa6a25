import { describe, expect, test } from 'vitest';
import { CALL_GROUPS, CALLS, callOf } from '../../../../src/cli/api/call-catalogue.ts';
import { callHelp, callListLines } from '../../../../src/cli/commands/api.ts';
import { QUERY_BY_CALL } from '../../../../src/cli/api/command-io.ts';
import { readFields } from '../../../../src/cli/api/read-fields.ts';

/** Calls that move money or orders, or change something else; copied by hand from the interface. */
const MOVES = [
  'addOrder',
  'updateOrderStatus',
  'cancelOldOrders',
  'transfer',
  'createWithdrawal',
  'cancelWithdrawal',
  'gatewaySend',
  'gatewayVerify',
];
const CHANGES = [
  'login',
  'generateAddress',
  'addCard',
  'addAccount',
  'addFavoriteMarkets',
  'removeFavoriteMarkets',
];

const named = (effect: string): readonly string[] =>
  CALLS.filter((call) => call.effect === effect).map(({ name }) => name);

describe('the calls', () => {
  test('that move money or orders are those of the list by hand', () => {
    expect(named('moves').toSorted()).toEqual(MOVES.toSorted());
    expect(named('changes').toSorted()).toEqual(CHANGES.toSorted());
    expect(named('reads')).toHaveLength(CALLS.length - MOVES.length - CHANGES.length);
  });

  test('are in every group, under names that are typed easily', () => {
    expect(new Set(CALLS.map(({ group }) => group))).toEqual(new Set(CALL_GROUPS));
    for (const { word } of CALLS) expect(word).toMatch(/^[a-z]+(?:-[a-z0-9]+)*$/);
    expect(callOf('generateAddress')).toMatchObject({ word: 'generate-address', group: 'account' });
    expect(callOf('options').group).toBe('market data');
  });

  test('that are no reads name a read that shows what became of them', () => {
    for (const { name } of CALLS.filter(({ effect }) => effect !== 'reads')) {
      const look = QUERY_BY_CALL[name]?.({ order: 5, id: 'CW1', token: 'x', clientOrderId: 'mine' }, 0);
      const [group, word] = look?.split(' ') ?? [];
      if (group === 'order') expect(look).toBe('order find 5 --sent 1970-01-01T00:00:00Z');
      else expect([group, CALLS.some((call) => call.word === word)]).toEqual(['api', true]);
    }
  });

  test('are listed whole, each with its limit, and say of themselves what they take', () => {
    const list = callListLines(CALLS).join('\n');
    for (const { word } of CALLS)
      expect(list).toMatch(new RegExp(`^  ${word} .*\\d+ in \\d+ (?:s|min) per (?:address|token)`, 'm'));
    for (const call of CALLS) {
      const help = callHelp(call);
      expect(help).toContain(`sarraf api ${call.word}`);
      expect(help).toContain(`${call.endpoint.method} ${call.endpoint.path}`);
      for (const { name } of call.fields) expect(help).toMatch(new RegExp(`^  ${name}\\b`, 'm'));
    }
  });

  test('show examples that can be typed', () => {
    for (const call of CALLS) {
      const texts = Object.entries(call.endpoint.example).map(([name, value]) => `${name}=${String(value)}`);
      const environment = { PASSWORD: 'p', MERCHANT_API: 'm' };
      expect(readFields(call, texts, environment)).toMatchObject({ ok: true });
    }
  });
});

function problems(name: 'addOrder' | 'login' | 'profile', ...texts: readonly string[]): readonly string[] {
  const reading = readFields(callOf(name), texts, { EMPTY: '' });
  return reading.ok ? [] : reading.problems;
}

describe('fields', () => {
  const ORDER = ['type=buy', 'srcCurrency=btc', 'dstCurrency=rls', 'amount=1', 'price=2'];

  test('are refused all at once, with what was expected and found', () => {
    expect(problems('addOrder', 'type=bye', 'amount=-1', 'dstCurrency=rls', 'srcCurrency=b t')).toEqual([
      'type: expected "buy" or "sell", was "bye": did you mean buy?',
      'srcCurrency: expected a currency symbol such as "btc", was "b t"',
      'amount: expected a positive decimal, was "-1"',
    ]);
    expect(problems('addOrder', ...ORDER.slice(0, 4))).toEqual([
      'price: expected a positive decimal with execution limit, was missing',
    ]);
  });

  test('with a name that nobody knows come with the nearest', () => {
    expect(problems('addOrder', ...ORDER, 'stopprise=3')).toEqual([
      'stopprise: unknown field, did you mean stopPrice?',
    ]);
    expect(problems('addOrder', 'type=buy', 'amont=1', ...ORDER.slice(1, 3), 'price=2')).toEqual([
      'amont: unknown field, did you mean amount?',
    ]);
    expect(problems('profile', 'user=1')).toEqual(['user: unknown field, profile takes none']);
    expect(problems('addOrder', ...ORDER, '__proto__=3')[0]).toMatch(
      /^__proto__: unknown field, expected one of type,/,
    );
  });

  test('are refused twice, and without a value', () => {
    expect(problems('addOrder', ...ORDER, 'amount=2')).toEqual(['amount: expected once, was there twice']);
    expect(problems('addOrder', ...ORDER, 'pro')).toEqual(['expected field=value, was "pro"']);
    expect(problems('addOrder', ...ORDER, 'clientOrderId=')).toEqual([
      'clientOrderId: expected at most 32 letters, digits and hyphens, was ""',
    ]);
  });

  test('that are secret are never typed, nor repeated', () => {
    const found = problems('login', 'username=u', 'password=hunter2');
    expect(found).toEqual([expect.stringContaining('password=env:NAME or password=file:PATH')]);
    expect(found.join()).not.toContain('hunter2');
    expect(problems('login', 'username=u', 'password=env:EMPTY')).toEqual([
      'password: expected a secret in the environment variable EMPTY, found none',
    ]);
    expect(problems('login', 'username=u', 'password=file:/no/such/file')[0]).toMatch(
      /expected a file, found none/,
    );
  });
});
