import { ledgerOf } from '../modes.ts';
import { ledgerSubjects } from '../../venues/client-credentials.ts';
import type { BotConfig } from '../create-bot-config.ts';
import type { HealthServer } from './health-server.ts';
import { type HealthSource, LedgerWatch, startingSource } from '../health-source.ts';

/**
 * Text for the bot's first wait. With a ledger that counts as full it can be minutes, with a lockout hours.
 */
const FIRST = 'no answer from the exchange yet, so nothing is traded';

/**
 * Health over HTTP for the whole life of a run. It listens before anything is asked of the exchange, since a
 * supervisor has to distinguish a waiting bot from a dead one; once the bot is there, the bot itself is
 * asked.
 */
export class HealthService {
  private readonly at: BotConfig['health'];
  /** Names that the page and the health answers are asked under. */
  private readonly hosts: readonly string[];
  private server: HealthServer | null = null;
  private waitsFor = FIRST;
  private readonly starting: HealthSource;
  private source: HealthSource;

  constructor(config: BotConfig) {
    this.at = config.health;
    this.hosts = config.dashboard.hosts;
    const { ip, token } = ledgerSubjects(config.exchange);
    this.starting = startingSource({
      waitsFor: () => this.waitsFor,
      ledger: new LedgerWatch(ledgerOf(config), [ip, token]),
    });
    this.source = this.starting;
  }

  /**
   * Begins to listen, and answers where; null where no health is wanted. Throws `INVALID_OPTIONS` when the
   * port can not be had.
   */
  async begin(): Promise<string | null> {
    const { host, port } = this.at;
    if (port === null) return null;
    // A run without a port need not load a web server.
    const { HealthServer } = await import('./health-server.ts');
    this.server = new HealthServer({ source: () => this.source, host, port, hosts: this.hosts });
    return this.server.listen();
  }

  /** Reports what the process waits for while no bot runs. */
  waitFor(what: string): void {
    this.waitsFor = what;
    this.source = this.starting;
  }

  /**
   * Asks a bot that is at work from now on. Its numbers are put together once before it begins: the first
   * time takes ten times as long as any other, which its loop would feel.
   */
  async show(source: HealthSource): Promise<void> {
    this.source = source;
    await this.server?.warmUp();
  }

  async end(): Promise<void> {
    await this.server?.close();
  }
}
