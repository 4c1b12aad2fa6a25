import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SarrafError } from '../../../src/domain/errors.ts';
import { parseUnits, type Units } from '../../../src/domain/money.ts';
import {
  afterEvent,
  NEXT_STATES,
  type OrderEvent,
  type OrderStatusReport,
} from '../../../src/engine/orders/order-life.ts';
import { isFinal, mayTrade, type OrderRecord, type OrderState } from '../../../src/records/order.ts';
import { INTERFACE_PROFILE } from '../../../src/venues/interface-profile.ts';
import { isOpenStatus } from '../../../src/venues/port.ts';
import { orderIn, plannedOrder } from '../../support/order-value.ts';
import { orderIdOf } from '../../../src/venues/read-records.ts';

const HALF = parseUnits('0.5');
const ONE = parseUnits('1');
const NONE = 0n as Units;

function seen(
  status: string | null,
  matched: Units = NONE,
  terms: OrderStatusReport['terms'] = null,
): OrderEvent {
  const isOpen = status === null || isOpenStatus(INTERFACE_PROFILE, status);
  const report: OrderStatusReport = { venueId: orderIdOf(7), status, isOpen, matched, terms };
  return { kind: 'seen', atMs: 20, report };
}

function fillOf(amount: Units): OrderEvent {
  return { kind: 'filled', atMs: 20, amount, total: (amount * 100n) as Units, fee: 3n as Units };
}

const FACTS: Readonly<Record<string, OrderEvent>> = {
  submitted: { kind: 'submitted', atMs: 20 },
  dropped: { kind: 'dropped', atMs: 20, reason: 'Halted' },
  refused: { kind: 'refused', atMs: 20, code: 'InsufficientFunds' },
  silence: { kind: 'unanswered', sentAtMs: 20 },
  active: seen('Active'),
  'id only': seen(null),
  half: seen('Active', HALF),
  ended: seen('Canceled'),
  'ended half': seen('Canceled', HALF),
  done: seen('Done', ONE),
  'odd word': seen('Rejected'),
  cancel: { kind: 'cancel asked' },
  'no cancel': { kind: 'cancel failed' },
  'fill half': fillOf(HALF),
  'fill all': fillOf(ONE),
  absent: { kind: 'absent', atMs: 20, resend: false },
  again: { kind: 'absent', atMs: 20, resend: true },
  less: { kind: 'matched less', matched: NONE },
  rebound: { kind: 'rebound', venueId: orderIdOf(8) },
  unbound: { kind: 'unbound' },
};

/**
 * State of an order after each event, by its state before. `-`: no change; `same`: the same state with new
 * values; `!`: the event is refused.
 */
const TABLE = `
                planned   sending    unknown    open       cancelling  settling   filled  cancelled  rejected
  submitted   | sending   !          !          !          !           !          !       !          !
  dropped     | rejected  rejected   !          !          !           !          !       !          !
  refused     | -         rejected   rejected   -          -           -          -       -          -
  silence     | -         unknown    -          -          -           -          -       -          -
  active      | -         open       open       -          -           -          -       -          open
  id only     | -         open       open       -          -           -          -       -          open
  half        | -         open       open       same       same        -          -       -          open
  ended       | -         cancelled  cancelled  cancelled  cancelled   -          -       -          cancelled
  ended half  | -         settling   settling   settling   settling    -          -       -          settling
  done        | -         settling   settling   settling   settling    same       -       -          settling
  odd word    | -         cancelled  cancelled  cancelled  cancelled   -          -       -          cancelled
  cancel      | -         -          -          cancelling -           -          -       -          -
  no cancel   | -         -          -          -          open        -          -       -          -
  fill half   | !         open       open       same       same        cancelled  !       !          !
  fill all    | !         open       open       same       same        filled     !       !          !
  absent      | -         -          rejected   -          -           -          -       -          -
  again       | -         -          planned    -          -           -          -       -          -
  less        | -         -          -          -          -           cancelled  -       -          -
  rebound     | -         -          -          same       same        same       -       -          -
  unbound     | -         -          -          unknown    unknown     -          -       -          -
`;

function outcomeOf(state: OrderState, fact: OrderEvent): string {
  const order = orderIn(state);
  try {
    const next = afterEvent(order, fact);
    if (next === order) return '-';
    return next.state === state ? 'same' : next.state;
  } catch (error) {
    if (error instanceof SarrafError && error.code === 'INVARIANT') return '!';
    throw error;
  }
}

describe('the life cycle of an order', () => {
  const [header = '', ...lines] = TABLE.split('\n').filter((line) => line.trim() !== '');
  const states = header.trim().split(/\s+/) as OrderState[];

  it('has a column for every state and a row for every kind of fact', () => {
    expect(states).toEqual(Object.keys(NEXT_STATES));
    expect(lines.map((line) => line.split('|')[0]?.trim())).toEqual(Object.keys(FACTS));
  });

  it.each(lines)('%s', (line) => {
    const [name = '', outcomes = ''] = line.split('|');
    const fact = FACTS[name.trim()];
    if (fact === undefined) throw new Error(`no fact ${name}`);
    const found = states.map((state) => outcomeOf(state, fact));
    expect(found).toEqual(outcomes.trim().split(/\s+/));
  });

  it('counts each handing over, and keeps when it was', () => {
    const sent = afterEvent(plannedOrder(), { kind: 'submitted', atMs: 20 });
    expect(sent).toMatchObject({ state: 'sending', attempts: 1, sentAtMs: 20 });
    const again = afterEvent(orderIn('unknown'), { kind: 'absent', atMs: 30, resend: true });
    expect(afterEvent(again, { kind: 'submitted', atMs: 40 })).toMatchObject({ attempts: 2, sentAtMs: 40 });
  });

  it('moves the last possible send on when there was no answer', () => {
    expect(afterEvent(orderIn('sending'), { kind: 'unanswered', sentAtMs: 77 }).sentAtMs).toBe(77);
  });

  it('ends as filled only when all of it was', () => {
    const settling = afterEvent(orderIn('open'), seen('Done', ONE));
    expect(afterEvent(settling, fillOf(ONE)).state).toBe('filled');
  });

  it('adds up what its fills brought and cost', () => {
    const once = afterEvent(orderIn('open'), fillOf(HALF));
    const twice = afterEvent(once, fillOf(HALF));
    expect(twice).toMatchObject({ filled: ONE, filledTotal: ONE * 100n, fee: 6n, matched: ONE });
  });

  it('refuses a fill beyond its amount, and names both numbers', () => {
    const order = afterEvent(orderIn('open'), fillOf(HALF));
    expect(() => afterEvent(order, fillOf((HALF + 1n) as Units))).toThrow(
      /up to its 10000000000 units, of which 5000000000/,
    );
  });

  it('keeps the moment at which it closed while its fills come in', () => {
    const settling = afterEvent(orderIn('open'), { ...seen('Canceled', HALF), atMs: 50 } as OrderEvent);
    expect(settling.closedAtMs).toBe(50);
    expect(afterEvent(settling, { ...fillOf(HALF), atMs: 90 } as OrderEvent)).toMatchObject({
      state: 'cancelled',
      closedAtMs: 50,
    });
  });
});

interface Step {
  readonly order: OrderRecord;
  readonly fact: OrderEvent | null;
}

/** Returns all values that an order takes; a refused event changes nothing. */
function lifeOf(given: readonly OrderEvent[]): readonly Step[] {
  const life: Step[] = [{ order: plannedOrder(), fact: null }];
  for (const fact of given) {
    const order = life.at(-1)!.order;
    try {
      life.push({ order: afterEvent(order, fact), fact });
    } catch (error) {
      expect(error).toBeInstanceOf(SarrafError);
    }
  }
  return life;
}

describe('any order, whatever is learned of it', () => {
  const amounts = fc.bigInt({ min: 0n, max: ONE }).map((units) => units as Units);
  const statuses = fc.constantFrom('New', 'Active', 'Inactive', 'Done', 'Canceled', 'Other', null);
  const facts: fc.Arbitrary<OrderEvent> = fc.oneof(
    fc.constantFrom<OrderEvent[]>(...Object.values(FACTS)),
    fc.tuple(statuses, amounts).map(([status, matched]) => seen(status, matched)),
    amounts.map(fillOf),
  );

  const lives = fc
    .array(facts, { maxLength: 25 })
    .map((given) => lifeOf([{ kind: 'submitted', atMs: 1 }, ...given]));

  /** Checks each value of many orders beside the value before it. */
  function atEachEvent(check: (step: Step & { readonly before: OrderRecord }) => void): void {
    fc.assert(
      fc.property(lives, (life) => {
        for (const [index, step] of life.entries())
          check({ ...step, before: life[index - 1]?.order ?? step.order });
      }),
    );
  }

  it('never loses what was matched or filled, and never fills beyond its amount', () => {
    atEachEvent(({ order, before, fact }) => {
      if (fact?.kind !== 'matched less' && fact?.kind !== 'unbound')
        expect(order.matched).toBeGreaterThanOrEqual(before.matched);
      expect(order.filled).toBeGreaterThanOrEqual(before.filled);
      expect(order.filled).toBeLessThanOrEqual(order.amount);
      expect(order.matched).toBeGreaterThanOrEqual(order.filled);
    });
  });

  it('never opens again once it is closed, and does not change once it is final', () => {
    atEachEvent(({ order, before }) => {
      if (before.state === 'settling') expect(mayTrade(order)).toBe(false);
      if (isFinal(before) && before.state !== 'rejected') expect(order).toBe(before);
    });
  });

  it('lives again after a rejection only where it was seen under an id', () => {
    atEachEvent(({ order, before, fact }) => {
      if (before.state !== 'rejected' || order === before) return;
      expect(fact?.kind).toBe('seen');
      expect(order).toMatchObject({ reason: null, venueId: '7' });
    });
  });

  it('is rejected by positive evidence only, and never once it was seen', () => {
    atEachEvent(({ order, before, fact }) => {
      if (order.state !== 'rejected' || before.state === 'rejected') return;
      expect(['dropped', 'refused', 'absent']).toContain(fact?.kind);
      expect(before.venueId).toBeNull();
      if (fact?.kind === 'dropped') expect(['planned', 'sending']).toContain(before.state);
    });
  });

  it('is final as filled or canceled exactly when its fills add up to what it matched', () => {
    fc.assert(
      fc.property(lives, (life) => {
        const { order } = life.at(-1)!;
        if (order.state === 'filled') expect(order.filled).toBe(order.amount);
        if (order.state === 'cancelled') expect(order.filled).toBe(order.matched);
        if (order.state === 'settling') expect(order.filled).not.toBe(order.matched);
      }),
    );
  });

  it('takes over what the exchange rounded the order to, so that it is filled when all of that is', () => {
    const rounded = parseUnits('0.9');
    const terms = { amount: rounded, price: parseUnits('101'), stopPrice: null };
    const listed = seen('Active', NONE, terms);
    const open = afterEvent(orderIn('sending'), listed);
    expect(open).toMatchObject({ state: 'open', amount: rounded, price: terms.price });
    expect(afterEvent(open, { ...listed, atMs: 21 } as OrderEvent)).toBe(open);
    const filled = afterEvent(open, fillOf(rounded));
    expect(afterEvent(filled, seen('Done', rounded))).toMatchObject({ state: 'filled', amount: rounded });
  });

  it.each(['0', '0.4', '1.1'])(
    'keeps its amount of 1, of which half is filled, when a list says %s',
    (amount) => {
      const terms = { amount: parseUnits(amount), price: null, stopPrice: null };
      const order = afterEvent(orderIn('open'), fillOf(HALF));
      expect(afterEvent(order, seen('Active', HALF, terms)).amount).toBe(ONE);
    },
  );

  it('keeps the id that it was first seen by', () => {
    fc.assert(
      fc.property(lives, fc.integer({ min: 8, max: 99 }), (life, other) => {
        const { order } = life.at(-1)!;
        const next = afterEvent(order, {
          kind: 'seen',
          atMs: 1,
          report: { venueId: orderIdOf(other), status: 'Active', isOpen: true, matched: NONE, terms: null },
        });
        if (order.venueId !== null) expect(next.venueId).toBe(order.venueId);
      }),
    );
  });
});
