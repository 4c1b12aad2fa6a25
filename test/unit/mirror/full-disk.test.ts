import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, copyFileSync, renameSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { folderOfThisTest } from '../../support/temporary-folder.ts';
import { DURABLE, LATER, MirrorFolder, NOW_MS, orderChange } from './mirror-fixture.ts';
import Database from 'better-sqlite3';
import { createEmbeddedWorld, BotLife } from '../../support/embedded-bot.ts';

/** Locks the file as another writer does, until the returned function is called. */
function hold(path: string): () => void {
  const other = new Database(path);
  other.exec('BEGIN IMMEDIATE');
  return () => {
    other.exec('ROLLBACK');
    other.close();
  };
}

test('a mirror that another process holds takes no durable change, keeps the others, and goes on when it is let go of', () => {
  using mirror = new MirrorFolder();
  const store = mirror.open();
  const letGo = hold(mirror.path);
  expect(() => store.apply([order('bot-a-e001-1')], DURABLE)).toThrow(
    /another program holds the file.*cancels go on/,
  );
  store.apply([order('bot-a-e001-2')], LATER);
  store.flush();
  expect(store.writeFault()).toBe('another program holds the file');
  letGo();
  store.flush();
  expect(store.writeFault()).toBe(null);
  store.apply([order('bot-a-e001-1')], DURABLE);
  const keys = store.load().orders.map(({ key }) => key);
  expect(keys.toSorted()).toEqual(['bot-a-e001-1', 'bot-a-e001-2']);
});

test('waits once, and not with every write, for a process that holds the mirror', () => {
  using mirror = new MirrorFolder();
  const store = mirror.open();
  const letGo = hold(mirror.path);
  // If each write waited for 250 ms, this would take minutes.
  for (let attempt = 0; attempt < 1_000; attempt += 1) {
    expect(() => store.apply([order('bot-a-e001-1')], { atMs: NOW_MS, isDurable: true })).toThrow(
      'another program',
    );
  }
  letGo();
});

test('a bot goes on while another process holds its mirror for seconds', async () => {
  using mirror = new MirrorFolder();
  const world = createEmbeddedWorld({ seed: 3, config: { 'drain.openOrders': 'cancel' } });
  const life = await BotLife.prepare(world, mirror.path);
  life.bot.shell.start();
  await life.run(60_000);
  const letGo = hold(mirror.path);
  await life.run(15_000);
  letGo();
  await life.run(60_000);
  expect(life.mirror.writeFault()).toBeNull();
  expect(life.bot.engine.status().phase).toBe('trading');
  await life.drain();
  expect(life.bot.engine.status().liveOrders).toBe(0);
});

const order = (key: string) => orderChange({ key });
const GONE = /found its file gone or replaced: put it back, or end the bot.*cancels go on$/;

test('a mirror whose file was moved away takes no durable change, and goes on once it is back', () => {
  using mirror = new MirrorFolder();
  const store = mirror.open({ durability: 'full' });
  store.apply([order('bot-a-e001-1')], DURABLE);
  renameSync(mirror.path, `${mirror.path}.away`);
  expect(() => store.apply([order('bot-a-e001-2')], DURABLE)).toThrow(GONE);
  store.apply([order('bot-a-e001-3')], LATER);
  store.flush();
  expect(store.writeFault()).toBe('its file gone or replaced');
  renameSync(`${mirror.path}.away`, mirror.path);
  store.flush();
  expect(store.writeFault()).toBe(null);
  expect(store.load().orders.map(({ key }) => key)).toEqual(['bot-a-e001-1', 'bot-a-e001-3']);
});

test.each([
  ['deleted', (path: string) => rmSync(path)],
  [
    'replaced by a copy',
    (path: string) => {
      copyFileSync(path, `${path}.copy`);
      renameSync(`${path}.copy`, path);
    },
  ],
])('a mirror whose file was %s says so to the end', (_, harm) => {
  using mirror = new MirrorFolder();
  const store = mirror.open({ durability: 'full' });
  harm(mirror.path);
  expect(() => store.apply([order('bot-a-e001-1')], DURABLE)).toThrow(GONE);
  store.apply([order('bot-a-e001-2')], LATER);
  expect(() => store.close()).toThrow(GONE);
});

const PROCESS = fileURLToPath(new URL('./out-of-files-process.ts', import.meta.url));

test('a lock and a mirror name the limit of open files, and blame no folder', () => {
  const folder = folderOfThisTest();
  // The program raises its soft limit up to the hard one, so the hard one is set.
  const script = 'ulimit -n 60; exec "$@"';
  const { stdout, stderr } = spawnSync('sh', ['-c', script, 'sh', process.execPath, PROCESS, folder], {
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  const messages = JSON.parse(stdout) as readonly string[];
  expect(messages).toEqual([
    expect.stringMatching(/a\.lock.*may open no more files \(EMFILE\): raise its limit/),
    expect.stringMatching(/mirror\.sqlite.*may open no more files \(EMFILE\): raise its limit/),
  ]);
});

const DISK_PROCESS = fileURLToPath(new URL('./full-disk-process.ts', import.meta.url));
/** Program of util-linux that gives a process its own mounts. */
const UNSHARE = 'unshare';

/** Runs a shell script in a namespace of its own, where it may mount file systems. */
const withOwnMounts = (
  script: string,
  args: readonly string[],
): { readonly status: number | null; readonly out: string } => {
  const { status, stdout, stderr } = spawnSync(UNSHARE, ['-rm', 'sh', '-ec', script, 'sh', ...args], {
    encoding: 'utf8',
  });
  return { status, out: `${stdout}${status === 0 ? '' : stderr}` };
};

const folder = mkdtempSync(join(tmpdir(), 'sarraf-disk-'));
/** True if a test can mount a disk here, for which it needs Linux and user namespaces. */
const canMount = withOwnMounts('mount -t tmpfs -o size=1m none "$1"', [folder]).status === 0;
rmSync(folder, { recursive: true });

test.skipIf(!canMount)(
  'a full disk costs the reserve file before it stops anything, and nothing that was taken is lost',
  () => {
    const disk = folderOfThisTest();
    const script = 'mount -t tmpfs -o size=64m none "$1"; exec "$2" "$3" "$1"';
    const { status, out } = withOwnMounts(script, [disk, process.execPath, DISK_PROCESS]);
    expect([status, status === 0 ? '' : out]).toEqual([0, '']);
    const lines = out.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      { ballast: true },
      // Changes that are not durable wait, and leave the reserve file to the durable ones.
      { gathered: false, ballast: true },
      { relief: true },
      { code: 'DATA_UNUSABLE', isFull: true, ballast: false, writable: false, runningOut: true },
      // Once there is room for the reserve file again, everything can be written.
      { written: expect.any(Number), writable: true, runningOut: false },
      { kept: { gathered: '1' }, ballast: true },
    ]);
    expect((JSON.parse(lines[4] ?? '') as { written: number }).written).toBeGreaterThan(10);
  },
);

test.skipIf(!canMount)('a folder that can only be read is refused with what to do', () => {
  const disk = folderOfThisTest();
  const script = 'mount -t tmpfs -o ro none "$1"; exec "$2" --input-type=module -e "$3" "$1"';
  const open = `
    import { MirrorStore } from './src/mirror/mirror-store.ts';
    import { DEFAULT_RETENTION } from './src/mirror/pruner.ts';
    const path = process.argv[1] + '/mirror.sqlite';
    try {
      MirrorStore.open({ path, retention: DEFAULT_RETENTION, nowMs: 0, epoch: () => 'abcd', durability: 'full' });
    } catch (error) {
      console.log(error.code + ' ' + error.message);
    }`;
  const { out } = withOwnMounts(script, [disk, process.execPath, open]);
  expect(out).toMatch(
    /^DATA_UNUSABLE expected a mirror of sarraf at \S+, found [^\n]+: see that the folder can be written to/,
  );
});
