import { setTimeout } from 'node:timers';
import type { BotConfig } from './create-bot-config.ts';

/** Log of a run for the messages of a sidecar. */
export interface SidecarScreen {
  say(kind: string, text: string, data?: Readonly<Record<string, unknown>>): void;
  /** Of something that went wrong: a warning, or what a person has to look at. */
  tell(level: 'warning' | 'error', text: string): void;
}

/** Something that runs beside the bot, in a thread of its own, and has no say in how it trades. */
export interface Sidecar {
  /** Looks, before the run begins, whether it can be. Throws what ends the run. */
  check(): Promise<void>;
  /** Begins; what goes wrong from here on is told, and ends nothing else. */
  begin(): void;
  end(): Promise<void>;
}

export type CreateSidecar = (config: BotConfig, screen: SidecarScreen) => Sidecar;

/** The bot is at work for so long before they begin: they take none of the time in which it starts. */
const BEGIN_AFTER_MS = 1_000;

/** A start that waits for the exchange may take hours, which a page shows too. */
const BEGIN_AT_THE_LATEST_MS = 5_000;

/** The sidecars of one run. */
export class Sidecars {
  private readonly sidecars: readonly Sidecar[];
  private readonly timers: NodeJS.Timeout[] = [];
  private hasBegun = false;

  constructor(sidecars: readonly Sidecar[]) {
    this.sidecars = sidecars;
  }

  async check(): Promise<void> {
    for (const sidecar of this.sidecars) await sidecar.check();
    this.beginWithin(BEGIN_AT_THE_LATEST_MS);
  }

  /** The bot trades. */
  onTrading(): void {
    this.beginWithin(BEGIN_AFTER_MS);
  }

  async end(): Promise<void> {
    this.hasBegun = true;
    for (const timer of this.timers) clearTimeout(timer);
    await Promise.all(this.sidecars.map(async (sidecar) => sidecar.end()));
  }

  private beginWithin(delayMs: number): void {
    if (this.sidecars.length === 0) return;
    const timer = setTimeout(() => this.begin(), delayMs);
    timer.unref();
    this.timers.push(timer);
  }

  private begin(): void {
    if (this.hasBegun) return;
    this.hasBegun = true;
    for (const sidecar of this.sidecars) sidecar.begin();
  }
}
