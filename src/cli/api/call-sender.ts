import { addAbortListener } from 'node:events';
import { monotonicMs } from '../../budget/process-owner.ts';
import { connectExchange, type RemoteExchange } from '../../venues/live-venue.ts';
import { SERVICE, type ServiceConnection } from '../../venues/service-venue.ts';
import { mayUseReserve, type RequestClass } from '../../domain/rate-limit.ts';
import { isAnonymous } from '../../exchange/authenticator.ts';
import type { CallOptions } from '../../exchange/client-options.ts';
import type { EndpointName, EndpointRequest } from '../../exchange/endpoints.ts';
import type { Caller } from '../../exchange/paging.ts';
import type { EndpointResult } from '../../exchange/reply-decoder.ts';
import { failed, type CommandError } from '../command-error.ts';
import type { ApiTarget } from './api-target.ts';
import { callOf, type Call } from './call-catalogue.ts';
import { lengthText } from '../../domain/time-text.ts';
import type { WrapTransport } from '../../venues/venue.ts';

/** Time by which the limiter waits longer than the client, in ms: the client's time-out explains more. */
const LIMITER_PATIENCE_MS = 2_000;

/** Time before a wait is reported, in ms. */
const QUIET_FOR_MS = 1_000;

/** Calls that cancel something: they may use the slots reserved for that. */
const CANCELING: ReadonlySet<EndpointName> = new Set([
  'updateOrderStatus',
  'cancelOldOrders',
  'cancelWithdrawal',
]);

function classOf({ name, effect, endpoint }: Call): RequestClass {
  if (CANCELING.has(name)) return 'cancel';
  if (effect !== 'reads') return 'place';
  return endpoint.access === 'none' ? 'market' : 'account';
}

interface SenderOptions {
  readonly target: ApiTarget;
  /** Longest wait of each request for a slot, in ms. */
  readonly longestWaitMs: number;
  readonly signal: AbortSignal;
  readonly log: (line: string) => void;
  /** Wraps the client's transport. */
  readonly wrap?: WrapTransport;
}

/** Sends calls by hand under the limits that all processes of this machine share, including a bot's. */
export class CallSender implements Caller {
  private readonly remote: RemoteExchange<ServiceConnection>;
  private readonly longestWaitMs: number;
  private readonly signal: AbortSignal;
  private readonly log: (line: string) => void;
  private readonly target: ApiTarget;

  private constructor(options: SenderOptions, remote: RemoteExchange<ServiceConnection>) {
    this.target = options.target;
    this.longestWaitMs = options.longestWaitMs;
    this.signal = options.signal;
    this.log = options.log;
    this.remote = remote;
  }

  /** Opens the sender. Throws if the ledger cannot be used. */
  static async open(options: SenderOptions): Promise<CallSender> {
    const { target, log } = options;
    const { baseUrl, exchange, credentials } = target;
    const remote = await connectExchange(SERVICE, {
      config: { exchange },
      baseUrl,
      credentials,
      onProblem: log,
      isGuest: true,
      ...(options.wrap === undefined ? {} : { wrap: options.wrap }),
    });
    return new CallSender(options, remote);
  }

  /** Throws if a call would wait longer than allowed; nothing is asked or sent then. */
  checkWait(name: EndpointName): void {
    const wait = this.waitFor(callOf(name));
    if (wait !== null && !wait.isMost && wait.forMs > this.longestWaitMs)
      throw this.tooLong(callOf(name), wait);
  }

  /**
   * Sends one call. Throws a `CommandError` if it did not leave, and any error of the client, whose `outcome`
   * says whether the call can have taken effect.
   */
  async call<Name extends EndpointName>(
    name: Name,
    request: EndpointRequest<Name>,
    options: Pick<CallOptions, 'oneTimePassword'> = {},
  ): Promise<EndpointResult<Name>> {
    const call = callOf(name);
    this.checkWait(name);
    if (this.signal.aborted) throw failed('ended before it was sent');
    const { limiter, connection } = this.remote;
    using _end = addAbortListener(this.signal, () => void limiter.close());
    using notice = setTimeout(() => this.logWait(call), QUIET_FOR_MS);
    const reply = await limiter.run<EndpointResult<Name>>({
      budget: call.endpoint.budget.name,
      requestClass: classOf(call),
      kind: null,
      credential: isAnonymous(call.endpoint.access) || this.target.credentials === null ? 'none' : 'with',
      canLogIn: this.target.credentials?.kind === 'login',
      expiresAtMs: monotonicMs() + this.longestWaitMs,
      timeoutMs: call.endpoint.timeoutMs + LIMITER_PATIENCE_MS,
      send: async () => {
        clearTimeout(notice);
        return connection.client.call(name, request, { signal: this.signal, ...options });
      },
    });
    if (reply.sent) return reply.value;
    if (this.signal.aborted) throw failed('ended before it was sent');
    throw this.tooLong(
      call,
      this.waitFor(call) ?? { forMs: reply.retryInMs ?? 0, isMost: false, why: reply.reason },
    );
  }

  async close(): Promise<void> {
    await this.remote.close();
  }

  private logWait(call: Call): void {
    const wait = this.waitFor(call);
    if (wait === null) return;
    this.log(
      `waiting ${waitText(wait)} for a slot of ${call.endpoint.budget.name}: ${wait.why} (--wait limits the wait, Ctrl-C ends it)`,
    );
  }

  private tooLong(call: Call, wait: Wait): CommandError {
    const bound = lengthText(this.longestWaitMs);
    return failed(
      `nothing was sent: ${call.word} may leave in ${waitText(wait)} and --wait allows ${bound}: ${wait.why}`,
    );
  }

  /** Returns how long the ledger holds a call back now; null if it does not. */
  private waitFor(call: Call): Wait | null {
    const { name, per } = call.endpoint.budget;
    const { ledger, subjects } = this.remote;
    const rows = ledger.rows();
    const row = rows.find((other) => other.budget === name && other.subject === subjects[per]);
    if (row === undefined) return null;
    const allowed = row.limit - (mayUseReserve(classOf(call)) ? 0 : row.reserve);
    const isSomebody = !isAnonymous(call.endpoint.access) && this.target.credentials !== null;
    const stopped = rows.find(
      ({ subject, stoppedForMs }) => subject === subjects.token && stoppedForMs !== null,
    );
    if (isSomebody && (stopped?.stoppedForMs ?? 0) > 0)
      return {
        forMs: stopped?.stoppedForMs ?? 0,
        isMost: false,
        why: `the exchange refused ${this.target.account} (401): it has expired or is wrong, so make a new one; this one can be tried again then`,
      };
    if ((row.lockedForMs ?? 0) > 0)
      return {
        forMs: row.lockedForMs ?? 0,
        isMost: false,
        why: `the exchange has locked ${name} out; see "sarraf budget". Asking sooner makes it longer`,
      };
    // Before the first answer of the exchange, one request of each budget may leave.
    if (row.isUnheard && row.onTheWay === 0 && classOf(call) !== 'place') return null;
    if (row.fullForMs > 0)
      return {
        forMs: row.fullForMs,
        isMost: false,
        why: `what was sent before is not known, so the limit counts as used up; see "sarraf ledger --help"`,
      };
    if (row.inUse < allowed) return null;
    const why = `the ${row.limit} requests a ${lengthText(row.windowMs)} of ${name} are used up`;
    return { forMs: row.windowMs, isMost: true, why };
  }
}

interface Wait {
  readonly forMs: number;
  /** True if the wait may be shorter. */
  readonly isMost: boolean;
  readonly why: string;
}

const waitText = ({ forMs, isMost }: Wait): string => `${isMost ? 'up to ' : ''}${lengthText(forMs)}`;
