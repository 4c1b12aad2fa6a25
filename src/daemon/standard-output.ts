import { writeSync } from 'node:fs';

const STANDARD_OUTPUT = 1;

/**
 * Error codes of an output whose reader is gone for good: a closed pipe, a closed terminal, a closed
 * descriptor.
 */
const GONE: ReadonlySet<string> = new Set(['EPIPE', 'EIO', 'ENXIO', 'EBADF']);

/**
 * Maximum number of waits for a slow reader; then the line is left out, for trading must not wait for a
 * screen.
 */
const MOST_WAITS = 50;
const WAIT_MS = 10;

const sleeper = new Int32Array(new SharedArrayBuffer(4));

/** True if an error of an output means that its reader is gone. */
export function isOutputGone(error: unknown): boolean {
  return GONE.has((error as NodeJS.ErrnoException).code ?? '');
}

/**
 * The standard output, written at once, so that no line is lost when the process ends. An output that is
 * gone, as after a terminal was closed, is reported once and not written to again. A line that cannot be
 * written for another reason, such as a full disk, is left out.
 */
export class StandardOutput {
  private readonly onGone: () => void;
  private readonly writeSome: (bytes: Uint8Array) => number;
  private isGone = false;
  private isTorn = false;
  /** Number of lines that could not be written. */
  lost = 0;

  /** `writeSome` writes what it can and returns the bytes written; by default to the descriptor 1. */
  constructor(
    onGone: () => void,
    writeSome: (bytes: Uint8Array) => number = (bytes) => writeSync(STANDARD_OUTPUT, bytes),
  ) {
    this.onGone = onGone;
    this.writeSome = writeSome;
  }

  write(line: string): void {
    if (this.isGone) return;
    // The rest of an incomplete line would hide the beginning of this one.
    let rest: Uint8Array = Buffer.from(this.isTorn ? `\n${line}` : line);
    const { length } = rest;
    for (let waits = 0; rest.length > 0;) {
      try {
        rest = rest.subarray(this.writeSome(rest));
      } catch (error) {
        const isBusy = (error as NodeJS.ErrnoException).code === 'EAGAIN';
        if (isBusy && waits < MOST_WAITS) {
          waits += 1;
          Atomics.wait(sleeper, 0, 0, WAIT_MS);
          continue;
        }
        this.isTorn ||= rest.length < length;
        this.fail(error);
        return;
      }
    }
    this.isTorn = false;
  }

  private fail(error: unknown): void {
    this.lost += 1;
    if (!isOutputGone(error)) return;
    this.isGone = true;
    this.onGone();
  }
}
