import { existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { alertsState, readRun, RunRecord, type RunBeginning } from '../../../src/daemon/run-record.ts';
import { leaveRecord } from './left-record.ts';
import { configOf } from './settings/bot-config-reading.ts';
import { folderOfEachTest } from '../../support/temporary-folder.ts';

const folder = folderOfEachTest();

const NOTE: RunBeginning = {
  mode: 'paper',
  instance: 'a',
  alerts: 'on',
  strategies: [{ name: 'grid', plugin: 'grid', market: 'BTCIRT' }],
};
const LEDGER = { ledger: '/state/ledger.sqlite', subjects: ['here', 'us'] };

const write = (name: string, content: unknown): void =>
  writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));

test.each([
  ['on', 'mode: paper\nexchange: { baseUrl: https://exchange.example }\nalerts: { channels: [] }'],
  ['on', 'mode: embedded\nembedded: { speed: 1 }\nalerts: { channels: [] }'],
  ['other speed', 'mode: embedded\nembedded: { speed: 10 }\nalerts: { channels: [] }'],
  ['not set', 'mode: embedded\nembedded: { speed: 10 }'],
] as const)('the record of a run says whether alerts are watched for: %s', (alerts, yaml) => {
  expect(alertsState(configOf(`${yaml}\ndata: { folder: ${folder} }`))).toBe(alerts);
});

describe('the record of a run', () => {
  test('has all that others see of it in one file', () => {
    leaveRecord(folder, { ...NOTE, ...LEDGER, aheadMs: -20_000 });
    expect(readRun(folder)).toMatchObject({
      note: NOTE,
      ledger: LEDGER,
      clockAheadMs: -20_000,
      pulse: { pid: process.pid, endedAtMs: expect.any(Number), failure: null, beatMs: expect.any(Number) },
    });
    leaveRecord(folder, NOTE);
    expect(readRun(folder)).toMatchObject({ note: NOTE, ledger: null, clockAheadMs: null });
  });

  test('is null where there is none', () => {
    expect(readRun(folder)).toEqual({ note: null, ledger: null, clockAheadMs: null, pulse: null });
  });

  test('loses none of its parts by one that can not be read', () => {
    const strategies = [{ name: 'x'.repeat(200), plugin: 'grid', market: null }];
    leaveRecord(folder, { strategies, ...LEDGER });
    expect(readRun(folder)).toMatchObject({ note: null, ledger: LEDGER, pulse: { pid: process.pid } });
  });

  test('of an older sarraf is read from its four files, one by one, until the next run', () => {
    write('run.json', NOTE);
    write('ledger.json', LEDGER);
    write('clock.json', { aheadMs: 4_000 });
    write('heartbeat.json', { pid: 7, sinceMs: 1, endedAtMs: null, failure: null });
    utimesSync(join(folder, 'heartbeat.json'), 12, 12);
    const pulse = { pid: 7, sinceMs: 1, endedAtMs: null, failure: null, beatMs: 12_000 };
    expect(readRun(folder)).toEqual({ note: NOTE, ledger: LEDGER, clockAheadMs: 4_000, pulse });
    rmSync(join(folder, 'run.json'));
    expect(readRun(folder)).toEqual({ note: null, ledger: LEDGER, clockAheadMs: 4_000, pulse });
    leaveRecord(folder);
    expect(readRun(folder)).toMatchObject({ ledger: null, clockAheadMs: null, pulse: { pid: process.pid } });
    const old = ['ledger.json', 'clock.json', 'heartbeat.json'];
    expect(old.filter((name) => existsSync(join(folder, name)))).toEqual([]);
  });

  test('does not pass for that of an earlier run while it can not be written', () => {
    const beats: (() => void)[] = [];
    const stopped = (_: number, beat: () => void) => {
      beats.push(beat);
      return () => undefined;
    };
    leaveRecord(folder, { instance: 'before' });
    const draft = join(folder, `run.json.${process.pid}.new`);
    // A folder at the path of the draft makes the write fail, as a full disk does.
    mkdirSync(draft);
    write(`run.json.${process.pid}.new/a`, '');
    const before = readFileSync(join(folder, 'run.json'), 'utf8');
    using record = new RunRecord(folder, NOTE, { pid: 5, wallMs: () => 1_000, every: stopped });
    expect(record.fault).not.toBeNull();
    const { beatMs = null } = readRun(folder).pulse ?? {};
    for (const beat of beats) beat();
    expect(readFileSync(join(folder, 'run.json'), 'utf8')).toBe(before);
    expect(readRun(folder).pulse?.beatMs).toBe(beatMs);
    rmSync(draft, { recursive: true });
    for (const beat of beats) beat();
    expect(record.fault).toBeNull();
    expect(readRun(folder)).toMatchObject({ note: { instance: 'a' }, pulse: { pid: 5, beatMs: 1_000 } });
  });
});
