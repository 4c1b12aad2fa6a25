import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UnknownOrders } from '../../../src/engine/orders/unknown-orders.ts';
import { orderIn } from '../../support/order-value.ts';
import { INTERFACE_PROFILE } from '../../../src/venues/interface-profile.ts';
import { scenarios } from '../../support/scenarios.ts';

const LATE_MS = 120_000;
const APART_MS = 10_000;
const SETTINGS = {
  lateArrivalMs: LATE_MS,
  scansApartMs: APART_MS,
  rule: INTERFACE_PROFILE.absence,
  list: INTERFACE_PROFILE.ownLists.orders,
};

/**
 * Runs a search by a table with one step on each line: a time in ms, an event, and after `=>` what is expected.
 *
 *     0 lost a from 7          order a, last sent at this time, has no answer; lists show it after cursor 7
 *     1000 due                 the next pass is due at this time
 *     1000 begin => from 7     begins a pass; expects the cursor from which it reads, or `nothing`
 *     1100 asked               the request for its first page left at this time
 *     1200 complete            its last page came; no page had one of the orders
 *     1200 failed
 *     1000 pass to 1200 => from 7     begins a pass whose first request leaves at once, and which is complete then
 *     1200 found a
 *     1200 proven => a b       orders absent in the lists, as `a since 1200`: trades read after that time complete the proof
 */
function run(table: string): void {
  const unknown = new UnknownOrders(SETTINGS);
  for (const [index, raw] of table.split('\n').entries()) {
    const line = raw.replace(/#.*/, '').trim();
    if (line === '') continue;
    const where = `line ${index + 1}: ${line}`;
    const [step = '', expected = ''] = line.split('=>').map((part) => part.trim());
    const [time = '', verb = '', key = '', until, floor = '0'] = step.split(/\s+/);
    const atMs = Number(time);
    if (verb === 'lost')
      unknown.track(orderIn('unknown', { key, sentAtMs: atMs, orderFloor: Number(floor) }), atMs);
    else if (verb === 'due') expect(unknown.wakeAtMs(), where).toBe(atMs);
    else if (verb === 'begin') {
      const pass = unknown.begin(atMs);
      expect(pass === null ? 'nothing' : `from ${pass.froms.get(null)}`, where).toBe(expected);
    } else if (verb === 'pass') {
      const pass = unknown.begin(atMs);
      if (pass === null) throw new Error(where);
      expect(`from ${pass.froms.get(null)}`, where).toBe(expected);
      pass.askedAtMs = atMs;
      unknown.complete(Number(until));
    } else if (verb === 'asked') {
      if (unknown.scan === null) throw new Error(where);
      unknown.scan.askedAtMs = atMs;
    } else if (verb === 'complete') unknown.complete(atMs);
    else if (verb === 'failed') unknown.failed(atMs);
    else if (verb === 'found') unknown.forget(key);
    else if (verb === 'proven') {
      const proven = unknown.absentInLists().map(({ key: name, sinceMs }) => `${name} since ${sinceMs}`);
      expect(proven.join(', ') || 'nobody', where).toBe(expected);
    } else throw new Error(`unknown step in ${where}`);
  }
}

describe('the search for orders without an answer', () => {
  scenarios(run)`
    looks early, as most are found at once, and concludes nothing from that
      0      lost a from 7
      1000   due
      999    begin => nothing
      1000   pass to 1050 => from 7
      15000  due
      15000  pass to 15050 => from 7
      60000  due
      60000  pass to 60050 => from 7
      60050  proven => nobody
      120001 due

    concludes from two passes that were both asked for when nothing could arrive any more
      0      lost a from 7
      1000   pass to 1050 => from 7
      120001 pass to 120050 => from 7
      120050 proven => nobody
      130001 due
      130001 pass to 130060 => from 7
      130060 proven => a since 130060

    learns nothing from a pass that was asked for while it could still arrive, however late it ended
      0      lost a from 7
      119000 begin => from 7
      120000 asked
      140000 complete
      140000 proven => nobody
      200000 pass to 200050 => from 7
      210000 pass to 210050 => from 7
      210050 proven => a since 210050

    tries again a little after a pass that failed, and does not count it
      0      lost a from 7
      121000 begin => from 7
      121000 asked
      121050 failed
      126050 due
      126050 pass to 126100 => from 7
      126100 proven => nobody
      136050 due

    begins no second pass while one is under way
      0      lost a from 7
      1000   begin => from 7
      5000   begin => nothing
      5000   asked
      5010   complete
      15000  due

    does not count a pass for an order that was lost meanwhile and whose id may lie below it
      0      lost a from 70
      1000   begin => from 70
      1000   asked
      1020   lost b from 7
      1050   complete
      2020   due
      2020   begin => from 7

    proves each by its own time
      0      lost a from 7
      60000  lost b from 9
      121000 pass to 121050 => from 7
      131000 pass to 131050 => from 7
      131050 proven => a since 131050
      181000 pass to 181050 => from 7
      191000 pass to 191050 => from 7
      191050 proven => a since 131050, b since 191050

    forgets one that was found, and has nothing to do then
      0      lost a from 7
      1000   begin => from 7
      1000   asked
      1010   found a
      1050   complete
      Infinity due
      200000 proven => nobody

    looks on once a minute while the trades leave it open
      0      lost a from 7
      121000 pass to 121050 => from 7
      131000 pass to 131050 => from 7
      191050 due
      191050 pass to 191100 => from 7
      191100 proven => a since 131050
  `;

  it('counts the two passes from question to question, not from end to end', () => {
    run(`
      0      lost a from 7
      121000 pass to 129000 => from 7
      129000 proven => nobody
      131000 due
    `);
    run(`
      0      lost a from 7
      121000 pass to 140000 => from 7
      140000 due
      140000 begin => from 7
      130999 asked                # by another clock it left before it was due: too near
      140050 complete
      140050 proven => nobody
    `);
  });

  it('reads from the first place where any of them can stand', () => {
    run(`
      0      lost a from 70
      10     lost b from 7
      1010   begin => from 7
    `);
    run(`
      0      lost a
      1000   begin => from 0
    `);
  });

  it('reads the list of each market from there, where each has one', () => {
    const list = { ...SETTINGS.list, scope: 'market' as const };
    const unknown = new UnknownOrders({ ...SETTINGS, list });
    const lost = (key: string, market: string, orderFloor: number): void =>
      unknown.track(orderIn('unknown', { key, market, sentAtMs: 0, orderFloor }), 0);
    lost('a', 'BTCIRT', 70);
    lost('b', 'ETHIRT', 9_000);
    lost('c', 'BTCIRT', 50);
    const scan = unknown.begin(1_000);
    expect([...(scan?.froms ?? [])]).toEqual([
      ['BTCIRT', 50],
      ['ETHIRT', 9_000],
    ]);
    expect(scan?.left).toEqual(['BTCIRT', 'ETHIRT']);
  });

  it('never concludes before two complete passes apart from each other, both after the last possible arrival', () => {
    const passes = fc.array(
      fc.record({
        waitMs: fc.integer({ min: 0, max: 50_000 }),
        lastsMs: fc.integer({ min: 0, max: 15_000 }),
        ends: fc.constantFrom('complete', 'complete', 'failed'),
      }),
      { maxLength: 25 },
    );
    fc.assert(
      fc.property(passes, (given) => {
        const unknown = new UnknownOrders(SETTINGS);
        unknown.track(orderIn('unknown', { key: 'a', sentAtMs: 0, orderFloor: 7 }), 0);
        const telling: number[] = [];
        let nowMs = 0;
        for (const { waitMs, lastsMs, ends } of given) {
          nowMs += waitMs;
          const pass = unknown.begin(nowMs);
          if (pass === null) continue;
          pass.askedAtMs = nowMs;
          if (ends === 'complete' && nowMs > LATE_MS) telling.push(nowMs);
          nowMs += lastsMs;
          if (ends === 'complete') unknown.complete(nowMs);
          else unknown.failed(nowMs);
        }
        const isProof = telling.length > 1 && telling.at(-1)! - telling[0]! >= APART_MS;
        expect(unknown.absentInLists().length > 0).toBe(isProof);
      }),
    );
  });
});
