import type { Candle } from '../../domain/candle.ts';
import { lengthText } from '../length-text.ts';
import type { ReadRow } from './row-reader.ts';

/** Looks for times that go back by hours amid a file that goes on: it was put together of parts of different time zones. */
export class BackwardSteps {
  private beforeMs: number | null = null;
  /** Steps in either direction so far. */
  forward = 0;
  back = 0;
  private first: string | null = null;

  /** Looks at a bar in the order of the file, and hands it on as it is. */
  look(read: ReadRow<Candle>, line: number): ReadRow<Candle> {
    if ('problem' in read) return read;
    const { openTimeMs } = read.row;
    const stepMs = this.beforeMs === null ? 0 : openTimeMs - this.beforeMs;
    this.beforeMs = openTimeMs;
    if (stepMs > 0) this.forward += 1;
    if (stepMs >= 0) return read;
    this.back += 1;
    this.first ??= `line ${line} goes back by ${lengthText(-stepMs)}`;
    return read;
  }

  /** What to say of the file; nothing where it is sorted, either way. */
  notes(): string[] {
    if (this.first === null || !isSlipped(this)) return [];
    return [`its times are not in order: ${this.first}, as after a change of the time zone`];
  }
}

/** Whether some times go back in a file that mostly goes on; one that mostly goes back is sorted the other way. */
export function isSlipped({ forward, back }: { readonly forward: number; readonly back: number }): boolean {
  return back > 0 && back <= forward / 10;
}
