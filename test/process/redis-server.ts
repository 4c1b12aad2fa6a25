import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { makeCertificate } from '../support/certificate.ts';

const LOOK_EVERY_MS = 20;

interface ServerOptions {
  /** Folder of its files. */
  readonly folder: string;
  readonly password?: string;
  /** Serves TLS, with a certificate of its own for 127.0.0.1. */
  readonly tls?: true;
  /** Settings to add, in the form of its command line. */
  readonly more?: readonly string[];
}

/** A real Redis server of this machine on its own port, which writes no data to the disk. */
export class RedisServer {
  readonly port: number;
  private readonly options: ServerOptions;
  private child: ChildProcess | null = null;

  private constructor(port: number, options: ServerOptions) {
    this.port = port;
    this.options = options;
  }

  static async start(options: ServerOptions): Promise<RedisServer> {
    const server = new RedisServer(await freePort(), options);
    if (options.tls) makeCertificate(options.folder, { name: 'redis' });
    await server.begin();
    return server;
  }

  get url(): string {
    return `${this.options.tls ? 'rediss' : 'redis'}://127.0.0.1:${this.port}`;
  }

  /** Certificate of the authority that signed its own. */
  get authority(): string {
    return join(this.options.folder, 'redis.crt');
  }

  /** Starts the server, also again after a kill; its data is gone then. */
  async begin(): Promise<void> {
    const { folder, password, tls, more = [] } = this.options;
    const files = ['--tls-cert-file', this.authority, '--tls-ca-cert-file', this.authority];
    const ports = tls ? `--port 0 --tls-port ${this.port} --tls-auth-clients no` : `--port ${this.port}`;
    const base = ['--dir', folder, '--save', '', '--bind', '127.0.0.1', '--appendonly', 'no'];
    const args = [
      ...base,
      ...ports.split(' '),
      ...(password === undefined ? [] : ['--requirepass', password]),
      ...(tls ? [...files, '--tls-key-file', join(folder, 'redis.key')] : []),
      ...more,
    ];
    const child = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'ignore'] });
    const failed = new Promise<never>((_, reject) => {
      child.once('error', (error) =>
        reject(
          new Error(`expected redis-server, which "apt-get install redis-server" brings`, { cause: error }),
        ),
      );
      child.once('exit', (code) => reject(new Error(`expected redis-server to run, ended with ${code}`)));
    });
    failed.catch(() => undefined);
    let out = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
    this.child = child;
    while (!out.includes('Ready to accept connections')) await Promise.race([pause(LOOK_EVERY_MS), failed]);
  }

  async kill(): Promise<void> {
    const { child } = this;
    this.child = null;
    if (child === null || child.exitCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  /** Opens a client for the commands of a test. */
  async client(): Promise<Redis> {
    const { password } = this.options;
    const client = new Redis(this.port, {
      lazyConnect: true,
      ...(password === undefined ? {} : { password }),
    });
    await client.connect();
    return client;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('expected a port');
  server.close();
  await once(server, 'close');
  return address.port;
}
