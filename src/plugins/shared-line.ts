import { SarrafError } from '../domain/errors.ts';

/** What the thread of a strategy has put there, or nothing yet. */
export const SAID = { nothing: 0, answer: 1, question: 2, end: 3 } as const;

/** Bytes of one answer: a state and intents at their bounds fit. The memory is taken by the machine only as far as it is written. */
const MOST_BYTES = 8_388_608;

const STATE = 0;
const LENGTH = 1;
const ANSWERED = 2;
const WORDS = 4;

const ENCODER = new TextEncoder();
const DECODER = new TextDecoder();

/**
 * What the main thread and the thread of one strategy share: a few words to wait at, and room for one message as JSON. The strategy can write there whatever
 * it likes, so the main thread copies it before it reads, and believes nothing of it.
 */
export class SharedLine {
  readonly memory: SharedArrayBuffer;
  private readonly words: Int32Array;
  private readonly bytes: Uint8Array;

  constructor(memory: SharedArrayBuffer = new SharedArrayBuffer(WORDS * 4 + MOST_BYTES)) {
    this.memory = memory;
    this.words = new Int32Array(memory, 0, WORDS);
    this.bytes = new Uint8Array(memory, WORDS * 4);
  }

  /** On the main thread: forgets what was said before. */
  clear(): void {
    Atomics.store(this.words, STATE, SAID.nothing);
  }

  /** On the main thread: waits until something is said, for so long at most. Answers what kind it is. */
  wait(limitMs: number): number {
    Atomics.wait(this.words, STATE, SAID.nothing, limitMs);
    return Atomics.load(this.words, STATE);
  }

  /** What kind of thing was said last. */
  get said(): number {
    return Atomics.load(this.words, STATE);
  }

  /** On the main thread: what was said. Throws `INVALID_STRATEGY` when it is no JSON. */
  read(): unknown {
    const length = Atomics.load(this.words, LENGTH);
    if (length < 0 || length > this.bytes.length) throw unreadable();
    const text = DECODER.decode(this.bytes.slice(0, length));
    try {
      return JSON.parse(text);
    } catch {
      throw unreadable();
    }
  }

  /** On the main thread: a question was answered; what was answered is in the port. */
  answered(): void {
    Atomics.add(this.words, ANSWERED, 1);
    Atomics.notify(this.words, ANSWERED);
  }

  /** In the thread: says something. Throws `INVALID_STRATEGY` when it is too long. */
  say(kind: number, message: unknown): void {
    const { read, written } = encode(JSON.stringify(message), this.bytes);
    if (read === 0) throw new SarrafError('INVALID_STRATEGY', `expected an answer of at most ${MOST_BYTES} bytes`);
    Atomics.store(this.words, LENGTH, written);
    Atomics.store(this.words, STATE, kind);
    Atomics.notify(this.words, STATE);
  }

  /** In the thread: asks, and waits for the answer to be in the port. */
  ask(question: unknown): void {
    const before = Atomics.load(this.words, ANSWERED);
    this.say(SAID.question, question);
    Atomics.wait(this.words, ANSWERED, before);
  }
}

/** How much of a text was written; nothing where not all of it fits. */
function encode(text: string, into: Uint8Array): { readonly read: number; readonly written: number } {
  const { read, written } = ENCODER.encodeInto(text, into);
  return read === text.length ? { read, written } : { read: 0, written: 0 };
}

function unreadable(): SarrafError {
  return new SarrafError('INVALID_STRATEGY', 'expected an answer as JSON from its thread, was something else');
}
