import { existsSync } from 'node:fs';
import { closing } from '../domain/closing.ts';
import { join } from 'node:path';
import { writePrivateFile } from '../configuration/secret-file.ts';
import { AccessStore, linkText, writeAddressNote } from './access-store.ts';
import type { ApiServerOptions } from './api-server.ts';
import { DashboardServer } from './server/dashboard-server.ts';

/** Settings for the thread that serves the page. */
export type DashboardSettings = Omit<ApiServerOptions, 'onError' | 'nowMs'> & {
  /** True if a one-time link is requested, for a person at the terminal. */
  readonly wantsLink: boolean;
  /** True if `port` is only a proposal: while other programs use it, the next ones are tried. */
  readonly isPortProposed: boolean;
};

/** Ports tried in turn from a proposed one: more than the bots of one machine. */
const PORTS_TRIED = 20;

/** Message from the thread of the page to the run. */
export type DashboardMessage =
  | {
      readonly kind: 'listening';
      readonly address: string;
      /** Path of the first token; null if it was removed. */
      readonly tokenFile: string | null;
      /** One-time link; null if none was requested. */
      readonly link: string | null;
      /** Proposed port that another program uses, so that the page has a later one; null otherwise. */
      readonly busyPort: number | null;
    }
  /** Failure to listen: the ports are in use, or a file cannot be read. */
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'trouble'; readonly message: string };

/** True if an error of a starting server means that another process uses the port. */
function isPortInUse(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return ((cause ?? error) as NodeJS.ErrnoException).code === 'EADDRINUSE';
}

/** Server of a page. */
interface PageServer {
  listen(): Promise<string>;
  close(): Promise<void>;
}

type Begun<Server> = { readonly server: Server; readonly begun: DashboardMessage & { kind: 'listening' } };

/** Serves the page of a bot's data folder, and stores its address for links. Throws as `beginServer` does. */
export async function beginDashboard(
  settings: DashboardSettings,
  onError: (message: string) => void,
): Promise<Begun<DashboardServer>> {
  return beginServer(settings, (options) => new DashboardServer({ ...options, onError }), {
    onListening: (address) => writeAddressNote(settings.dataFolder, address),
  });
}

/** Serves a data folder: creates the first token if there is none, and listens. Throws as the server does. */
export async function beginServer<Server extends PageServer>(
  settings: DashboardSettings,
  create: (options: Omit<ApiServerOptions, 'onError'>) => Server,
  { onListening = () => {} }: { readonly onListening?: (address: string) => void } = {},
): Promise<Begun<Server>> {
  const { wantsLink, isPortProposed, ...options } = settings;
  const { dataFolder } = options;
  const ports = isPortProposed ? PORTS_TRIED : 1;
  const { server, address, port } = await listenAtFirstFree(options.port, ports, (tried) =>
    create({ ...options, port: tried }),
  );
  using store = closing(new AccessStore(dataFolder));
  try {
    const tokenFile = makeFirstToken(store, dataFolder);
    const link = wantsLink ? linkText(address, store.addLink('operate').code) : null;
    const busyPort = port === options.port ? null : options.port;
    onListening(address);
    return { server, begun: { kind: 'listening', address, tokenFile, link, busyPort } };
  } catch (error) {
    await server.close();
    throw error;
  }
}

/** Listens at the first of `ports` ports from the given one that no other program uses. */
async function listenAtFirstFree<Server extends PageServer>(
  first: number,
  ports: number,
  create: (port: number) => Server,
): Promise<{ readonly server: Server; readonly address: string; readonly port: number }> {
  for (let port = first; ; port += 1) {
    const server = create(port);
    try {
      return { server, address: await server.listen(), port };
    } catch (error) {
      if (!isPortInUse(error) || port + 1 >= first + ports) throw error;
    }
  }
}

/** Line that says where the page is instead of at its usual port. */
export function otherPortText(busyPort: number, address: string): string {
  return `another program uses port ${busyPort}, so the page is at port ${new URL(address).port}; dashboard.port sets another`;
}

/**
 * Creates a token with all permissions if there is none, and writes it to a file (0600). Returns the file's
 * path; null if the file is missing because somebody removed it.
 */
export function makeFirstToken(store: AccessStore, dataFolder: string): string | null {
  const path = join(dataFolder, 'dashboard-token');
  store.addFirstToken({ name: 'first', role: 'operate' }, (token) => writePrivateFile(path, `${token}\n`));
  return existsSync(path) ? path : null;
}
