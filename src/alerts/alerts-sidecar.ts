import { type Sidecar, type SidecarScreen, SideThread } from '../daemon/sidecar.ts';
import { alertsState } from '../daemon/run-record.ts';
import type { BotConfig } from '../daemon/create-bot-config.ts';
import { ownModule } from '../plugins/own-files.ts';
import { alertsSetup, type AlertsSetup } from './alerts-setup.ts';

export interface AlertsMessage {
  readonly level: 'info' | 'warning';
  readonly text: string;
}

/** Memory limit of the thread, in MB: far more than a poll of a mirror needs. */
const HEAP_MB = 128;

/** Alerts of a run, in a thread of their own. Without `alerts` in the configuration there is none. */
export class AlertsSidecar implements Sidecar {
  private readonly screen: SidecarScreen;
  private readonly setup: AlertsSetup | null;
  private readonly config: BotConfig;
  private readonly thread: SideThread;

  constructor(config: BotConfig, screen: SidecarScreen) {
    this.config = config;
    this.screen = screen;
    this.setup = alertsSetup(config, Date.now());
    this.thread = new SideThread({
      name: 'the thread of alerts',
      module: ownModule('alerts/alerts-worker'),
      data: this.setup,
      heapMb: HEAP_MB,
      onMessage: (message) => this.hear(message as AlertsMessage),
      onTrouble: (level, text) => screen.notify(level, text),
    });
  }

  async check(): Promise<void> {
    const { setup, config, screen } = this;
    if (setup === null) return;
    if (alertsState(config) === 'other speed') {
      screen.log('alerts', 'no alerts: they follow the clock, so they need embedded.speed 1');
      return;
    }
    const names = setup.channels.map(({ name }) => name);
    const whom = names.length === 0 ? 'nobody, as alerts.channels is empty' : names.join(', ');
    screen.log('alerts', `alerts tell ${whom}`, { channels: names });
  }

  begin(): void {
    if (alertsState(this.config) === 'on') this.thread.begin();
  }

  async end(): Promise<void> {
    await this.thread.end();
  }

  private hear(message: AlertsMessage): void {
    if (message.level === 'info') this.screen.log('alerts', message.text);
    else this.screen.notify('warning', message.text);
  }
}
