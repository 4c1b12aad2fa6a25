import { closeSync, openSync, readSync, writeSync } from 'node:fs';

const DIGITS = 16;

/**
 * Progress of the journal, in a small file beside the mirror. A mirror that is behind its mark was restored
 * from a copy, even if the copy was written over the same file. The mark is written now and then and never
 * forced to the disk, so it may lag; then a copy may stay unnoticed.
 */
export class ProgressMark {
  private readonly file: number;
  private written: number;
  /** Value in the file when it was opened: 0 without a file, infinity for one that can not be read. */
  readonly found: number;

  constructor(mirrorPath: string) {
    this.file = openSync(`${mirrorPath}.mark`, 'a+', 0o600);
    closeSync(this.file);
    this.file = openSync(`${mirrorPath}.mark`, 'r+');
    const bytes = Buffer.alloc(DIGITS);
    const text = bytes.toString('latin1', 0, readSync(this.file, bytes, 0, DIGITS, 0));
    this.found = text === '' ? 0 : /^\d{16}$/.test(text) ? Number(text) : Number.POSITIVE_INFINITY;
    this.written = this.found;
  }

  /** Notes the last line of the journal. A disk that does not take it leaves the old mark. */
  write(seq: number): void {
    if (seq === this.written) return;
    try {
      writeSync(this.file, String(seq).padStart(DIGITS, '0'), 0, 'latin1');
      this.written = seq;
    } catch {
      // Only the detection of copies gets less exact.
    }
  }

  close(): void {
    closeSync(this.file);
  }
}
