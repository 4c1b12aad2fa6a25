import { ledgerOf } from '../modes.ts';
import { ledgerSubjects } from '../../venues/client-credentials.ts';
import type { VenueProfile } from '../../venues/port.ts';
import type { BotConfig } from '../create-bot-config.ts';
import type { HealthServer } from './health-server.ts';
import { type HealthSource, LedgerWatch, startingSource } from '../health-source.ts';

/** Text for the bot's first wait. It can last minutes if a ledger counts as full, and hours in a lockout. */
const FIRST = 'no answer from the exchange yet, so nothing is traded';

/**
 * Health over HTTP for the whole life of a run. It listens before anything is asked of the exchange, since a
 * supervisor must distinguish a waiting bot from a dead one. Once the bot runs, the bot itself answers.
 */
export class HealthService {
  private readonly at: BotConfig['health'];
  /** Host names under which the page and the health answers may be requested. */
  private readonly hosts: readonly string[];
  private server: HealthServer | null = null;
  private waitsFor = FIRST;
  private readonly starting: HealthSource;
  private source: HealthSource;

  constructor(config: BotConfig, profile: VenueProfile) {
    this.at = config.health;
    this.hosts = config.dashboard.hosts;
    const { ip, token } = ledgerSubjects(config.exchange);
    this.starting = startingSource({
      waitsFor: () => this.waitsFor,
      ledger: new LedgerWatch({ ledgerFile: ledgerOf(config), ledgerSubjects: [ip, token], profile }),
    });
    this.source = this.starting;
  }

  /**
   * Begins to listen and returns the address; null if health is not configured. Throws `INVALID_OPTIONS` if
   * the port cannot be used.
   */
  async begin(): Promise<string | null> {
    const { host, port } = this.at;
    if (port === null) return null;
    // A run without a port need not load a web server.
    const { HealthServer } = await import('./health-server.ts');
    this.server = new HealthServer({ source: () => this.source, host, port, hosts: this.hosts });
    return this.server.listen();
  }

  /** Sets the text of what the process waits for while no bot runs. */
  waitFor(what: string): void {
    this.waitsFor = what;
    this.source = this.starting;
  }

  /**
   * Answers from a running bot from now on. Its metrics are computed once before it begins: the first time
   * takes ten times as long as any other, which would hold up its loop.
   */
  async show(source: HealthSource): Promise<void> {
    this.source = source;
    await this.server?.warmUp();
  }

  async end(): Promise<void> {
    await this.server?.close();
  }
}
