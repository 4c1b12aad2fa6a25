import type { Machine, LifeSign } from '../process-owner.ts';
import { STEP_MS, begunOf, epochName, LedgerImage } from './ledger-image.ts';
import type { ScriptAsk, ScriptAnswer } from './redis-connection.ts';
import type { LedgerDraft } from './ledger-draft.ts';

/** Tolerance within which the clock difference found by another process of this machine is believed. */
const ANCHOR_SLACK_MS = 200;
const ANCHOR_DRIFT_PARTS = 2_000;

/** Part of a request that a caller decides; the rest is what was seen. */
type AskPart = Partial<ScriptAsk> & Pick<ScriptAsk, 'kind' | 'owner'>;

/**
 * Ledger in Redis as this process has seen it: the fields that were read last, the server's time as far as it
 * is proven, and the reason all of it is unusable.
 */
export class SeenLedger {
  /** True if the times of the current count are still to be compared with the clock. */
  mustJoin = true;
  private readonly machine: Machine;
  private fields = new LedgerImage(new Map());
  private time = new ServerClock();
  private runId = '';
  /** Reason the content of Redis is unusable; null if it is usable. */
  private why: string | null = null;
  private known = { epoch: '', revision: 0 };
  /** Start of the latest count that was seen here. */
  private latestBegun = 0;

  constructor(machine: Machine) {
    this.machine = machine;
  }

  get image(): LedgerImage {
    return this.fields;
  }

  get clock(): ServerClock {
    return this.time;
  }

  /** Run of Redis that answered last. */
  get run(): string {
    return this.runId;
  }

  get doubt(): string | null {
    return this.why;
  }

  /** The count that a change would go on with; '' where it would begin one. */
  get epoch(): string {
    return this.why === null ? this.fields.head.epoch : '';
  }

  /** Monotonic clocks are of one boot of a machine; '' where that has no name. */
  get machineName(): string {
    const { bootId } = this.machine;
    return bootId === 'unknown-boot' ? '' : bootId;
  }

  /** The server's time now, or earlier. */
  nowMs(): number {
    return this.time.earliest(this.machine.monotonicMs());
  }

  /**
   * Returns how much of the time since the last proven one nobody can prove: it may have passed, or the
   * server's clock was stepped. Another process of this machine left how far the two clocks are apart.
   */
  unprovenMs(): number {
    const sinceMs = Math.max(0, this.nowMs() - this.fields.head.seen);
    const ahead = Number(this.fields.fields.get(`ahead:${this.machineName}`) ?? Number.NaN);
    const slackMs = ANCHOR_SLACK_MS + sinceMs / ANCHOR_DRIFT_PARTS;
    return Math.abs(this.time.leastAheadMs - ahead) <= slackMs ? 0 : sinceMs;
  }

  /** The name of the next count. It begins with a number above that of every one before. */
  nextEpoch(atMs: number): string {
    return epochName(Math.max(this.latestBegun + 1, begunOf(this.fields.head.epoch) + 1, atMs));
  }

  /** Returns the request at a local time, built on what was read. */
  askOf(part: AskPart, sentMs: number): ScriptAsk {
    const { time } = this;
    const { head } = this.fields;
    const isBuilt = part.kind === 'whole' || part.kind === 'begin';
    return {
      now: time.isKnown ? time.earliest(sentMs) : 0,
      epoch: head.epoch,
      revision: isBuilt || this.known.epoch !== head.epoch ? head.revision : this.known.revision,
      stable: head.stable,
      endings: [],
      entry: null,
      fields: [],
      begins: '',
      machine: time.isKnown && part.kind !== 'begin' ? this.machineName : '',
      ahead: time.isKnown ? time.leastAheadMs : 0,
      ...part,
    };
  }

  /** Asks for a change, which ends the doubt there was; the answer may be the reason for another. */
  async change(ask: () => Promise<ScriptAnswer>): Promise<ScriptAnswer> {
    const { why, fields } = this;
    this.why = null;
    let isDone = false;
    try {
      const answer = await ask();
      isDone = answer.status === 'done';
      return answer;
    } finally {
      if (!isDone && this.fields.head.epoch === fields.head.epoch) this.why ??= why;
    }
  }

  /** Applies an answer, with the times of its request and receipt by the monotonic clock. */
  apply(
    { status, timeMs, run, fields, revision }: ScriptAnswer,
    at: { readonly sentMs: number; readonly receivedMs: number },
  ): void {
    const reading = { ...at, serverMs: timeMs };
    if (!this.time.read(reading)) this.why = 'its clock was stepped';
    this.runId = run;
    if (fields === null) {
      // Of this count still: the script looks.
      this.known = { ...this.known, revision: Math.max(this.known.revision, revision) };
      return;
    }
    this.fields = LedgerImage.of(fields);
    const { head, isEmpty } = this.fields;
    const isOlder = head.epoch === this.known.epoch && head.revision < this.known.revision;
    if (status === 'stepped' || head.seen > timeMs + STEP_MS) this.why = 'its clock was stepped';
    else if (isEmpty) this.why = 'it was empty';
    else if (head.run !== run) this.why = 'Redis was restarted, or another one has taken its place';
    else if (isOlder || begunOf(head.epoch) < this.latestBegun)
      this.why = 'it was put back to an older state';
    // Somebody else has begun the count by now.
    else if (head.epoch !== this.known.epoch) this.why = null;
    const isOther = head.epoch !== this.known.epoch;
    this.latestBegun = Math.max(this.latestBegun, begunOf(head.epoch));
    if (isOther || !isOlder) this.known = { epoch: head.epoch, revision: head.revision };
    if (isOther) this.mustJoin = true;
    if (this.why === null && !isOther) return;
    this.time = new ServerClock();
    this.time.read(reading);
  }

  /** Redis has taken a change of these fields at a time of the server. `begins`: the count that it began. */
  wrote(
    fields: Parameters<LedgerImage['with']>[0],
    { run, revision, stable }: ScriptAnswer,
    { begins, atMs }: { readonly begins: string; readonly atMs: number },
  ): void {
    const { head } = this.fields;
    const isAlone = revision === head.revision + 1;
    const epoch = begins === '' ? head.epoch : begins;
    this.known = { epoch, revision };
    this.latestBegun = Math.max(this.latestBegun, begunOf(epoch));
    this.fields = this.fields.with(fields, {
      run,
      epoch,
      // Others wrote in between: what is kept here is older, and nothing whole can be built on it.
      revision: isAlone ? revision : head.revision,
      stable,
      seen: Math.max(head.seen, atMs),
    });
  }
}

/** One answer of a server that says its time: when it was asked and answered by the monotonic clock here. */
interface ClockReading {
  readonly sentMs: number;
  readonly receivedMs: number;
  /** The server's own time in between. */
  readonly serverMs: number;
}

/** Known bounds of the server's time: how much it is ahead of the monotonic clock, at least and at most. */
interface Offset {
  readonly leastMs: number;
  readonly mostMs: number;
}

/** After so long an offset is of the past: clocks differ by tens of parts in a million. */
const GENERATION_MS = 30_000;

/** Amount that a clock may gain or lose and still count as even: jitter, and one part in two thousand. */
const JITTER_MS = 50;
const DRIFT_PARTS = 2_000;

/**
 * The clock of a server as this process can prove it. The server's time says when things were; that it has
 * passed is proven by the monotonic clock here, which nobody can step. So a server whose clock is stepped
 * forward frees nothing here, and the step is found with the next answer.
 */
class ServerClock {
  private current: Offset | null = null;
  private previous: Offset | null = null;
  private begunMs = 0;

  /** Takes in an answer. False: the server's clock was stepped since the last one. */
  read({ sentMs, receivedMs, serverMs }: ClockReading): boolean {
    const found = { leastMs: serverMs - receivedMs, mostMs: serverMs - sentMs };
    const known = this.offset();
    if (known !== null) {
      const slackMs = JITTER_MS + (receivedMs - this.begunMs) / DRIFT_PARTS;
      if (found.leastMs > known.mostMs + slackMs || found.mostMs < known.leastMs - slackMs) {
        this.begin(found, receivedMs);
        return false;
      }
    }
    if (this.current === null || receivedMs - this.begunMs > GENERATION_MS) {
      this.previous = this.current;
      this.current = found;
      this.begunMs = receivedMs;
    } else {
      this.current = narrowed(this.current, found);
    }
    return true;
  }

  get isKnown(): boolean {
    return this.current !== null;
  }

  /** The least that the server's clock is ahead of ours, for the next process of this machine. */
  get leastAheadMs(): number {
    return this.known().leastMs;
  }

  /** The server's time at a local one, or earlier. */
  earliest(localMs: number): number {
    return localMs + this.known().leastMs;
  }

  /** The server's time at a local one, or later. */
  latest(localMs: number): number {
    return localMs + this.known().mostMs;
  }

  private begin(found: Offset, atMs: number): void {
    this.previous = null;
    this.current = found;
    this.begunMs = atMs;
  }

  private offset(): Offset | null {
    if (this.current === null || this.previous === null) return this.current;
    return narrowed(this.current, this.previous);
  }

  private known(): Offset {
    const offset = this.offset();
    if (offset === null) throw new TypeError('expected an answer of the server before its clock is asked');
    return offset;
  }
}

function narrowed(left: Offset, right: Offset): Offset {
  return { leastMs: Math.max(left.leastMs, right.leastMs), mostMs: Math.min(left.mostMs, right.mostMs) };
}

/** Returns the identity of this process for Redis, so that others of its machine can see whether it lives. */
export function whoIs({ bootId, owner }: Machine): string {
  return JSON.stringify([bootId, owner]);
}

/**
 * Returns whether an owner lives: one of this machine by its process, another by the lease that it renews.
 */
export function lifeSignIn(
  draft: LedgerDraft,
  owner: string,
  { machine, seen }: { readonly machine: Machine; readonly seen: SeenLedger },
): LifeSign {
  const [bootId, text] = whoIn(draft.text(`who:${owner}`));
  const isHere = seen.machineName !== '' && bootId === machine.bootId;
  const sign = isHere ? machine.lifeSignOf(text) : 'foreign';
  if (sign !== 'foreign') return sign;
  const untilMs = Number(draft.text(`lease:${owner}`) ?? 0);
  return untilMs >= seen.nowMs() ? 'alive' : 'silent';
}

function whoIn(text: string | undefined): readonly [string, string] {
  const found: unknown = text === undefined ? null : JSON.parse(text);
  return Array.isArray(found) ? [String(found[0]), String(found[1])] : ['', ''];
}
