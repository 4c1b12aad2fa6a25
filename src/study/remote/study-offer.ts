import { z } from 'zod';

/** Another number: keys and texts of another shape. */
const PROTOCOL = 3;

const sha256 = () => z.string().regex(/^[0-9a-f]{64}$/);

/** A file that the coordinator serves, by what it says. */
const servedFile = z.strictObject({ sha256: sha256(), bytes: z.int().positive() });

const OFFER = z.strictObject({
  protocol: z.literal(PROTOCOL),
  /** The version of sarraf. */
  engine: z.string(),
  /** The key of what all of its trials have in common; also the name of its queue. */
  source: sha256(),
  /** The part of the written study that a trial needs. */
  written: z.record(z.string(), z.unknown()),
  /** SHA-256 of the strategy's code. */
  code: sha256(),
  /** Candles, one file for each market in order; behind them finer ones. */
  data: z.array(servedFile).min(1),
  /** Signals from outside for the strategy; null if there are none. */
  signals: servedFile.nullable(),
  /** Address at which files are served, such as `http://10.0.0.5:7300`. */
  address: z.url(),
  /** Without it nothing is served. */
  token: z.string(),
  /** The strategy's code, where it is sent, and its HMAC with the shared secret. */
  bundle: servedFile.extend({ hmac: sha256() }).nullable(),
});

/** A study that waits for workers, as its coordinator says it to all of them. */
export type StudyOffer = z.output<typeof OFFER>;

export type ServedFile = z.output<typeof servedFile>;

export function writeOffer(offer: Omit<StudyOffer, 'protocol'>): string {
  return JSON.stringify({ protocol: PROTOCOL, ...offer });
}

/** Reads an offer; null for one of another protocol, and for what is none. */
export function readOffer(text: string): StudyOffer | null {
  const read = OFFER.safeParse(parsed(text));
  return read.success ? read.data : null;
}

/** Reply of a worker to an offer: it computes, or the reason it does not. */
const NOTE = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('serves'), worker: z.string(), threads: z.int().min(1) }),
  z.strictObject({ kind: z.literal('refuses'), worker: z.string(), reason: z.string() }),
]);

export type WorkerNote = z.output<typeof NOTE>;

export function readNote(text: string): WorkerNote | null {
  const read = NOTE.safeParse(parsed(text));
  return read.success ? read.data : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
