import { once } from 'node:events';
import { isOutputGone } from '../../daemon/logging/standard-output.ts';

/** Bytes of text that go out at once. */
const PIECE_CHARACTERS = 65_536;

/** Writes a long text to the standard output, no faster than its reader takes it. */
export class OutputWriter {
  #pending = '';
  #isGone = false;

  /** True if the output has lost its reader, as after `| head`: there is nobody to continue for. */
  get isGone(): boolean {
    return this.#isGone;
  }

  async write(text: string): Promise<void> {
    this.#pending += text;
    if (this.#pending.length >= PIECE_CHARACTERS) await this.flush();
  }

  async flush(): Promise<void> {
    const piece = this.#pending;
    this.#pending = '';
    if (piece === '' || this.#isGone) return;
    process.stdout.write(piece);
    if (!process.stdout.writableNeedDrain) return;
    try {
      await once(process.stdout, 'drain');
    } catch (error) {
      if (!isOutputGone(error)) throw error;
      this.#isGone = true;
    }
  }
}
