import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { folderOfThisTest } from '../../support/temporary-folder.ts';

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
