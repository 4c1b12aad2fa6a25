import { describe, expect, test } from 'vitest';
import { ENDPOINTS } from '../../../src/exchange/endpoints/index.ts';
import { refusalTraits } from '../../../src/exchange/refusals.ts';
import { Dice } from '../../../src/fuzz/dice.ts';
import { ReplyMutator } from '../../../src/fuzz/reply-mutator.ts';
import type { WrongReplies } from '../../../src/fuzz/wrong-replies.ts';

const PLACEMENT = { method: 'POST', path: '/market/orders/add', body: '{"clientOrderId":"bot-a-mark-1"}' } as const;
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

  test('comes for nothing that only reads, and not once it is off', () => {
    const { mutator: own } = mutator({ ownCodeRefusals: 1, refusals: 1 });
    expect(own.refusal({ method: 'GET', path: '/market/orders/list', body: null })).toBeNull();
    own.isOn = false;
    expect(own.refusal(PLACEMENT)).toBeNull();
  });
});
