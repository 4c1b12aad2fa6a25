import { LATE_ARRIVAL_MS, type RaisedLimit } from './admission.ts';
import { closing } from '../domain/closing.ts';
import { PART_STANDS_STILL_MS } from './doubt.ts';
import { isLeaseholder } from './redis/cancel-lease.ts';
import { redisPlace } from './ledger-file.ts';
import { longerMs, begunOf, epochName, LedgerImage, parsed } from './redis/ledger-image.ts';
import { BUDGET_FIELD } from './slot-rows.ts';
import { NAMED_FIELD } from './redis/ledger-draft.ts';
import { RedisConnection, type ScriptAnswer } from './redis/redis-connection.ts';

/** A command by hand can wait longer for Redis than a bot. */
const ANSWERS_WITHIN_MS = 5_000;
const OWNER = 'by-hand';
const MOST_TRIES = 20;
/** Age at which a request that was never stamped counts as given up. */
const GIVEN_UP_MS = 300_000;

/** Connects to a ledger in Redis for one piece of work. Throws `DATA_UNUSABLE` if Redis cannot be used. */
export async function withRedisLedger<T>(
  place: string,
  work: (connection: RedisConnection) => Promise<T>,
): Promise<T> {
  using connection = closing(
    await RedisConnection.open({ ...redisPlace(place), timeoutMs: ANSWERS_WITHIN_MS }),
  );
  return await work(connection);
}

/** Takes back a lowered limit of a budget, for every address and account; returns the limits taken back. */
export async function raiseRedisLimit(place: string, budget: string): Promise<readonly RaisedLimit[]> {
  return withRedisLedger(place, async (connection) =>
    change(connection, ({ image }) => {
      const fields = image.names('named').filter((field) => field.split(':').slice(2).join(':') === budget);
      const raised = fields.map((field) => ({
        subject: field.split(':')[1] ?? '',
        named: parsed(field, image.fields.get(field) ?? '', NAMED_FIELD).limit,
      }));
      return { value: raised, fields: fields.length === 0 ? null : goneOf(fields), begins: false };
    }),
  );
}

/** Outcome of creating a ledger that counts no earlier requests. */
export type RedisRenewal =
  | { readonly kind: 'made'; readonly keptAs: null }
  | { readonly kind: 'in use' }
  | { readonly kind: 'counting'; readonly requests: number; readonly forMs: number };

/**
 * Creates a ledger that counts no earlier requests, unless it is in use or knows requests that may still
 * count. Lockouts, stopped credentials and lowered limits stay.
 */
export async function renewRedisLedger(place: string): Promise<RedisRenewal> {
  return withRedisLedger(place, async (connection) =>
    change<RedisRenewal>(connection, ({ image, timeMs, run }) => {
      if (isInUse(image, timeMs)) return { value: { kind: 'in use' }, fields: null, begins: false };
      const untilMs = image.head.run === run ? countingUntil(image, timeMs) : [];
      if (untilMs.length > 0) {
        const forMs = Math.max(...untilMs) - timeMs;
        return { value: { kind: 'counting', requests: untilMs.length, forMs }, fields: null, begins: false };
      }
      const kinds = ['slots', 'budget', 'who', 'lease', 'ahead'];
      const fields = goneOf([...kinds.flatMap((kind) => image.names(kind)), 'past']);
      return { value: { kind: 'made', keptAs: null }, fields, begins: true };
    }),
  );
}

function isInUse(image: LedgerImage, nowMs: number): boolean {
  return image
    .names('lease')
    .some((field) => field !== `lease:${OWNER}` && Number(image.fields.get(field)) >= nowMs);
}

/** Returns the time until which each request may count. */
function countingUntil(image: LedgerImage, nowMs: number): readonly number[] {
  return image.names('slots').flatMap((field) => {
    const budget = image.fields.get(field.replace(/^slots:/, 'budget:'));
    const windowMs = budget === undefined ? 0 : parsed(field, budget, BUDGET_FIELD).windowMs;
    return image
      .slots(field)
      .map(
        ({ stampedAtMs, admittedAtMs, owner }) =>
          (stampedAtMs ??
            admittedAtMs +
              (isLeaseholder(owner) ? PART_STANDS_STILL_MS : 0) +
              GIVEN_UP_MS +
              LATE_ARRIVAL_MS) +
          windowMs +
          longerMs(windowMs),
      )
      .filter((untilMs) => untilMs > nowMs);
  });
}

interface Found {
  readonly image: LedgerImage;
  readonly timeMs: number;
  readonly run: string;
}

interface Change<T> {
  readonly value: T;
  /** Fields for the script; null if nothing is to be changed. */
  readonly fields: readonly string[] | null;
  readonly begins: boolean;
}

const goneOf = (fields: readonly string[]): readonly string[] => fields.flatMap((field) => [field, '']);

/** Writes a change if no one else has written since the read; otherwise reads again and decides again. */
async function change<T>(connection: RedisConnection, decide: (found: Found) => Change<T>): Promise<T> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const found = await inspect(connection);
    const { value, fields, begins } = decide(found);
    if (fields === null) return value;
    const answer = await ask(connection, found, { fields, begins });
    if (answer.status === 'done') return value;
  }
  throw new Error('others that write again and again');
}

async function inspect(connection: RedisConnection): Promise<Found> {
  const empty = { image: new LedgerImage(new Map()), timeMs: 0, run: '' };
  const { fields, timeMs, run } = await ask(connection, empty, null);
  return { image: LedgerImage.of(fields ?? []), timeMs, run };
}

async function ask(
  connection: RedisConnection,
  { image, timeMs }: Found,
  changed: { readonly fields: readonly string[]; readonly begins: boolean } | null,
): Promise<ScriptAnswer> {
  const { epoch, revision, stable } = image.head;
  return connection.ask({
    kind: changed === null ? 'read' : changed.begins ? 'begin' : 'whole',
    owner: OWNER,
    now: timeMs,
    epoch,
    revision,
    stable,
    endings: [],
    entry: null,
    fields: changed?.fields ?? [],
    begins: changed?.begins === true ? epochName(Math.max(timeMs, begunOf(epoch) + 1)) : '',
    machine: '',
    ahead: 0,
  });
}
