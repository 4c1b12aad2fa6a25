import { request, type IncomingHttpHeaders } from 'node:http';
import { AccessStore } from '../../src/dashboard/access-store.ts';
import { createMomentAnswers } from '../../src/daemon/answers-apart.ts';
import type { ApiServerOptions } from '../../src/dashboard/api-server.ts';
import { DashboardServer } from '../../src/dashboard/server/dashboard-server.ts';

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Server of a page. */
interface PageServer {
  listen(): Promise<string>;
  close(): Promise<void>;
}

/** A server on a data folder, by default of a bot, in this process, and a client that writes every header itself. */
export class DashboardHere {
  readonly errors: string[] = [];
  readonly operate: string;
  readonly read: string;
  readonly store: AccessStore;
  readonly dataFolder: string;
  address = '';
  private readonly server: PageServer;

  constructor(
    dataFolder: string,
    pageFolder = '/nowhere',
    create: (options: ApiServerOptions) => PageServer = (options) =>
      // Tests share the machine with others, which would go first.
      new DashboardServer(options, createMomentAnswers({ isHeavy: false })),
  ) {
    this.dataFolder = dataFolder;
    this.store = new AccessStore(dataFolder);
    this.operate = this.store.addToken({ name: 'ali', role: 'operate' });
    this.read = this.store.addToken({ name: 'sara', role: 'read' });
    this.server = create({
      dataFolder,
      pageFolder,
      host: '127.0.0.1',
      port: 0,
      hosts: ['bot.example.com'],
      tls: null,
      language: 'en',
      onError: (message) => this.errors.push(message),
    });
  }

  async listen(): Promise<this> {
    this.address = await this.server.listen();
    return this;
  }

  /** Sends a request without fetch, because fetch adds headers and refuses to send some others. */
  async ask(path: string, { method = 'GET', headers = {}, body }: Asked = {}): Promise<Answer> {
    const { hostname, port } = new URL(this.address);
    return new Promise((resolve, reject) => {
      const asked = request({ hostname, port, path, method, headers, agent: false }, (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (part: string) => (text += part));
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
        );
      });
      asked.on('error', reject);
      asked.end(body);
    });
  }

  /** Calls an address of the API; without `headers` it sends a token with all permissions. */
  async api(path: string, body?: unknown, headers: Readonly<Record<string, string>> = this.bearer()) {
    const answer = await this.ask(`/api/v1${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return { ...answer, json: JSON.parse(answer.text) };
  }

  bearer(token = this.operate): Record<string, string> {
    return { authorization: `Bearer ${token}` };
  }

  /** Signs in as the page does, and returns the headers that it sends with a command. */
  async signIn(token = this.operate): Promise<Record<string, string>> {
    const { json, headers } = await this.api('/session', { token }, { origin: this.address });
    const [cookie = ''] = headers['set-cookie'] ?? [];
    return {
      cookie: cookie.split(';', 1)[0] ?? '',
      origin: this.address,
      'sec-fetch-site': 'same-origin',
      'x-csrf-token': String(json['csrf']),
    };
  }

  async close(): Promise<void> {
    await this.server.close();
    this.store.close();
  }
}
