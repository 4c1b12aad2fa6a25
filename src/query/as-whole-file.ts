import { renameSync, rmSync } from 'node:fs';

/**
 * Has a file written under the name of a draft, and gives it its own when it is whole: a reader sees the file
 * before or the one after. `mayTake` is asked at the end, and throws where the name must not be taken.
 */
export async function asWholeFile<Value>(
  path: string,
  write: (draft: string) => Promise<Value> | Value,
  mayTake: () => void = () => {},
): Promise<Value> {
  const draft = `${path}.${process.pid}.tmp`;
  try {
    const written = await write(draft);
    mayTake();
    renameSync(draft, path);
    return written;
  } finally {
    rmSync(draft, { force: true });
  }
}
