import { describe, expect, test } from 'vitest';
import { ENDPOINTS } from '../../../src/exchange/endpoints.ts';
import { refusalTraits } from '../../../src/exchange/refusals.ts';
import { Dice } from '../../../src/fuzz/dice.ts';
import { ReplyMutator, spoil, type WrongReplies } from '../../../src/fuzz/reply-mutator.ts';

const PLACEMENT = {
  method: 'POST',
  path: '/market/orders/add',
  body: '{"clientOrderId":"bot-a-mark-1"}',
} as const;
const CANCEL = { method: 'POST', path: '/market/orders/update-status', body: '{"order":5}' } as const;

function mutator(plan: Partial<WrongReplies>): { readonly said: string[]; readonly mutator: ReplyMutator } {
  const said: string[] = [];
  const whole = { probability: 0, kinds: [], refusals: 0, ownCodeRefusals: 0, ...plan };
  const options = { plan: whole, dice: Dice.of(1, 'test'), onWrong: (what: string) => void said.push(what) };
  return { said, mutator: new ReplyMutator(options) };
}

const effectOf = (body: string, endpoint: 'addOrder' | 'updateOrderStatus'): string => {
  const { code = 'none' } = JSON.parse(body) as { readonly code?: string };
  return refusalTraits(code, { endpoint: ENDPOINTS[endpoint] }).outcome;
};

describe('a refusal on the way', () => {
  test('has a code that the client believes only where the plan says so', () => {
    for (const [request, endpoint] of [
      [PLACEMENT, 'addOrder'],
      [CANCEL, 'updateOrderStatus'],
    ] as const) {
      const own = mutator({ ownCodeRefusals: 1 }).mutator;
      const strange = mutator({ refusals: 1 }).mutator;
      for (let times = 0; times < 50; times += 1) {
        expect(effectOf(own.refusal(request)?.response.body ?? '{}', endpoint)).toBe('none');
        expect(effectOf(strange.refusal(request)?.response.body ?? '{}', endpoint)).toBe('unknown');
      }
    }
  });

  test('is remembered by the name of the order where the exchange has taken it, and only then', () => {
    const { mutator: own, said } = mutator({ ownCodeRefusals: 1 });
    while (own.refusal(PLACEMENT)?.isHandled === false) expect(own.refusedNames.size).toBe(0);
    expect([...own.refusedNames]).toEqual(['bot-a-mark-1']);
    expect(said.at(-1)).toBe("refusal with the interface's code of what was done");
  });

  test('is remembered too where it is the reply to an earlier request', () => {
    const { mutator: stale } = mutator({ probability: 1, kinds: ['stale'] });
    const reply = (body: string) => stale.reply(PLACEMENT, { status: 200, headers: {}, body });
    reply('{"status":"failed","code":"SmallOrder","message":"No."}');
    expect(stale.refusedNames.size).toBe(0);
    expect(reply('{"status":"ok","order":{"id":5}}').body).toContain('SmallOrder');
    expect([...stale.refusedNames]).toEqual(['bot-a-mark-1']);
  });

  test('comes for nothing that only reads, and not once it is off', () => {
    const { mutator: own } = mutator({ ownCodeRefusals: 1, refusals: 1 });
    expect(own.refusal({ method: 'GET', path: '/market/orders/list', body: null })).toBeNull();
    own.isOn = false;
    expect(own.refusal(PLACEMENT)).toBeNull();
  });
});

describe('a spoiled reply', () => {
  const body = JSON.stringify({ status: 'ok', hasNext: false, orders: [{ id: 1 }, { id: 2 }, { id: 3 }] });

  test('has its records the other way round, whichever list of records it has', () => {
    expect(spoil(body, 'records reversed', Dice.of(1, 'test'))).toContain('[{"id":3},{"id":2},{"id":1}]');
    expect(spoil('{"asks":[["2","1"],["3","1"]]}', 'records reversed', Dice.of(1, 'test'))).toBeNull();
  });

  test('is wrong about the newest record half of the time, however long the list is', () => {
    const dice = Dice.of(3, 'test');
    const trades = Array.from({ length: 500 }, (_, index) => ({ id: index + 1, price: '5' }));
    const wrong = Array.from({ length: 100 }, () => spoil(JSON.stringify({ trades }), 'null', dice));
    const atEnd = wrong.filter((text) => text?.includes('{"id":null,"price":"5"}]') ?? false).length;
    expect(atEnd).toBeGreaterThan(20);
    expect(atEnd).toBeLessThan(70);
  });

  test('says of a flag the contrary, or a word', () => {
    const dice = Dice.of(2, 'test');
    const flags = Array.from({ length: 40 }, () => spoil('{"hasNext":false}', 'boolean', dice));
    expect(new Set(flags)).toEqual(new Set(['{"hasNext":true}', '{"hasNext":"yes"}']));
  });
});
