import { SarrafError } from '../domain/errors.ts';

/** Kind of message that the strategy's thread has put there, or nothing yet. */
export const SENT = { nothing: 0, answer: 1, question: 2, end: 3 } as const;

/**
 * Bytes of one message: a state and intents at their bounds fit. The system allots memory only where it is
 * written.
 */
const MOST_BYTES = 8_388_608;

const STATE = 0;
/** Of what the thread has said, and of what the main thread has passed. */
const LENGTH = 1;
const ANSWERED = 2;
const SENT_LENGTH = 3;
const WORDS = 4;

/** The length of what did not fit. */
const NOT_HERE = -1;

const ENCODER = new TextEncoder();
const DECODER = new TextDecoder();

/**
 * Memory shared by the main thread and the thread of one strategy: a few words to wait at, and room for one
 * message each way. A message is JSON, at half the time of a port's copy. A strategy can write anything
 * there, so the main thread copies a message before reading it, and checks all of it.
 */
export class SharedLine {
  readonly memory: SharedArrayBuffer;
  private readonly words: Int32Array;
  private readonly bytes: Uint8Array;
  private readonly sentBytes: Uint8Array;

  constructor(memory: SharedArrayBuffer = new SharedArrayBuffer(WORDS * 4 + 2 * MOST_BYTES)) {
    this.memory = memory;
    this.words = new Int32Array(memory, 0, WORDS);
    this.bytes = new Uint8Array(memory, WORDS * 4, MOST_BYTES);
    this.sentBytes = new Uint8Array(memory, WORDS * 4 + MOST_BYTES, MOST_BYTES);
  }

  /** On the main thread: forgets the last message. */
  clear(): void {
    Atomics.store(this.words, STATE, SENT.nothing);
  }

  /** On the main thread: waits for a message, for `limitMs` at most. Answers its kind. */
  wait(limitMs: number): number {
    Atomics.wait(this.words, STATE, SENT.nothing, limitMs);
    return Atomics.load(this.words, STATE);
  }

  /** The kind of the last message. */
  get kind(): number {
    return Atomics.load(this.words, STATE);
  }

  /** On the main thread: reads the message. Throws `INVALID_STRATEGY` when it is no JSON. */
  read(): unknown {
    const length = Atomics.load(this.words, LENGTH);
    if (length < 0 || length > this.bytes.length) throw unreadable();
    try {
      return decode(this.bytes, length);
    } catch {
      throw unreadable();
    }
  }

  /**
   * On the main thread: passes plain data to the thread. False where it does not fit and has to go by the
   * port.
   */
  trySend(message: unknown): boolean {
    const { read, written } = encode(JSON.stringify(message), this.sentBytes);
    Atomics.store(this.words, SENT_LENGTH, read === 0 ? NOT_HERE : written);
    return read !== 0;
  }

  /** In the thread: what was passed; null where it is in the port. */
  received(): unknown {
    const length = Atomics.load(this.words, SENT_LENGTH);
    return length === NOT_HERE ? null : decode(this.sentBytes, length);
  }

  /** On the main thread: marks that the answer to a question was passed. */
  answered(): void {
    Atomics.add(this.words, ANSWERED, 1);
    Atomics.notify(this.words, ANSWERED);
  }

  /** In the thread: sends a message. Throws `INVALID_STRATEGY` when it is too long. */
  post(kind: number, message: unknown): void {
    const { read, written } = encode(JSON.stringify(message), this.bytes);
    if (read === 0)
      throw new SarrafError('INVALID_STRATEGY', `expected an answer of at most ${MOST_BYTES} bytes`);
    Atomics.store(this.words, LENGTH, written);
    Atomics.store(this.words, STATE, kind);
    Atomics.notify(this.words, STATE);
  }

  /** In the thread: asks, and waits for the answer. */
  ask(question: unknown): void {
    const before = Atomics.load(this.words, ANSWERED);
    this.post(SENT.question, question);
    Atomics.wait(this.words, ANSWERED, before);
  }
}

/** Encodes a text and returns the lengths read and written; zero if not all of it fits. */
function encode(text: string, into: Uint8Array): { readonly read: number; readonly written: number } {
  const { read, written } = ENCODER.encodeInto(text, into);
  return read === text.length ? { read, written } : { read: 0, written: 0 };
}

function decode(bytes: Uint8Array, length: number): unknown {
  // A decoder refuses memory that is shared.
  return JSON.parse(DECODER.decode(bytes.slice(0, length)));
}

function unreadable(): SarrafError {
  return new SarrafError(
    'INVALID_STRATEGY',
    'expected an answer as JSON from its thread, was something else',
  );
}
