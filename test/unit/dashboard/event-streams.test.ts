import { rmSync } from 'node:fs';
import { ServerResponse, IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { EventStreams } from '../../../src/dashboard/events/event-streams.ts';
import { BotFolderReader } from '../../../src/dashboard/folder/bot-folder-reader.ts';
import { openMirror } from '../../support/open-mirror.ts';
import { folderOfEachTest } from '../../support/temporary-folder.ts';

const folderPath = folderOfEachTest();
let folder: BotFolderReader;
let streams: EventStreams;
let timeMs = 0;
let bot: Database.Database;
const errors: unknown[] = [];

function newMirror(name: string, epoch: string): Database.Database {
  const path = join(folder.dataFolder, name);
  openMirror(path, 0, epoch).close();
  return new Database(path);
}

beforeEach(() => {
  folder = new BotFolderReader({ dataFolder: folderPath });
  bot = newMirror('mirror.sqlite', 'aaaa');
  timeMs = 0;
  streams = new EventStreams({
    folder,
    onError: (error) => errors.push(error),
    monotonicMs: () => timeMs,
  });
});

afterEach(() => {
  streams.close();
  bot.close();
  folder.close();
  expect(errors).toEqual([]);
});

function write(count: number): void {
  const insert = bot.prepare("INSERT INTO journal (at_ms, kind, subject, json) VALUES (1, 'log', ?, ?)");
  bot.transaction(() => {
    for (let row = 0; row < count; row += 1)
      insert.run('a\nid: 9.9', JSON.stringify({ text: 'x', fields: null }));
  })();
}

/** A client of an event stream: the rows it received, and the id it would resume from. */
class Reader {
  text = '';
  private readonly response = new ServerResponse(new IncomingMessage(new Socket()));

  constructor(lastEventId?: string, isBrief = false) {
    this.response.write = (part: string) => {
      this.text += part;
      return true;
    };
    streams.add(this.response, lastEventId, isBrief);
  }

  get ids(): string[] {
    return [...this.text.matchAll(/^id: (.*)$/gm)].map(([, id = '']) => id);
  }

  get rows(): number[] {
    return [...this.text.matchAll(/^data: (\{"seq".*)$/gm)].map(
      ([, json = '']) => (JSON.parse(json) as { readonly seq: number }).seq,
    );
  }

  leave(): string | undefined {
    this.response.emit('close');
    return this.ids.at(-1);
  }
}

test('a reader without data learns that there is news, and up to where, once in a second', () => {
  write(3);
  const [told, brief] = [new Reader(), new Reader(undefined, true)];
  for (let round = 0; round < 5; round += 1) {
    write(4);
    streams.poll();
    timeMs += 400;
  }
  expect(told.rows).toHaveLength(20);
  expect(brief.ids).toEqual(['aaaa.3', 'aaaa.7', 'aaaa.19']);
  expect(brief.text).toMatch(/^(?:id: aaaa\.\d+\ndata: \{\}\n\n){3}$/);
});

test('however often a reader goes and comes, it is told each row once', () => {
  write(3);
  const stays = new Reader();
  let goes = new Reader();
  const told: number[] = [];
  for (let round = 0; round < 40; round += 1) {
    write(round % 7);
    if (round % 3 === 0) streams.poll();
    told.push(...goes.rows);
    const id = goes.leave();
    // Rows are written while this reader is not connected.
    write(round % 5);
    if (round % 2 === 0) streams.poll();
    goes = new Reader(id);
  }
  streams.poll();
  told.push(...goes.rows);
  const last = Number(bot.prepare('SELECT max(seq) FROM journal').pluck().get());
  const every = Array.from({ length: last - 3 }, (_, index) => index + 4);
  expect(told).toEqual(every);
  expect(stays.rows).toEqual(every);
  // A name with a line break in it adds no field to the event.
  expect(stays.ids.every((id) => id.startsWith('aaaa.'))).toBe(true);
});

test('a reader that comes back to another mirror begins anew', () => {
  write(5);
  const id = new Reader().leave();
  bot.close();
  rmSync(join(folder.dataFolder, 'mirror.sqlite'));
  bot = newMirror('mirror.sqlite', 'bbbb');
  write(9);
  const reader = new Reader(id);
  expect(reader.text).toContain('event: reset\ndata: {"reason":"other-mirror"}');
  write(1);
  streams.poll();
  expect(reader.rows).toEqual([10]);
});

test('readers are told that the mirror is gone, and that there is another', () => {
  const reader = new Reader();
  bot.close();
  for (const ending of ['', '-wal', '-shm'])
    rmSync(join(folder.dataFolder, `mirror.sqlite${ending}`), { force: true });
  streams.poll();
  expect(reader.text).toContain('{"reason":"no-mirror"}');
  bot = newMirror('mirror.sqlite', 'bbbb');
  streams.poll();
  expect(reader.text).toContain('id: bbbb.0\nevent: reset\ndata: {"reason":"other-mirror"}');
});

test('a change without a row is told by its kind', () => {
  const reader = new Reader();
  streams.poll();
  bot.exec("INSERT INTO books VALUES ('BTCIRT', '[]', '[]', NULL, 5)");
  streams.poll();
  expect(reader.text).toMatch(/event: state\ndata: \{"atMs":\d+,"changed":\["books"\]\}/);
});

test('nobody looks while nobody listens', () => {
  const reader = new Reader();
  expect(streams.count).toBe(1);
  reader.leave();
  expect(streams.count).toBe(0);
});

test('the two hundred and first is refused', () => {
  for (let count = 0; count < 200; count += 1) {
    streams.checkRoom();
    expect(new Reader().ids).toHaveLength(1);
  }
  expect(() => streams.checkRoom()).toThrow('at most 200 open streams');
});
