import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ENDPOINTS } from '../../../src/exchange/endpoints.ts';
import { TransferChecker } from '../../../src/fuzz/checkers/transfer-checker.ts';
import type { LeavingRequest } from '../../../src/fuzz/checkers/exchange-truth.ts';
import { folderOfEachTest } from '../../support/temporary-folder.ts';

const KEY = '12.5 usdt from spot';
const FIELDS = { currency: 'usdt', amount: '12.5', src: 'spot', dst: 'margin' };
const WISH = { kind: 'transfer', currency: 'usdt', amount: '12.50000000', from: 'spot', to: 'margin' };
const REQUEST: LeavingRequest = {
  endpoint: ENDPOINTS.transfer,
  path: '/wallets/transfer',
  fields: FIELDS,
  atMs: 1_000,
};
const NONE: ReadonlySet<string> = new Set();

const folder = folderOfEachTest();
let database: Database.Database;
let checker: TransferChecker;

beforeEach(() => {
  const path = join(folder, 'mirror.sqlite');
  database = new Database(path);
  database.exec(`
    CREATE TABLE kept (name TEXT PRIMARY KEY, json TEXT);
    CREATE TABLE intents (id INTEGER PRIMARY KEY, intent_id TEXT, kind TEXT, json TEXT, status TEXT, reason TEXT);
    CREATE TABLE strategies (name TEXT, json TEXT);
  `);
  checker = new TransferChecker(path);
});
afterEach(() => {
  database.close();
});

const keep = (...states: readonly ('sending' | 'unknown')[]): void => {
  const rows = states.map((state) => ({ id: 'i1', currency: 'usdt', amount: '12.5', from: 'spot', state }));
  database.prepare("INSERT OR REPLACE INTO kept VALUES ('transfers', ?)").run(JSON.stringify(rows));
};

/** Writes the end of the transfer to the file, and what the strategy was notified of. */
const end = (status: string, reason: string | null, told: string | null): void => {
  const insert = database.prepare("INSERT INTO intents VALUES (NULL, 'i1', 'transfer', ?, ?, ?)");
  insert.run(JSON.stringify(WISH), status, reason);
  const state = { told: told === null ? {} : { i1: told } };
  database.prepare("INSERT INTO strategies VALUES ('mover', ?)").run(JSON.stringify({ state }));
};

/** Sends the transfer in the right order of steps, with or without an answer. */
const send = (isAnswered = true): void => {
  keep('sending');
  checker.leaves(REQUEST);
  keep();
  if (isAnswered) checker.isAnswered(REQUEST);
};

const found = (made: number, spoiled: ReadonlySet<string> = NONE): readonly string[] =>
  checker
    .judge({ made: new Map(made === 0 ? [] : [[KEY, made]]), spoiled, strategy: 'mover' })
    .violations.map(({ message }) => message);

describe('transfers', () => {
  test('that were made and told are right', () => {
    send();
    end('done', 'transferred', 'done');
    expect(found(1)).toEqual([]);
  });

  test('that leave twice, or that the exchange makes twice, are named', () => {
    send();
    keep('sending');
    checker.leaves({ ...REQUEST, atMs: 2_000 });
    checker.isAnswered(REQUEST);
    keep();
    end('done', 'transferred', 'done');
    expect(found(2)).toEqual([
      `expected ${KEY} to leave once, it left again at 2000`,
      `expected ${KEY} once, the exchange made it 2 times`,
    ]);
  });

  test.each([
    ['nothing', [], 'none'],
    ['one that is unknown', ['unknown'], `${KEY}, unknown`],
    ['another beside it', ['sending', 'unknown'], `${KEY}, sending; ${KEY}, unknown`],
  ] as const)('that leave with %s on the disk are named', (_, states, there) => {
    keep(...states);
    checker.leaves(REQUEST);
    checker.isAnswered(REQUEST);
    keep();
    end('refused', 'no', null);
    expect(found(0)).toEqual([
      `expected ${KEY} alone on the disk before it left at 1000, there was: ${there}`,
    ]);
  });

  test.each([
    ['refused', 'no', null, 1, 'not to be taken for refused, the exchange made it'],
    ['done', 'transferred', 'done', 0, 'not to be taken for made, the exchange never made it'],
  ])(
    'that are %s and were otherwise are named, unless the reply was wrong',
    (status, reason, told, made, what) => {
      send();
      end(status, reason, told);
      expect(found(made)).toEqual([`expected ${KEY} (i1) ${what}`]);
      expect(found(made, new Set([JSON.stringify(FIELDS)]))).toEqual([]);
    },
  );

  test('without an answer are unknown, kept and told, until a person accepts', () => {
    send(false);
    keep('unknown');
    end('working', 'nobody knows', 'unknown');
    expect(found(1)).toEqual([]);
    keep();
    expect(found(1)).toEqual([`expected ${KEY} (i1), which is unknown, to be kept just while it is unknown`]);
    database.exec("UPDATE intents SET status = 'done', reason = 'accepted'");
    expect(found(1)).toEqual([`expected ${KEY} (i1) to be unknown until a person accepts it, nobody did`]);
    checker.accepted();
    expect(found(1)).toEqual([]);
    database.exec("UPDATE intents SET status = 'refused', reason = 'no'; UPDATE strategies SET json = '{}'");
    expect(found(0)).toEqual([`expected ${KEY} (i1) to be unknown without an answer, it is refused`]);
  });

  test('that were accepted may never have been told, as the process can die before that', () => {
    send(false);
    keep();
    end('done', 'accepted as the balances show it', null);
    checker.accepted();
    expect(found(1)).toEqual([]);
  });

  test('of which the strategy was told nothing are named', () => {
    send(false);
    keep('unknown');
    end('working', 'nobody knows', null);
    expect(found(0)).toEqual([
      `expected the strategy to be told unknown of ${KEY} (i1), it was told undefined`,
    ]);
  });

  test('that the mirror or the bot know nothing of are named, but those of before a copy was put back', () => {
    send();
    expect(found(0)).toEqual([`expected ${KEY}, which left, in the mirror, it is not there`]);
    checker.forgetFile();
    expect(found(1)).toEqual([]);
    expect(
      checker.judge({ made: new Map([['1 rls from margin', 1]]), spoiled: NONE, strategy: 'mover' })
        .violations,
    ).toHaveLength(1);
  });
});
