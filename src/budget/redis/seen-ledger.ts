import type { Machine, LifeSign } from '../process-owner.ts';
import { STEP_MS, begunOf, epochName, LedgerImage } from './ledger-image.ts';
import type { ScriptAsk, ScriptAnswer } from './redis-connection.ts';
import type { LedgerDraft } from './ledger-draft.ts';

/** Tolerance for the clock difference that another process of this machine has found, in ms and as a part. */
const ANCHOR_SLACK_MS = 200;
const ANCHOR_DRIFT_PARTS = 2_000;

/** Part of a script request that a caller sets; the rest comes from what was read. */
type AskPart = Partial<ScriptAsk> & Pick<ScriptAsk, 'kind' | 'owner'>;

/** The ledger in Redis as this process has read it: its fields, the server's time, and why it is unusable. */
export class SeenLedger {
  /** True until the times of the current count have been compared with the clock. */
  mustJoin = true;
  private readonly machine: Machine;
  private fields = new LedgerImage(new Map());
  private time = new ServerClock();
  private runId = '';
  /** Reason that the content of Redis is unusable; null if it is usable. */
  private why: string | null = null;
  private known = { epoch: '', revision: 0 };
  /** Begin of the latest count that was seen here. */
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

  /** The run of Redis that answered last. */
  get run(): string {
    return this.runId;
  }

  get doubt(): string | null {
    return this.why;
  }

  /** The count that a change would continue; '' if it would begin one. */
  get epoch(): string {
    return this.why === null ? this.fields.head.epoch : '';
  }

  /** Name of this boot of the machine, for its monotonic clock; '' if the machine has none. */
  get machineName(): string {
    const { bootId } = this.machine;
    return bootId === 'unknown-boot' ? '' : bootId;
  }

  /** Returns the earliest possible time of the server now. */
  nowMs(): number {
    return this.time.earliest(this.machine.monotonicMs());
  }

  /**
   * Returns how much of the time since the last proven one cannot be proven: it may have passed, or the clock
   * of the server was stepped. Another process of this machine may know how far the two clocks are apart.
   */
  unprovenMs(): number {
    const sinceMs = Math.max(0, this.nowMs() - this.fields.head.seen);
    const ahead = Number(this.fields.fields.get(`ahead:${this.machineName}`) ?? Number.NaN);
    const slackMs = ANCHOR_SLACK_MS + sinceMs / ANCHOR_DRIFT_PARTS;
    return Math.abs(this.time.leastAheadMs - ahead) <= slackMs ? 0 : sinceMs;
  }

  /** Returns the name of the next count. Its number is higher than that of every earlier count. */
  nextEpoch(atMs: number): string {
    return epochName(Math.max(this.latestBegun + 1, begunOf(this.fields.head.epoch) + 1, atMs));
  }

  /** Returns a request to the script at a local time, based on what was read. */
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

  /** Sends a change. The reason that the content is unusable is dropped only if the change is done. */
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
      // The count is still the same: the script checks it.
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
    // Another process has begun a new count by now.
    else if (head.epoch !== this.known.epoch) this.why = null;
    const isOther = head.epoch !== this.known.epoch;
    this.latestBegun = Math.max(this.latestBegun, begunOf(head.epoch));
    if (isOther || !isOlder) this.known = { epoch: head.epoch, revision: head.revision };
    if (isOther) this.mustJoin = true;
    if (this.why === null && !isOther) return;
    this.time = new ServerClock();
    this.time.read(reading);
  }

  /** Records a change of fields that Redis has accepted, at a server time. `begins`: the count it began. */
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
      // If others wrote in between, the data here is older, and no `whole` write may be based on it.
      revision: isAlone ? revision : head.revision,
      stable,
      seen: Math.max(head.seen, atMs),
    });
  }
}

/** One reading of the server's clock: its time, and when the request left and the answer came here. */
interface ClockReading {
  readonly sentMs: number;
  readonly receivedMs: number;
  /** The server's time between the two. */
  readonly serverMs: number;
}

/** Bounds of the server's lead over the monotonic clock here: at least and at most. */
interface Offset {
  readonly leastMs: number;
  readonly mostMs: number;
}

/** Age in ms at which a measured offset is replaced: clocks differ by tens of parts in a million. */
const GENERATION_MS = 30_000;

/** Change of a clock that does not count as a step: jitter, and one part in two thousand. */
const JITTER_MS = 50;
const DRIFT_PARTS = 2_000;

/**
 * The server's clock as far as this process can prove it. The server's time dates events; that it has passed
 * is proven by the monotonic clock here, which cannot be stepped. So a server clock that is stepped forward
 * frees nothing here, and the next answer reveals the step.
 */
class ServerClock {
  private current: Offset | null = null;
  private previous: Offset | null = null;
  private begunMs = 0;

  /** Applies an answer. Returns false if the server's clock was stepped since the last one. */
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

  /** Least lead of the server's clock over ours, for the next process of this machine. */
  get leastAheadMs(): number {
    return this.known().leastMs;
  }

  /** Returns the earliest possible time of the server at a local time. */
  earliest(localMs: number): number {
    return localMs + this.known().leastMs;
  }

  /** Returns the latest possible time of the server at a local time. */
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
export const whoIs = ({ bootId, owner }: Machine): string => JSON.stringify([bootId, owner]);

/** Returns the state of an owner: of this machine by its process, of another by the lease it renews. */
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
