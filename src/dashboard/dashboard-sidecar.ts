import { createServer } from 'node:net';
import { type Sidecar, type SidecarScreen, SideThread } from '../daemon/sidecar.ts';
import { ledgerFolder } from '../budget/ledger-file.ts';
import { noteBot } from '../daemon/known-bots.ts';
import type { BotConfig } from '../daemon/create-bot-config.ts';
import { SarrafError } from '../domain/errors.ts';
import { ownModule, pageFolder } from '../plugins/own-files.ts';
import { otherPortText, type DashboardMessage, type DashboardSettings } from './begin-dashboard.ts';

/** Heap limit of the thread in MB, far more than pages of 500 rows take. */
const HEAP_MB = 256;

interface DashboardSidecarOptions {
  readonly config: BotConfig;
  readonly screen: SidecarScreen;
  /** Writes a line to a terminal that a person reads, but not to a log; null if there is no terminal. */
  readonly writeToPerson: ((line: string) => void) | null;
}

/** Page of a run, served by a separate thread. */
export class DashboardSidecar implements Sidecar {
  private readonly options: DashboardSidecarOptions;
  private readonly thread: SideThread;

  constructor(options: DashboardSidecarOptions) {
    const { config, screen, writeToPerson } = options;
    const { host, port, hosts, tls, lab, isPortWritten } = config.dashboard;
    const data: DashboardSettings = {
      dataFolder: config.data.folder,
      pageFolder: pageFolder(),
      host,
      port: port ?? 0,
      isPortProposed: !isPortWritten,
      hosts,
      tls,
      lab: lab ?? null,
      language: config.language,
      wantsLink: writeToPerson !== null,
    };
    this.options = options;
    this.thread = new SideThread({
      name: 'the page',
      module: ownModule('dashboard/dashboard-worker'),
      data,
      heapMb: HEAP_MB,
      onMessage: (message) => this.hear(message as DashboardMessage),
      onTrouble: (level, text) => screen.notify(level, text),
    });
  }

  /** Throws `INVALID_OPTIONS` if the configured port is used otherwise, such as by the health server. */
  async check(): Promise<void> {
    const { host, port, isPortWritten } = this.options.config.dashboard;
    if (port === null || port === 0 || !isPortWritten) return;
    await new Promise<void>((resolve, reject) => {
      const probe = createServer();
      probe.once('error', (error) => {
        const message = `expected to serve the page at ${host}:${port}: ${error.message}. Set another dashboard.port, or null for none`;
        reject(new SarrafError('INVALID_OPTIONS', message, { cause: error }));
      });
      probe.listen({ host, port }, () => probe.close(() => resolve()));
    });
  }

  begin(): void {
    if (this.options.config.dashboard.port !== null) this.thread.begin();
  }

  async end(): Promise<void> {
    await this.thread.end();
  }

  /** Stores the page's address, so that pages of other bots on this machine can link to it. */
  private noteAddress(dashboard: string): void {
    const { config, screen } = this.options;
    if (config.mode === 'embedded') return;
    const folder = config.exchange.ledgerFolder ?? ledgerFolder();
    try {
      noteBot(folder, { dataFolder: config.data.folder, dashboard, atMs: Date.now() });
    } catch (error) {
      screen.notify('warning', `the page is not noted down in ${folder}: ${String(error)}`);
    }
  }

  private hear(message: DashboardMessage): void {
    const { screen, writeToPerson } = this.options;
    if (message.kind === 'trouble') {
      screen.notify('warning', `the page: ${message.message}`);
      return;
    }
    if (message.kind === 'failed') {
      void this.thread.end();
      screen.notify('error', `no page, and the bot goes on: ${message.message}`);
      return;
    }
    const { address, tokenFile, link, busyPort } = message;
    const token = tokenFile === null ? '' : `, token in ${tokenFile}`;
    this.noteAddress(address);
    if (busyPort !== null) screen.log('dashboard', otherPortText(busyPort, address), { busyPort });
    screen.log('dashboard', `page at ${address}${token}`, { address, tokenFile });
    screen.log('dashboard', 'times in these lines are UTC; the page shows those of Tehran');
    if (link !== null) writeToPerson?.(`sign in once, within ten minutes: ${link}`);
  }
}
