import { setInterval } from 'node:timers';
import type { WatchdogNews } from '../daemon/watchdog.ts';
import { type Alert, type AlertCondition, trackAlerts } from './core/alert-facts.ts';
import type { AlertsSetup } from './alerts-setup.ts';
import { openSenders, trackOf, type OpenedSenders } from './service/channel-sender.ts';
import { openOutbox, type SafeOutbox } from './outbox-file.ts';

const TURN_EVERY_MS = 500;

type Log = (level: 'info' | 'warning', text: string) => void;

/**
 * Sends the findings of a watchdog by the channels of the bot that it watches. It has an outbox of its own:
 * the bot's outbox has a sender, which may resume at any moment and would send everything twice.
 */
export class WatchdogAlerts {
  private readonly setup: AlertsSetup;
  private readonly outbox: SafeOutbox;
  private readonly opened: OpenedSenders;
  private readonly log: Log;
  private readonly timer: NodeJS.Timeout;
  private readonly waiting = new Map<string, number>();
  private isLogged = false;
  private holding: readonly AlertCondition[] = [];
  /**
   * Events that have just happened, until they are in the outbox, which another process may block for a time.
   */
  private moments: readonly AlertCondition[] = [];

  private constructor(parts: {
    readonly setup: AlertsSetup;
    readonly outbox: SafeOutbox;
    readonly opened: OpenedSenders;
    readonly log: Log;
  }) {
    this.setup = parts.setup;
    this.outbox = parts.outbox;
    this.opened = parts.opened;
    this.log = parts.log;
    // An alert that an earlier watchdog left open is over, or is found again after the time of silence.
    this.holding = this.outbox.use((each) => each.openAlerts().map(conditionOf)) ?? [];
    this.timer = setInterval(() => this.turn(), TURN_EVERY_MS);
  }

  static async open(setup: AlertsSetup, log: Log): Promise<WatchdogAlerts> {
    const { dataFolder } = setup;
    const outbox = openOutbox(dataFolder, { owner: 'watchdog', log });
    outbox.use((each) => each.prune(Date.now(), setup.channels));
    const opened = await openSenders({ setup, outbox, log, isWatchdog: true });
    return new WatchdogAlerts({ setup, outbox, log, opened });
  }

  notify(news: WatchdogNews): void {
    const { holding, moments } = conditionsAfter(this.holding, news, Date.now());
    this.holding = holding;
    this.moments = [...this.moments, ...moments];
    this.turn();
  }

  /** Waits for messages that are being sent, and ends. */
  async end(): Promise<void> {
    clearInterval(this.timer);
    await this.opened.close();
    this.outbox.close();
  }

  private turn(): void {
    try {
      const { moments } = this;
      if (this.track([...this.holding, ...moments])) this.moments = [];
      for (const sender of this.opened.senders) sender.pump();
      this.isLogged = false;
    } catch (error) {
      if (!this.isLogged) this.log('warning', `alerts can not be kept just now: ${String(error)}`);
      this.isLogged = true;
    }
  }

  /** Stores the conditions; returns true if they were stored. */
  private track(conditions: readonly AlertCondition[]): boolean {
    const { setup, waiting } = this;
    const atMs = Date.now();
    const isStored = this.outbox.use((outbox) => {
      const open = outbox.openAlerts();
      const changes = trackAlerts({ open, conditions, waiting }, trackOf(setup), atMs);
      if (changes.length > 0) outbox.apply({ changes, atMs, cursor: null, channels: setup.channels });
      return true;
    });
    return isStored === true;
  }
}

/** Returns the condition of an open alert, which holds until the watchdog knows that it does not. */
function conditionOf({ key, severity, facts, openedAtMs }: Alert): AlertCondition {
  return { key, severity, facts, sinceMs: openedAtMs };
}

/** Findings of a watchdog: conditions that hold, and events that have just happened. */
interface WatchdogConditions {
  readonly holding: readonly AlertCondition[];
  readonly moments: readonly AlertCondition[];
}

/**
 * Returns the conditions after news of a watchdog, given those before. All are critical: nobody else reports
 * then. News without trouble ends the conditions that held.
 */
export function conditionsAfter(
  before: readonly AlertCondition[],
  news: WatchdogNews,
  atMs: number,
): WatchdogConditions {
  const severity = 'critical';
  switch (news.kind) {
    case 'began':
    case 'back':
      return { holding: [], moments: [] };
    case 'ended': {
      const { failure, endedAtMs } = news.pulse;
      if (failure === null) return { holding: [], moments: [] };
      const facts = { rule: 'ended', reason: failure } as const;
      return { holding: [{ key: 'ended', severity, facts, sinceMs: endedAtMs ?? atMs }], moments: [] };
    }
    case 'silent': {
      const lastSignMs = news.pulse === null ? null : Math.floor(news.pulse.beatMs);
      const facts = { rule: 'silent', lastSignMs } as const;
      return { holding: [{ key: 'silent', severity, facts, sinceMs: atMs - news.forMs }], moments: [] };
    }
    case 'canceled': {
      const { canceled, kept, left, isBack } = news.result;
      // The cancels could be sent after all, and the result names what is left.
      const holding = before.filter(({ key }) => key !== 'entries-failed');
      if (news.isRepeat || (isBack && canceled.length === 0)) return { holding, moments: [] };
      const facts = {
        rule: 'entries',
        canceled: canceled.length,
        kept: kept.length,
        left: left.length,
      } as const;
      const key = `entries ${atMs}`;
      return { holding, moments: [{ key, severity, facts, sinceMs: atMs, isMoment: true }] };
    }
    case 'not-canceled': {
      const facts = { rule: 'entries-failed', reason: news.reason } as const;
      // One alert for all attempts: each of them would be the same message.
      const rest = before.filter(({ key }) => key !== 'entries-failed');
      return { holding: [...rest, { key: 'entries-failed', severity, facts, sinceMs: atMs }], moments: [] };
    }
    case 'problem':
      return { holding: before, moments: [] };
  }
}
